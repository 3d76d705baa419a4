/** What an operator does to revisions and speakers, and what befalls the service. */
import fc from 'fast-check';
import { chosen, deed, type Expected, inOneStep, pick } from '../deed.ts';
import { Contradiction, type Walk } from '../walk.ts';
import { moduleEdits } from './modules.ts';
import { peerEdits } from './peers.ts';
import { rangeEdits } from './ranges.ts';
import { answering } from './sources.ts';

export const rollBack = deed({
  weight: 3,
  drawn: fc.record({ pick }),
  can: (life) => life.revisions.some(({ state }) => state === 'ready'),
  async run(walk, { pick: number }) {
    const ready = walk.life.revisions.filter(({ state }) => state === 'ready');
    const revision = chosen(ready, number);
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

export const operationDeeds = [
  rollBack,
  deed({
    weight: 3,
    drawn: fc.record({ pick }),
    can: ({ revisions, speakers }) =>
      revisions.some(({ state }) => state === 'ready') && speakers.some(({ enabled }) => enabled),
    async run(walk, { pick: number }) {
      const { life } = walk;
      const ready = life.revisions.filter(({ state }) => state === 'ready');
      const revision = number % 2 === 0 ? ready.at(-1)! : chosen(ready, number >> 1);
      walk.tell(`apply revision ${revision.number}`);
      await walk.post('/v1/apply', { revision_id: revision.id });
      life.applied = revision;
      for (const speaker of life.speakers) if (speaker.enabled) speaker.applied = revision;
      return {};
    },
  }),
  deed({
    weight: 1,
    drawn: fc.record({ pick }),
    can: ({ revisions }) => revisions.length > 0,
    async run(walk, { pick: number }) {
      const revision = chosen(walk.life.revisions, number);
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
  deed({
    weight: 1,
    drawn: fc.constant(null),
    can: () => true,
    async run(walk) {
      const { life } = walk;
      walk.tell(`settings: applies ${life.autoApply ? 'on request only' : 'by themselves'}`);
      await walk.setting({ auto_apply: !life.autoApply });
      life.autoApply = !life.autoApply;
    },
  }),
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

/** Edits that follow each other before anything has come of them. */
export const coalescedDeeds = [
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
