/** What else an operator does to a tenant, deeds that are made of others, and what befalls the service. */
import fc from 'fast-check';
import { deed, inOneStep, inSteps, inOneWrite } from '../deed.ts';
import type { Expected } from '../expected.ts';
import { ANY_NUMBER } from '../model.ts';
import type { Walk } from '../walk.ts';
import { manyDeeds } from './many.ts';
import { moduleEdits } from './modules.ts';
import { peerEdits, speakerDeeds } from './peers.ts';
import { rangeEdits, rangePatches } from './ranges.ts';
import { answering } from './sources.ts';
import {
  applyReady,
  applyToOne,
  askForRevision,
  override,
  pinning,
  prune,
  rollBack,
  twoBuilds,
} from './revisions.ts';
import { freeze, inFreeze, rolloutDeeds, unfreeze } from './rollouts.ts';

/** Prefixes that a revision of an ordinary walk may have, and may not. */
const FEW = 1;

async function limit(walk: Walk, maximum: number): Promise<undefined> {
  walk.life.maxPrefixes = maximum;
  walk.tell(`settings: a revision of more than ${maximum} prefixes is held`);
  await walk.setting({ guard_max_prefixes: maximum });
}

export const tightenNumber = deed({
  weight: 1,
  drawn: fc.constant(null),
  can: ({ maxPrefixes }) => maxPrefixes === ANY_NUMBER,
  run: (walk) => limit(walk, FEW),
});

export const loosenNumber = deed({
  weight: 2,
  drawn: fc.constant(null),
  can: ({ maxPrefixes }) => maxPrefixes < ANY_NUMBER,
  run: (walk) => limit(walk, ANY_NUMBER),
});

export const switchApplies = deed({
  weight: 1,
  drawn: fc.constant(null),
  can: () => true,
  async run(walk) {
    const { life } = walk;
    walk.tell(`settings: applies ${life.autoApply ? 'on request only' : 'by themselves'}`);
    await walk.setting({ auto_apply: !life.autoApply });
    life.autoApply = !life.autoApply;
  },
});

/** Several writes, all or nothing. */
export const oneWrite = {
  weight: 5,
  arbitrary: fc
    .array(fc.oneof(...moduleEdits, ...rangePatches, ...peerEdits, ...manyDeeds), {
      ...{ minLength: 2, maxLength: 4 },
    })
    .map(inOneWrite),
};

export const operationDeeds = [
  rollBack,
  applyReady,
  applyToOne,
  override,
  freeze,
  unfreeze,
  inFreeze([...rangeEdits, ...moduleEdits, ...speakerDeeds, answering, rollBack, switchApplies]),
  pinning,
  prune,
  askForRevision(3),
  deed({
    weight: 2,
    drawn: fc.constant(null),
    can: () => true,
    async run(walk) {
      const { life } = walk;
      walk.tell(`settings: revisions ${life.autoRevision ? 'on request only' : 'by themselves'}`);
      await walk.setting({ auto_revision: !life.autoRevision });
      life.autoRevision = !life.autoRevision;
    },
  }),
  switchApplies,
  ...rolloutDeeds,
  tightenNumber,
  loosenNumber,
  twoBuilds,
  deed({
    weight: 1,
    drawn: fc.constant(null),
    can: () => true,
    async run(walk) {
      walk.tell('stop the tenant, and make it active again');
      await walk.stop();
      await walk.silence();
      await walk.activate();
    },
  }),
];

/** Edits that follow each other before anything has come of them; and one that is held, and let through. */
export const coalescedDeeds = [
  {
    weight: 6,
    arbitrary: fc
      .tuple(tightenNumber.arbitrary, fc.oneof(answering, ...moduleEdits, ...rangeEdits), override.arbitrary)
      .map(inSteps),
  },
  oneWrite,
  {
    weight: 8,
    arbitrary: fc
      .record({
        edits: fc.array(fc.oneof(...[...moduleEdits, ...rangeEdits, ...peerEdits]), {
          ...{ minLength: 2, maxLength: 4 },
        }),
        answer: fc.option(answering.arbitrary),
      })
      .map(({ edits, answer }) => inOneStep(answer === null ? edits : [...edits, answer])),
  },
];

export const stormDeeds = [
  deed({
    weight: 4,
    drawn: fc.record({ isBusy: fc.boolean(), after: fc.nat(300) }),
    can: () => true,
    async run(walk, { isBusy, after }) {
      const { life, world } = walk;
      walk.tell(
        `${isBusy ? `refresh all modules, and ${after} ms later ` : ''}kill the service, and start it`,
      );
      const expected: Expected = isBusy ? await walk.refresh(life.modules) : {};
      // When it dies is chance; that all is well in the end never goes by time.
      if (isBusy) await new Promise((resolve) => setTimeout(resolve, after));
      await world.kill();
      return expected;
    },
  }),
];
