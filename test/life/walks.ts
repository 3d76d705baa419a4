/** Runs many walks side by side, and tells the shortest story of one that ended in a contradiction. */
import fc from 'fast-check';
import { FUZZ } from '../fuzz.ts';
import { feedDeeds } from './commands/feeds.ts';
import { guardrailDeeds, loosen, tighten } from './commands/guardrails.ts';
import { manyDeeds } from './commands/many.ts';
import {
  givenCommunityHop,
  moduleDeeds,
  moduleEdits,
  released,
  releasedBack,
  switchModule,
} from './commands/modules.ts';
import {
  coalescedDeeds,
  loosenNumber,
  oneWrite,
  operationDeeds,
  stormDeeds,
  switchApplies,
  tightenNumber,
} from './commands/operations.ts';
import { rolloutDeeds } from './commands/rollouts.ts';
import { applyReady, applyToOne, override, prune, rollBack, twoBuilds } from './commands/revisions.ts';
import { addPeer, addSpeaker, familyDeeds, peerDeeds, speakerDeeds } from './commands/peers.ts';
import { rangeDeeds, rangeEdits } from './commands/ranges.ts';
import { entriesBack, moduleBack, removalDeeds } from './commands/removals.ts';
import { addList, slipDeeds } from './commands/slips.ts';
import { addSource, answering, sourceDeeds } from './commands/sources.ts';
import { chosen, type deed, inSteps, pick, whichever } from './deed.ts';
import { conclude } from './conclude.ts';
import { Life } from './life.ts';
import { TIGHT } from './universe.ts';
import { Walk } from './walk.ts';
import type { Place, World } from './world.ts';

const ALWAYS = [
  ...moduleDeeds,
  ...rangeDeeds,
  ...manyDeeds,
  ...sourceDeeds,
  ...peerDeeds,
  ...speakerDeeds,
  ...operationDeeds,
  ...guardrailDeeds,
  ...removalDeeds,
  ...feedDeeds,
  ...coalescedDeeds,
];

/** Picks what a source says in a tenant of long lists. */
const HALF_OF_BLOCK_1 = 2;

/** What makes the same contents come back, by and by. */
const listDeeds = [switchModule, rollBack, prune];

/** Edits under tight guardrails, and after each what somebody decides of what these hold. */
const edit = fc.oneof(answering, ...rangeEdits, ...moduleEdits, moduleBack, entriesBack);
const decision = decisions([override, released, releasedBack, rollBack, applyReady, applyToOne]);
const letThrough = decisions([override, released]);
const heldDeeds = [
  { weight: 4, arbitrary: fc.tuple(edit, letThrough, edit, decision).map(inSteps) },
  // A revision is held as a whole, for the number of its prefixes.
  {
    weight: 3,
    arbitrary: fc
      .tuple(tightenNumber.arbitrary, edit, decisions([override]), edit, decision, edit, letThrough)
      .map(inSteps),
  },
  { weight: 1, arbitrary: fc.oneof(tighten, loosen, loosenNumber) },
];

/** What routers and feeds are sent, and how it gets there. */
const routerDeeds = [
  { weight: 4, arbitrary: fc.oneof(...peerDeeds, ...familyDeeds) },
  { weight: 1, arbitrary: fc.oneof(...speakerDeeds) },
  { weight: 1, arbitrary: fc.oneof(...feedDeeds) },
  { weight: 3, arbitrary: fc.oneof(answering, ...rangeEdits, ...moduleEdits) },
  { weight: 1, arbitrary: fc.oneof(rollBack, applyReady, applyToOne, switchApplies) },
  {
    weight: 3,
    arbitrary: fc.oneof(givenCommunityHop, givenCommunityHop, twoBuilds, oneWrite, ...rolloutDeeds),
  },
];

/** One of those that can be done when its turn comes. */
function decisions(deeds: readonly ReturnType<typeof deed>[]): ReturnType<typeof deed>['arbitrary'] {
  const commands = fc.tuple(...deeds.map(({ arbitrary }) => arbitrary));
  return fc.record({ number: pick, commands }).map(({ number, commands: all }) => whichever(all, number));
}

/**
 * What happens on a walk: everything; mostly large lists that change and come back; edits of long lists that take much away; edits that
 * guardrails hold, and overrides, releases and rollbacks as often; what routers are sent; everything, and the service is killed.
 */
export type Kind = 'calm' | 'lists' | 'slips' | 'held' | 'routers' | 'stormy';

/** How a walk is to be. */
export interface Weather {
  readonly kind: Kind;
  /** Deeds of a walk at most. */
  readonly longest: number;
}

