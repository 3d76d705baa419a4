/** What plans and previews compare with: what routers have, or are being brought to, whatever has become of the last apply. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DiffSummary } from '../../../src/api/revisions/diff.ts';
import type { Effect } from '../../../src/api/revisions/plan.ts';
import type { RevisionPreview } from '../../../src/api/revisions/preview.ts';
import { measureEffect } from '../../../src/control/previews/effect.ts';
import type { TenantTx } from '../../../src/store/database/database.ts';
import { insertJob } from '../../../src/store/jobs/jobs.ts';
import { queueApplies } from '../../store/queue-applies.ts';
import { startService, type TestService } from '../service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const run = <T>(work: (tx: TenantTx) => Promise<T>): Promise<T> =>
  service.database.db.inTenant(service.tenant.id, work);

/** The path of the entries. */
let list: string;
/** A revision of two routes, and one that has withdrawn one of them. */
let [both, fewer]: readonly string[] = [];
let edge: string;

/** Builds the revision of what was edited. */
async function latest(): Promise<string> {
  const { queue, secrets } = service.dependencies;
  await run((tx) =>
    measureEffect(tx, { queue, secrets, actor: 'key:the operator' }, () => Promise.resolve()),
  );
  return String((await service.call('GET', '/v1/revisions/latest')).body.id);
}

beforeAll(async () => {
  const module = await service.make('/v1/modules', { name: 'ranges', type: 'IP_RANGES' });
  list = `/v1/modules/${module.id}/ip-range-entries`;
  await service.make(list, { cidr: '8.8.8.0/24' });
  const { id: second } = await service.make(list, { cidr: '9.9.9.0/24' });
  both = await latest();
  edge = String((await service.make('/v1/speakers', { name: 'edge', local_asn: 64512 })).id);
  await service.make('/v1/speakers', { name: 'far', local_asn: 64512 });
  await service.make('/v1/peers', {
    name: 'router',
    address: '192.0.2.9',
    remote_asn: 64500,
    speaker_ids: [edge],
  });
  await service.call('DELETE', `${list}/${second}`);
  fewer = await latest();
});

type State = 'queued' | 'running' | 'failed' | 'undoing' | 'undone' | 'succeeded';

interface Scene {
  readonly what: string;
  /** What the speaker runs by the last apply that ended. */
  readonly runs: 'both' | 'fewer';
  /** Applies of the revision with fewer routes, the oldest first. */
  readonly applies: readonly State[];
  readonly has: 'both' | 'fewer';
}

const SCENES: readonly Scene[] = [
  { what: 'one that waits for its turn', runs: 'both', applies: ['queued'], has: 'both' },
  { what: 'one that has begun', runs: 'both', applies: ['running'], has: 'fewer' },
  { what: 'one that failed', runs: 'both', applies: ['failed'], has: 'both' },
  { what: 'one that did not reach all peers', runs: 'fewer', applies: ['succeeded'], has: 'fewer' },
  { what: 'a canary that goes back', runs: 'fewer', applies: ['undoing'], has: 'both' },
  { what: 'a canary that went back before it had arrived', runs: 'both', applies: ['undoing'], has: 'both' },
  { what: 'a canary that has gone back', runs: 'both', applies: ['undone'], has: 'both' },
  {
    what: 'a canary that stays, since a newer one waits',
    runs: 'fewer',
    applies: ['undoing', 'queued'],
    has: 'fewer',
  },
  {
    what: 'a canary that goes back, since a newer one failed',
    runs: 'fewer',
    applies: ['undoing', 'failed'],
    has: 'both',
  },
];

test.each(SCENES)('compared with what routers have: $what', async ({ runs, applies, has }) => {
  const { database } = service;
  const idOf = { both, fewer };
  await database.admin('DELETE FROM speaker_apply');
  await database.admin('UPDATE speaker SET applied_revision_id = $1, applied_at = now()', [both]);
  await database.admin('UPDATE speaker SET applied_revision_id = $1 WHERE id = $2', [idOf[runs], edge]);
  for (const state of applies) {
    const job = await run((tx) =>
      insertJob(tx, { type: 'apply', input: {}, resource: null, requestedBy: 'cli', parentId: null }),
    );
    await run((tx) => queueApplies(tx, job.id, [{ speakerId: edge, revisionId: fewer! }]));
    await database.admin(
      "UPDATE speaker_apply SET state = $1, previous_revision_id = CASE WHEN $1 = 'queued' THEN NULL ELSE $2::uuid END, started_at = now() WHERE job_id = $3",
      [state, both, job.id],
    );
  }
  const gone = has === 'both' ? 1 : 0;
  const { body } = await service.call('POST', `${list}?dry_run=true`, { body: { cidr: '7.7.7.0/24' } });
  expect((body.effect as Effect).speakers).toMatchObject([
    {
      ...{ name: 'edge', announced: 1, withdrawn: gone, changed: 0 },
      peers: [{ before: { ipv4: 1 + gone }, after: { ipv4: 2 }, updated: 1, withdrawn: gone }],
    },
    // The other speaker has what it ran before, whatever becomes of this one.
    { name: 'far', announced: 1, withdrawn: 1, changed: 0 },
  ]);
  const preview = (await service.call('GET', `/v1/revisions/${fewer}/preview`))
    .body as unknown as RevisionPreview;
  expect(differenceAt(preview, 'edge')).toEqual({ announced: 0, withdrawn: gone, changed: 0 });
  expect(differenceAt(preview, 'far')).toEqual({ announced: 0, withdrawn: 1, changed: 0 });
});

function differenceAt({ speakers }: RevisionPreview, called: string): DiffSummary {
  return speakers.find(({ name }) => name === called)!.difference;
}
