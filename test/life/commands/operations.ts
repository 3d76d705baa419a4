/** What an operator does to revisions and speakers, and what befalls the service. */
import fc from 'fast-check';
import { accept, chosen, deed, inOneStep, inSteps, pick, takeBack } from '../deed.ts';
import type { Expected } from '../expected.ts';
import { ANY_NUMBER, type Life, type RevisionModel, type SpeakerModel } from '../model.ts';
import { brokenBy } from '../guardrails.ts';
import { routesOf } from '../oracle.ts';
import { isServed } from '../received.ts';
import { inOneWrite } from '../several.ts';
import { Contradiction, type Walk } from '../walk.ts';
import { manyDeeds } from './many.ts';
import { moduleEdits } from './modules.ts';
import { follow, peerEdits, speakerDeeds } from './peers.ts';
import { rangeEdits, rangePatches } from './ranges.ts';
import { answering } from './sources.ts';

/** Prefixes that a revision of an ordinary walk may have, and may not. */
const FEW = 1;

/** A held rollback is refused once something newer is ready. */
const applicable = (life: Life, state: 'ready' | 'held'): RevisionModel[] =>
  life
    .choices(state)
    .filter((one) => state === 'ready' || !one.isRollback || (life.latest?.number ?? 0) < one.number);

const canApply = (life: Life, state: 'ready' | 'held'): boolean =>
  !life.isFrozen && applicable(life, state).length > 0 && life.speakers.some(({ enabled }) => enabled);

/** Applies the revision to all speakers, with an override of what it breaks, which lets a held one through. */
async function apply(walk: Walk, revision: RevisionModel): Promise<void> {
  const { life } = walk;
  const override = brokenBy(life, revision);
  walk.tell(
    `apply ${revision.state === 'held' ? 'the held ' : ''}revision ${revision.number}${override.length === 0 ? '' : `, override ${override.join(' and ')}`}`,
  );
  await walk.post('/v1/apply', {
    revision_id: revision.id,
    ...(override.length === 0 ? {} : { override, reason: 'the customer may announce this' }),
  });
  const wasHeld = revision.state === 'held';
  if (revision.state === 'held' && revision.isRollback) takeBack(life, revision, life.latest);
  else if (revision.state === 'held') accept(life, revision);
  revision.state = 'ready';
  life.bringToAll(revision);
  // What edits may take away goes by what speakers run, and what is accepted of one that was held is what is built next: nothing is built
  // because of either.
  if (life.hasSlips || (wasHeld && revision !== life.revisions.at(-1))) life.built = routesOf(life);
}

export const rollBack = deed({
  weight: 3,
  drawn: fc.record({ pick }),
  can: (life) => life.choices('ready').length > 0,
  async run(walk, { pick: number }) {
    const revision = chosen(walk.life.choices('ready'), number);
    walk.tell(`roll back to revision ${revision.number}`);
    await walk.post(`/v1/revisions/${revision.id}/rollback`);
    return { revision };
  },
});

export const prune = deed({
  weight: 2,
  drawn: fc.constant(null),
  can: ({ revisions }) => revisions.length > 0,
  async run(walk) {
    walk.tell('two months later: prune');
    const age = (days: number): Promise<unknown> =>
      walk.sql(
        'UPDATE revision SET created_at = created_at - make_interval(days => $2) WHERE tenant_id = $1',
        [walk.tenantId, days],
      );
    await age(60);
    await walk.post('/v1/revisions/prune');
    await walk.jobsEnd();
    // What is left is young again: the service prunes once a day by itself, which may be any moment.
    await age(-60);
    await forgetPruned(walk);
    return {};
  },
});

async function limit(walk: Walk, maximum: number): Promise<undefined> {
  walk.life.maxPrefixes = maximum;
  walk.tell(`settings: a revision of more than ${maximum} prefixes is held`);
  await walk.setting({ guard_max_prefixes: maximum });
}

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

export const override = deed({
  weight: 3,
  drawn: fc.record({ pick }),
  can: (life) => canApply(life, 'held'),
  async run(walk, { pick: number }) {
    const held = applicable(walk.life, 'held');
    await apply(walk, number % 2 === 0 ? held.at(-1)! : chosen(held, number >> 1));
    return {};
  },
});

export const applyReady = deed({
  weight: 3,
  drawn: fc.record({ pick }),
  can: (life) => canApply(life, 'ready'),
  async run(walk, { pick: number }) {
    const ready = walk.life.choices('ready');
    await apply(walk, number % 2 === 0 ? ready.at(-1)! : chosen(ready, number >> 1));
    return {};
  },
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

/** To one of the speakers alone: the other goes on with what it runs. */
export const applyToOne = deed({
  weight: 2,
  drawn: fc.record({ pick, speaker: pick }),
  can: (life) => canApply(life, 'ready'),
  async run(walk, { pick: number, speaker: other }) {
    const { life } = walk;
    const revision = chosen(life.choices('ready'), number);
    const speaker = chosen(
      life.speakers.filter(({ enabled }) => enabled),
      other,
    );
    const override = brokenBy(life, revision);
    walk.tell(`apply revision ${revision.number} to ${speaker.name} alone`);
    await walk.post(`/v1/speakers/${speaker.id}/apply`, {
      revision_id: revision.id,
      ...(override.length === 0 ? {} : { override, reason: 'the customer may announce this' }),
    });
    life.bring(speaker, revision);
    return {};
  },
});

const freeze = deed({
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
const unfreeze = deed({
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
const inFreeze = (during: readonly ReturnType<typeof deed>[]) => ({
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

export const twoBuilds = deed({
  weight: 2,
  drawn: fc.constant(null),
  can: () => true,
  async run(walk) {
    walk.tell('refresh all modules, and ask for two revisions, all at once');
    const builds = ['/v1/revisions', '/v1/revisions'].map((path) => walk.post(path));
    await Promise.all([...builds, walk.refresh(walk.life.modules)]);
    return { builds: true, collects: true };
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
  deed({
    weight: 1,
    drawn: fc.record({ pick }),
    can: (life) => life.choices().length > 0,
    async run(walk, { pick: number }) {
      const revision = chosen(walk.life.choices(), number);
      walk.tell(`revision ${revision.number}: ${revision.pinned ? 'let go of it' : 'pin it'}`);
      await walk.patch(`/v1/revisions/${revision.id}`, { pinned: !revision.pinned });
      revision.pinned = !revision.pinned;
      return {};
    },
  }),
  prune,
  deed({
    weight: 3,
    drawn: fc.constant(null),
    can: () => true,
    async run(walk) {
      walk.tell('ask for a revision');
      await walk.post('/v1/revisions');
      return { builds: true, collects: true };
    },
  }),
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

/** What is needed stays: the latest, what is pinned, and what a speaker runs. Whatever has gone has gone from the model. */
async function forgetPruned(walk: Walk): Promise<void> {
  const { life } = walk;
  const { items } = await walk.get<{ items: { id: string }[] }>('/v1/revisions?limit=500');
  const speakers = await walk.get<{ items: { applied_revision_id: string | null }[] }>('/v1/speakers');
  const running = new Set(speakers.items.map((speaker) => speaker.applied_revision_id));
  for (const revision of [...life.revisions]) {
    if (items.some(({ id }) => id === revision.id)) continue;
    if (revision.pinned || revision === life.latest || running.has(revision.id))
      throw new Contradiction(`Revision ${revision.number} was pruned, and it is needed`);
    life.revisions.splice(life.revisions.indexOf(revision), 1);
  }
}
