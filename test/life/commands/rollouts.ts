/** How applies get to speakers: in waves, behind a canary, and not at all while there is a freeze. */
import fc from 'fast-check';
import { chosen, deed, inSteps, pick } from '../deed.ts';
import type { SpeakerModel } from '../model.ts';
import type { Life } from '../life.ts';
import { brokenBy } from '../guardrails.ts';
import { isServed } from '../received.ts';
import { moduleEdits } from './modules.ts';
import { follow } from './peers.ts';
import { rangeEdits } from './ranges.ts';
import { answering } from './sources.ts';
import { applyReady, override, rollBack } from './revisions.ts';

/** One after the other: nothing but the way differs. */
const waves = deed({
  weight: 1,
  drawn: fc.constantFrom(0, 1),
  can: ({ waveSize }, size) => waveSize !== size,
  async run(walk, size) {
    walk.tell(`settings: applies go to ${size === 0 ? 'all speakers' : 'one speaker'} at once`);
    await walk.setting({ deploy_wave_size: size });
    walk.life.waveSize = size;
    return {};
  },
});

/** Speakers that show whether a revision is good: those with a session that has all of its routes. */
const showing = ({ speakers, peers, isFrozen }: Life): SpeakerModel[] =>
  isFrozen || peers.some(({ most }) => most !== null)
    ? []
    : speakers.filter((speaker) => peers.some((peer) => isServed(peer, speaker)));

const canary = deed({
  weight: 1,
  drawn: fc.record({ pick, seconds: fc.constantFrom(0, 1) }),
  can: (life) => showing(life).length > 0,
  async run(walk, { pick: number, seconds }) {
    const { id, name } = chosen(showing(walk.life), number);
    walk.tell(`settings: applies go to ${name} first, for ${seconds} s`);
    await walk.setting({ deploy_canary_speaker_ids: [id], deploy_canary_soak_seconds: seconds });
    return {};
  },
});

const noCanary = deed({
  weight: 1,
  drawn: fc.constant(null),
  can: () => true,
  async run(walk) {
    walk.tell('settings: applies go to no speaker first');
    await walk.setting({ deploy_canary_speaker_ids: [] });
    return {};
  },
});

/** With a canary, which is well all the time: what an unwell one does has tests of its own. */
const behindCanary = (during: readonly ReturnType<typeof deed>[]) => ({
  weight: 4,
  arbitrary: fc
    .tuple(canary.arbitrary, fc.oneof(...during), fc.oneof(...during), noCanary.arbitrary)
    .map(inSteps),
});

export const freeze = deed({
  weight: 2,
  drawn: fc.constant(null),
  can: ({ isFrozen }) => !isFrozen,
  async run(walk) {
    walk.tell('freeze');
    await walk.setting({ deploy_freeze: true });
    walk.life.isFrozen = true;
    return {};
  },
});

/** What the freeze has stopped follows, unless there is a newer revision that was not applied by itself. */
export const unfreeze = deed({
  weight: 4,
  drawn: fc.constant(null),
  can: ({ isFrozen }) => isFrozen,
  async run(walk) {
    const { life } = walk;
    walk.tell('unfreeze');
    await walk.setting({ deploy_freeze: false });
    life.isFrozen = false;
    const { stopped, latest, waiting } = life;
    const isResumed = stopped !== null && stopped === latest && life.autoApply;
    if (isResumed && brokenBy(life, stopped).length === 0) life.bringToAll(stopped);
    if (!isResumed)
      for (const speaker of waiting)
        if (speaker.enabled && life.speakers.includes(speaker)) follow(life, speaker);
    life.stopped = null;
    waiting.clear();
    return {};
  },
});

/** A freeze with something that happens in it. */
export const inFreeze = (during: readonly ReturnType<typeof deed>[]) => ({
  weight: 6,
  arbitrary: fc
    .tuple(freeze.arbitrary, fc.oneof(...during), fc.oneof(...during), unfreeze.arbitrary)
    .map(inSteps),
});

/** How an apply gets to all speakers. */
export const rolloutDeeds = [
  waves,
  behindCanary([...rangeEdits, ...moduleEdits, answering, rollBack, override, applyReady]),
];
