/** What the scheduler does from time to time. */
import { beforeAll, describe, expect, test } from 'vitest';
import { claimTask } from '../../src/store/maintenance/periodic-tasks.ts';
import { performPeriodicTasks } from '../../src/control/maintenance/perform-periodic-tasks.ts';
import type { ScheduleTools } from '../../src/control/collection/schedule-refreshes.ts';
import { startScheduler } from '../../src/jobs/scheduler.ts';
import type { TenantTx } from '../../src/store/database/database.ts';
import { listJobs } from '../../src/store/jobs/jobs.ts';
import { silenceSessions } from '../../src/store/holding/sessions.ts';
import type { TestDatabase } from '../database.ts';
import { waitFor } from '../daemons/wait.ts';
import { jobsOf, newTenant, useScheduling } from './scheduling.ts';

const scheduling = useScheduling();
let database: TestDatabase;
let tools: ScheduleTools;
beforeAll(() => {
  ({ database, tools } = scheduling);
});

describe('periodic tasks', () => {
  test('are done once in their time, however many look', async () => {
    const { id, run } = await newTenant(scheduling);
    let done = 0;
    const perform = (tx: TenantTx): Promise<void> => {
      if (tx.tenantId === id) done++;
      return Promise.resolve();
    };
    const tasks = [{ name: 'test', everyMinutes: 60, perform }];
    await Promise.all([1, 2, 3, 4].map(() => performPeriodicTasks(tools, tasks)));
    expect(done).toBe(1);
    await database.admin("UPDATE duty SET done_at = done_at - interval '61 minutes' WHERE tenant_id = $1", [
      id,
    ]);
    await Promise.all([1, 2].map(() => performPeriodicTasks(tools, tasks)));
    expect(done).toBe(2);
    expect(await jobsOf(run)).toEqual([]);
  });

  test('one of a tenant that was deleted since is not done, and no fault', async () => {
    const gone = crypto.randomUUID();
    const duty = { name: 'late', everyMinutes: 60 };
    expect(await database.db.inTenant(gone, (tx) => claimTask(tx, duty))).toBe(false);
  });

  test('one that fails is not taken for done', async () => {
    const { id } = await newTenant(scheduling);
    let attempts = 0;
    const perform = (tx: TenantTx): Promise<void> =>
      tx.tenantId === id && ++attempts === 1 ? Promise.reject(new RangeError('not now')) : Promise.resolve();
    const tasks = [{ name: 'fails', everyMinutes: 60, perform }];
    for (let look = 0; look < 3; look++) await performPeriodicTasks(tools, tasks);
    expect(attempts).toBe(2);
  });

  test('the scheduler removes kept answers that are too old and leases that ran out long ago', async () => {
    const { id, run } = await newTenant(scheduling);
    const ids = { key: crypto.randomUUID(), speaker: crypto.randomUUID() };
    await database.admin(
      `INSERT INTO api_key (tenant_id, id, name, role, prefix, secret_hash)
       VALUES ($1, $2, 'k', 'viewer', 'p', sha256(gen_random_uuid()::text::bytea))`,
      [id, ids.key],
    );
    for (const [key, age] of [
      ['old', '25 hours'],
      ['new', '1 hour'],
    ])
      await database.admin(
        `INSERT INTO idempotency_key (tenant_id, api_key_id, key, request_hash, claim, created_at)
         VALUES ($1, $2, $3, sha256('x'), gen_random_uuid(), now() - $4::interval)`,
        [id, ids.key, key, age],
      );
    await database.admin("INSERT INTO speaker (tenant_id, id, name, local_asn) VALUES ($1, $2, 's', 64512)", [
      id,
      ids.speaker,
    ]);
    await database.admin(
      `INSERT INTO speaker_lease (tenant_id, speaker_id, holder, expires_at)
       VALUES ($1, $2, gen_random_uuid(), now() - interval '2 days')`,
      [id, ids.speaker],
    );
    const scheduler = startScheduler(tools);
    const keys = () =>
      database.admin<{ key: string }>('SELECT key FROM idempotency_key WHERE tenant_id = $1', [id]);
    await waitFor(async () => (await keys()).length === 1, { what: 'the old answer to go' });
    await scheduler.close();
    expect(await keys()).toEqual([{ key: 'new' }]);
    expect(await run((tx) => tx.sql.selectFrom('speaker_lease').selectAll().execute())).toEqual([]);
  });

  test('revisions that have outlived their retention are pruned by a job', async () => {
    const { id, run } = await newTenant(scheduling);
    await database.admin(
      `INSERT INTO revision (tenant_id, id, number, state, trigger, created_at)
       VALUES ($1, gen_random_uuid(), 1, 'failed', '{}', now() - interval '90 days')`,
      [id],
    );
    await performPeriodicTasks(tools);
    expect((await run((tx) => listJobs(tx, { type: 'revision_prune' }))).items).toMatchObject([
      { state: 'queued', requested_by: 'auto:scheduler' },
    ]);
  });
});

test('sessions whose holder went silent are written down as idle, those of a living one are not', async () => {
  const { id: tenantId, run } = await newTenant(scheduling);
  const [dead, alive, quick] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()];
  const peer = crypto.randomUUID();
  await database.admin(
    "INSERT INTO peer (tenant_id, id, name, address, remote_asn) VALUES ($1, $2, 'p', '192.0.2.1', 64500)",
    [tenantId, peer],
  );
  for (const [speaker, lease, reported] of [
    [dead, '-1 minute', '-1 minute'],
    [alive, '1 minute', '-1 minute'],
    [quick, '-1 minute', '0 minutes'],
  ] as const) {
    await database.admin(
      'INSERT INTO speaker (tenant_id, id, name, local_asn) VALUES ($1, $2, $2::uuid::text, 64512)',
      [tenantId, speaker],
    );
    await database.admin(
      'INSERT INTO speaker_lease (tenant_id, speaker_id, holder, expires_at) VALUES ($1, $2, gen_random_uuid(), now() + $3::interval)',
      [tenantId, speaker, lease],
    );
    await database.admin(
      `INSERT INTO speaker_session (tenant_id, speaker_id, peer_id, state, since, routes_exported, routes_received,
                                    updates_sent, reported_at)
       VALUES ($1, $2, $3, 'established', now() - interval '1 day', 9, 0, 9, now() + $4::interval)`,
      [tenantId, speaker, peer, reported],
    );
  }
  for (let look = 0; look < 2; look++) await database.db.inSystem(silenceSessions);
  const sessions = await run((tx) => tx.sql.selectFrom('speaker_session').selectAll().execute());
  const of = (speaker: string) => sessions.find(({ speaker_id: id }) => id === speaker)!;
  expect(of(dead)).toMatchObject({ state: 'idle', routes_exported: 0, since: of(dead).reported_at });
  expect(of(alive)).toMatchObject({ state: 'established', routes_exported: 9 });
  expect(of(quick)).toMatchObject({ state: 'established' });
  const query = "SELECT data FROM event WHERE tenant_id = $1 AND kind = 'session' ORDER BY entry";
  const events = await database.admin<{ data: object }>(query, [tenantId]);
  expect(events.slice(3).map(({ data }) => data)).toEqual([
    expect.objectContaining({ speaker_id: dead, peer_id: peer, state: 'idle' }),
  ]);
});
