/** What an operator does to revisions: apply, override, roll back, pin, prune, and ask for one. */
import fc from 'fast-check';
import { chosen, deed, pick } from '../deed.ts';
import { accept, takeBack } from '../conclude.ts';
import type { RevisionModel } from '../model.ts';
import type { Life } from '../life.ts';
import { brokenBy } from '../guardrails.ts';
import { routesOf } from '../oracle.ts';
import { Contradiction, type Walk } from '../walk.ts';

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

export const pinning = deed({
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
});

/** @param weight how often somebody asks */
export const askForRevision = (weight: number): ReturnType<typeof deed> =>
  deed({
    weight,
    drawn: fc.constant(null),
    can: () => true,
    async run(walk) {
      walk.tell('ask for a revision');
      await walk.post('/v1/revisions');
      return { builds: true, collects: true };
    },
  });

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
