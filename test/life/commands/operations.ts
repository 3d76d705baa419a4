/** What an operator does to revisions and speakers, and what befalls the service. */
import fc from 'fast-check';
import { chosen, deed, type Expected, pick } from '../deed.ts';
import { Contradiction, type Walk } from '../walk.ts';

export const rollBack = deed({
  weight: 3,
  drawn: fc.record({ pick }),
  can: (life) => life.revisions.some(({ state }) => state === 'ready'),
  async run(walk, { pick: number }) {
    const ready = walk.life.revisions.filter(({ state }) => state === 'ready');
    const revision = chosen(ready, number);
    walk.tell(`roll back to revision ${revision.number}`);
    await walk.post(`/v1/revisions/${revision.id}/rollback`);
    return { revision: revision.routes };
  },
});

export const prune = deed({
  weight: 2,
  drawn: fc.constant(null),
  can: ({ revisions }) => revisions.length > 0,
  async run(walk) {
    walk.tell('two months later: prune');
    await walk.sql(`UPDATE revision SET created_at = created_at - interval '60 days' WHERE tenant_id = $1`, [
      walk.tenantId,
    ]);
    await walk.post('/v1/revisions/prune');
    await walk.jobsEnd();
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