export interface Series extends Weather {
  readonly seed: number;
  readonly walks: number;
  /** Of an earlier failure: begins with that walk. */
  readonly path?: string;
  /** Of an earlier failure: which commands of that walk are the story. */
  readonly replay?: string;
  /** How long a failing walk is made shorter, in milliseconds. */
  readonly shrinkWithinMs: number;
  /** Whether a walk in another place has failed: none is begun after that. */
  readonly isOver: () => boolean;
  readonly onFailure: () => void;
}

export interface Failure {
  readonly seed: number;
  readonly path: string;
  readonly replay: string;
  readonly story: readonly string[];
  readonly error: string;
}

/** Walks one after the other in the place, until one fails. @returns that one, made as short as the time allowed; null: none failed */
export async function walkIn(world: World, place: Place, series: Series): Promise<Failure | null> {
  const { kind, longest, seed, walks, path, replay, shrinkWithinMs, isOver, onFailure } = series;
  let worst: { story: readonly string[]; error: string } | null = null;
  let deadline = Infinity;
  const property = fc.asyncProperty(
    fc.record({
      commands: commandsOf({ kind, longest }, replay),
      isDriven: fc.nat(5).map((number) => number === 5),
      hasLargeLists: kind === 'lists' ? fc.constant(true) : fc.constant(false),
      hasSource: kind === 'slips' ? fc.boolean() : fc.constant(true),
      tight: pick,
    }),
    async ({ commands, isDriven, hasLargeLists, hasSource, tight }) => {
      // Whatever is left to try counts as good: what was found last is short enough.
      if (performance.now() > deadline || (deadline === Infinity && isOver())) return;
      const walk = new Walk(world, place, new Life());
      walk.life.autoRevision = !isDriven;
      walk.life.hasLargeLists = hasLargeLists;
      walk.life.hasSlips = kind === 'slips';
      if (walk.life.hasSlips) walk.life.maxWithdraw = 25;
      if (kind === 'held') walk.life.guardrails = chosen(TIGHT, tight);
      try {
        await walk.begin();
        await addSpeaker(walk);
        await addPeer(walk, [], true);
        if (kind === 'slips') await addList(walk, 0, false, 'block 0');
        if (hasSource) await addSource(walk, hasLargeLists ? 0 : 1, kind === 'slips' ? HALF_OF_BLOCK_1 : 0);
        else await addList(walk, 1, false, 'block 1');
        await conclude(walk, isDriven ? { ...(await walk.refresh(walk.life.modules)) } : {});
        await fc.asyncModelRun(() => ({ model: walk.life, real: walk }), commands);
        await walk.end();
        if (process.env.LIFE_STORIES !== undefined) console.log(walk.story.join('\n'));
      } catch (error) {
        await walk.end().catch(() => undefined);
        if (deadline === Infinity) deadline = performance.now() + shrinkWithinMs;
        onFailure();
        worst = { story: walk.story, error: error instanceof Error ? error.message : String(error) };
        // A shorter story comes later, or never, where the run is ended before.
        if (process.env.LIFE_STORIES !== undefined)
          console.log([...walk.story, `=> ${worst.error}`].join('\n'));
        throw error;
      }
    },
  );
  const details = await fc.check(property, { seed, numRuns: walks, ...(path === undefined ? {} : { path }) });
  const found = worst as { story: readonly string[]; error: string } | null;
  if (found === null) return null;
  const told = fc.stringify(details.counterexample);
  const replayPath = /replayPath="([^"]*)"/.exec(told)?.[1] ?? '';
  return { seed, path: details.counterexamplePath ?? '', replay: replayPath, ...found };
}

const DEEDS: Readonly<Record<Kind, readonly ReturnType<typeof deed>[]>> = {
  calm: [...ALWAYS, ...familyDeeds],
  lists: [...sourceDeeds, ...listDeeds],
  slips: slipDeeds,
  held: heldDeeds,
  routers: routerDeeds,
  stormy: [...ALWAYS, ...stormDeeds],
};

function commandsOf(
  { kind, longest }: Weather,
  replayPath: string | undefined,
): fc.Arbitrary<Iterable<fc.AsyncCommand<Life, Walk>>> {
  const replay = replayPath === undefined ? {} : { replayPath };
  return fc.commands([fc.oneof(...DEEDS[kind])], { maxCommands: longest, size: 'max', ...replay });
}

/** The story of a failure in lines, with how it is told again. */
export function tellFailure({ seed, path, replay, story, error }: Failure, weather: string): string {
  return [
    `A walk (${weather}, seed ${seed}, path ${path}) ended in a contradiction:`,
    ...story.map((line, index) => `  ${index + 1}. ${line}`),
    `  => ${error}`,
    `Again: FUZZ=${FUZZ} SEED=${seed} LIFE_PATH=${path} LIFE_REPLAY=${replay} LIFE_KIND=${weather} npx vitest run test/life`,
  ].join('\n');
}
