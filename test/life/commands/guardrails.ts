/** What an operator does to guardrails about routes: tightens one, and loosens all again. */
import fc from 'fast-check';
import { type AnyCommand, chosen, deed, inSteps, pick } from '../deed.ts';
import type { GuardrailsModel } from '../model.ts';
import { LOOSE, TIGHT, WIDE } from '../universe.ts';
import type { Walk } from '../walk.ts';
import { settingsOf } from '../guardrails.ts';
import { moduleEdits, released } from './modules.ts';
import { applyReady, override, rollBack } from './revisions.ts';
import { speakerDeeds } from './peers.ts';
import { rangeEdits } from './ranges.ts';
import { answering } from './sources.ts';

/** In which way it is tighter than {@link LOOSE}. */
function toldOf({ protected: kept, shortest, coverage }: GuardrailsModel): string {
  const [, ...more] = kept;
  if (more.length > 0) return `${more.join(' and ')} may not be announced`;
  if (coverage < LOOSE.coverage) return `no list may be as wide as ${WIDE}`;
  return `no prefix may be shorter than /${shortest.ipv4} of IPv4 and /${shortest.ipv6} of IPv6`;
}

async function become(walk: Walk, guardrails: GuardrailsModel, told: string): Promise<undefined> {
  walk.tell(`settings: ${told}`);
  await walk.setting(settingsOf(guardrails));
  walk.life.guardrails = guardrails;
}

export const tighten = deed({
  weight: 4,
  drawn: pick,
  can: () => true,
  async run(walk, number) {
    const others = TIGHT.filter((one) => one !== walk.life.guardrails);
    const guardrails = chosen(others, number);
    return become(walk, guardrails, toldOf(guardrails));
  },
});

export const loosen = deed({
  weight: 4,
  drawn: fc.constant(null),
  can: ({ guardrails }) => guardrails !== LOOSE,
  run: (walk) => become(walk, LOOSE, 'guardrails are loose again'),
});

/** Something else to announce, mostly. */
const edits = fc.oneof(
  { weight: 3, arbitrary: answering.arbitrary },
  { weight: 4, arbitrary: fc.oneof(...rangeEdits) },
  { weight: 2, arbitrary: fc.oneof(...moduleEdits) },
  { weight: 1, arbitrary: fc.oneof(...speakerDeeds) },
);

/** What is held when a guardrail is tightened, and what an edit, a release, an override, an apply or the end of it lets through. */
const story: fc.Arbitrary<AnyCommand> = fc
  .tuple(
    tighten.arbitrary,
    edits,
    fc.oneof(released, released, override, override, applyReady, rollBack, tighten, ...speakerDeeds),
    fc.oneof(released, released, override, loosen, answering, ...rangeEdits),
    fc.oneof(loosen, tighten, released),
  )
  .map(inSteps);

export const guardrailDeeds = [tighten, loosen, { weight: 12, arbitrary: story }];
