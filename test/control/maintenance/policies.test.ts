import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Job } from '../../../src/api/activity/jobs.ts';
import type {
  MaintenanceEffect,
  MaintenancePolicy,
  MaintenancePolicyCreate,
} from '../../../src/api/operation/maintenance.ts';
import type { Asker } from '../../../src/control/access/home-tenant.ts';
import { createMaintenancePolicy, requestPolicyRun } from '../../../src/control/maintenance/policies.ts';
import { estimatePolicy } from '../../../src/control/maintenance/run-policy.ts';
import { schedulePolicies } from '../../../src/control/maintenance/schedule-policies.ts';
import { LogDirectory } from '../../../src/logs/log-directory.ts';
import { listAuditRecords, recordAudit } from '../../../src/store/audit/audit.ts';
import { listSentAttributes } from '../../../src/store/rollout/sent-attributes.ts';
import { insertIpRangeEntries } from '../../../src/store/entries/ip-range-entries.ts';
import { getJob, insertJob, listJobs } from '../../../src/store/jobs/jobs.ts';
import { deleteMaintenancePolicy, getMaintenancePolicy } from '../../../src/store/maintenance/policies.ts';
import { findLastApplyToAll } from '../../../src/store/rollout/rollouts.ts';
import { insertModule } from '../../../src/store/modules/modules.ts';
import { listRevisions, pinRevision } from '../../../src/store/revisions/revisions.ts';
import { putSettings } from '../../../src/store/tenants/settings.ts';
import { startPlane, type Plane } from '../plane.ts';

const ADMIN: Asker = { tenant: { slug: 'one-of-many' }, role: 'super_admin' };

let plane: Plane;
let path: string;
let logs: LogDirectory;
let made = 0;
beforeAll(async () => {
  path = mkdtempSync(join(tmpdir(), 'prefixcast-logs-'));
  logs = new LogDirectory(path);
  plane = await startPlane(logs);
  await plane.run((tx) => putSettings(tx, { auto_apply: false }));
});
afterAll(async () => {
  await plane?.close();
  rmSync(path, { recursive: true, force: true });
});

async function make(body: Omit<MaintenancePolicyCreate, 'name'>): Promise<MaintenancePolicy> {
  const whole = { name: `policy ${made++}`, ...body };
  return (await plane.run((tx) => createMaintenancePolicy(tx, ADMIN, whole))).resource;
}
const dryRun = (policy: MaintenancePolicy): Promise<MaintenanceEffect> =>
  plane.run((tx) => estimatePolicy(tx, policy, { logs }));
const ask = ({ id }: MaintenancePolicy): Promise<Job> =>
  plane.run((tx) => requestPolicyRun(tx, plane.context.queue, ADMIN, 'key:test', id));
const runNow = async (policy: MaintenancePolicy): Promise<unknown> => plane.succeeded(await ask(policy));
const read = async ({ id }: MaintenancePolicy): Promise<MaintenancePolicy> =>
  (await plane.run((tx) => getMaintenancePolicy(tx, id))).resource;
const recordsOf = async ({ id }: MaintenancePolicy) =>
  (await plane.run((tx) => listAuditRecords(tx, { policy_id: id }))).items;

test('job_prune removes what its dry run said: jobs that ended long ago, not those that wait, are new, or are of use', async () => {
  const policy = await make({ kind: 'job_prune', parameters: { older_than_days: 10, keep_last: 0 } });
  await runNow(policy);
  const job = (state: string, days: number, more: object = {}): Promise<string> =>
    plane.run(async (tx) => {
      const request = {
        type: 'revision_prune',
        input: {},
        resource: null,
        requestedBy: 'key:test',
        parentId: null,
      } as const;
      const { id } = await insertJob(tx, { ...request, ...more });
      await tx.sql
        .updateTable('job')
        .set({
          state: state as 'failed',
          finished_at: state === 'queued' ? null : new Date(Date.now() - days * 86_400_000).toISOString(),
        })
        .where('id', '=', id)
        .execute();
      return id;
    });
  const old = [await job('succeeded', 11), await job('failed', 12), await job('cancelled', 13)];
  const parent = await job('succeeded', 14);
  const kept = [
    parent,
    await job('succeeded', 9),
    await job('queued', 0, { parentId: parent }),
    await job('queued', 0),
  ];
  // The last run of another policy, which shows it.
  const other = await make({ kind: 'audit_prune' });
  const shown = await job('succeeded', 20, { resource: { type: 'maintenance_policy', id: other.id } });

  const said = await dryRun(policy);
  expect(said).toMatchObject({ kind: 'job_prune', dry_run: true, count: 3 });
  expect(said.names).toEqual(old.map((id) => `revision_prune ${id}`));
  const before = (await recordsOf(policy)).length;
  expect(await runNow(policy)).toEqual({ ...said, dry_run: false });
  for (const id of [...kept, shown]) expect(await plane.run((tx) => getJob(tx, id))).toBeTruthy();
  for (const id of old)
    await expect(plane.run((tx) => getJob(tx, id))).rejects.toMatchObject({ code: 'not_found' });
  expect((await recordsOf(policy)).slice(0, (await recordsOf(policy)).length - before)).toMatchObject([
    {
      action: 'job.prune',
      actor: 'key:test',
      severity: 'warning',
      changes: { after: { count: 3, names: said.names } },
    },
  ]);
  expect((await dryRun(policy)).count).toBe(0);
  expect((await read(other)).last_run).toMatchObject({ job_id: shown, state: 'succeeded' });
  await plane.database.admin(
    "UPDATE job SET state = 'cancelled', finished_at = now() WHERE state = 'queued'",
  );
});

test('of many a dry run names the first hundred, and a run reports how far it is', async () => {
  // Past the triggers, which take their time for each.
  await plane.database.admin(`DO $$ BEGIN
    SET LOCAL session_replication_role = replica;
    INSERT INTO job (tenant_id, id, type, state, input, finished_at)
    SELECT '${plane.tenantId}', gen_random_uuid(), 'revision_prune', 'succeeded', '{}', now() - interval '2000 days'
      FROM generate_series(1, 10150);
  END $$`);
  const policy = await make({ kind: 'job_prune', parameters: { older_than_days: 1_500, keep_last: 0 } });
  const said = await dryRun(policy);
  expect(said.count).toBe(10_150);
  expect(said.names).toHaveLength(100);
  const job = await ask(policy);
  expect(await plane.succeeded(job)).toEqual({ ...said, dry_run: false });
  expect((await plane.job(job.id)).progress).toMatchObject({ phase: 'remove', done: 10_150, total: 10_150 });
  // Some at a time, each with its record: together they say all of it.
  const counts = (await recordsOf(policy)).map(
    ({ changes }) => (changes?.after as { count?: number } | undefined)?.count,
  );
  expect(counts.sort((a, b) => Number(a) - Number(b))).toEqual([150, 10_000]);
});

test('job_prune keeps the newest, however old', async () => {
  const count = (await plane.run((tx) => listJobs(tx, { limit: 500 }))).items.length;
  await plane.database.admin(
    "UPDATE job SET finished_at = now() - interval '1000 days' WHERE finished_at IS NOT NULL",
  );
  const keeping = await make({ kind: 'job_prune', parameters: { older_than_days: 1, keep_last: count } });
  expect((await dryRun(keeping)).count).toBe(0);
  const keepingLess = await make({
    kind: 'job_prune',
    parameters: { older_than_days: 1, keep_last: count - 1 },
  });
  expect((await dryRun(keepingLess)).count).toBe(1);
});

test('audit_prune leaves what says which next hops a speaker has that got no others since', async () => {
  const policy = await make({ kind: 'audit_prune', parameters: { older_than_days: 30 } });
  const admin = (sql: string, values?: readonly unknown[]) => plane.database.admin(sql, values);
  const id = await plane.addCommunity('65000:30');
  const speaker = await plane.addSpeaker('frozen');
  const changes = { before: { next_hop_ipv4: '192.0.2.1' }, after: { next_hop_ipv4: '192.0.2.2' } };
  await plane.run((tx) =>
    recordAudit(tx, { actor: 'cli', action: 'community.change', resource: { id, name: 'thirty' }, changes }),
  );
  // Neither was there anything before it, nor is it of routes.
  for (const action of ['community.create', 'thing.change'] as const)
    await plane.run((tx) => recordAudit(tx, { actor: 'cli', action, resource: { id, name: 'thirty' } }));
  await admin("UPDATE audit_record SET at = now() - interval '31 days' WHERE resource_name = 'thirty'");
  const applied = (days: number): Promise<unknown> =>
    admin('UPDATE speaker SET applied_at = now() - make_interval(days => $2) WHERE id = $1', [
      speaker.id,
      days,
    ]);
  await applied(40);
  expect((await dryRun(policy)).count).toBe(2);
  await runNow(policy);
  const now = { id, next_hop_ipv4: '192.0.2.2', next_hop_ipv6: null };
  const sent = await plane.run((tx) => listSentAttributes(tx, { nextHops: [now], noExport: true }));
  expect(sent.get(speaker.id)?.nextHops).toEqual([{ ...now, next_hop_ipv4: '192.0.2.1' }]);
  await applied(20);
  expect((await dryRun(policy)).count).toBe(1);
  await runNow(policy);
});

test('audit_prune removes old records, except those that a portal has not been sent', async () => {
  const policy = await make({ kind: 'audit_prune', parameters: { older_than_days: 30 } });
  const admin = (sql: string, values?: readonly unknown[]) => plane.database.admin(sql, values);
  for (const name of ['one', 'two', 'three'])
    await plane.run((tx) => recordAudit(tx, { actor: 'cli', action: 'thing.create', resource: { name } }));
  await admin("UPDATE audit_record SET at = now() - interval '31 days' WHERE resource_type = 'thing'");
  await admin(
    "DELETE FROM audit_outbox USING audit_record r WHERE r.id = record_id AND r.resource_type = 'thing' AND resource_name = 'one'",
  );
  expect((await dryRun(policy)).count).toBe(3);
  await admin('INSERT INTO audit_delivery (tenant_id, lease_expires_at) VALUES ($1, now())', [
    plane.tenantId,
  ]);
  const said = await dryRun(policy);
  expect(said).toMatchObject({ count: 1, names: [expect.stringMatching(/^\d{4}-.*Z thing\.create$/)] });
  expect(await runNow(policy)).toEqual({ ...said, dry_run: false });
  const left = await plane.run((tx) => listAuditRecords(tx, { resource_type: 'thing' }));
  expect(left.items.map(({ resource }) => resource.name).sort()).toEqual(['three', 'two']);
  expect(await recordsOf(policy)).toMatchObject([{ action: 'audit.prune', policy_id: policy.id }]);
});

test('revision_prune keeps the newest, the pinned, the held and the applied', async () => {
  const module = await plane.run((tx) => insertModule(tx, { name: 'ranges', type: 'IP_RANGES' }));
  const { id: moduleId } = module.resource;
  const ids: string[] = [];
  for (let n = 0; n < 7; n++) {
    await plane.run((tx) => insertIpRangeEntries(tx, moduleId, [{ cidr: `20.0.${n}.0/24` }], () => ''));
    ids.push(String((await plane.succeeded(await plane.refresh(moduleId))).revision_id));
  }
  await plane.database.admin("UPDATE revision SET created_at = now() - interval '31 days'");
  await plane.database.admin("UPDATE revision SET state = 'held' WHERE id = $1", [ids[1]]);
  await plane.run((tx) => pinRevision(tx, ids[2]!, true, null));
  const { id: speakerId } = await plane.addSpeaker('runs an old one');
  await plane.database.admin('UPDATE speaker SET applied_revision_id = $1 WHERE id = $2', [
    ids[4],
    speakerId,
  ]);
  const numbers = async (): Promise<number[]> =>
    (await plane.run((tx) => listRevisions(tx, {}))).items.map(({ number }) => number).sort((a, b) => a - b);
  const all = await numbers();
  const policy = await make({ kind: 'revision_prune', parameters: { older_than_days: 30, keep_last: 2 } });
  const said = await dryRun(policy);
  expect(said.names).toEqual([all[0], all[3]].map((number) => `revision ${number}`));
  expect(await numbers()).toEqual(all);
  expect(await runNow(policy)).toEqual({ ...said, dry_run: false });
  expect(await numbers()).toEqual([all[1], all[2], all[4], all[5], all[6]]);
});

test('runtime_logs_cleanup cleans by its own limits, else by the settings', async () => {
  writeFileSync(join(path, 'a.log'), 'four');
  const policy = await make({ kind: 'runtime_logs_cleanup', parameters: { max_file_bytes: 3 } });
  expect((await dryRun(await make({ kind: 'runtime_logs_cleanup' }))).count).toBe(0);
  const said = await dryRun(policy);
  expect(said).toMatchObject({ count: 1, bytes: 4, names: ['a.log'] });
  expect(await runNow(policy)).toEqual({ ...said, dry_run: false });
  expect(statSync(join(path, 'a.log')).size).toBe(0);
  expect(await recordsOf(policy)).toMatchObject([{ action: 'runtime_logs.clean', actor: 'key:test' }]);
});

test('a run of a policy that was deleted meanwhile fails, and says why', async () => {
  const policy = await make({ kind: 'job_prune' });
  // In one transaction, so that no worker is quicker.
  const job = await plane.run(async (tx) => {
    const asked = await requestPolicyRun(tx, plane.context.queue, ADMIN, 'key:test', policy.id);
    await deleteMaintenancePolicy(tx, policy.id, null);
    return asked;
  });
  expect(await plane.ended(job)).toMatchObject({ state: 'failed', error: { code: 'not_found' } });
});

test('what is due runs once however many look, and once for all times that were missed', async () => {
  // Half a day from now: it must not become due by itself meanwhile.
  const hour = (new Date().getUTCHours() + 12) % 24;
  const policy = await make({ kind: 'job_prune', schedule: `*/5 ${hour} * * *` });
  expect(policy.next_run_at).toMatch(/T\d\d:00:00\.000Z$/);
  expect(new Date(policy.next_run_at!).getUTCHours()).toBe(hour);
  const tools = {
    ...{ db: plane.database.db, queue: plane.context.queue },
    onFault: (_: string | null, error: unknown): void => {
      throw error;
    },
  };
  const look = (): Promise<void[]> => Promise.all([1, 2, 3].map(() => schedulePolicies(tools)));
  const runs = async (): Promise<Job[]> =>
    (await plane.run((tx) => listJobs(tx, { resource_id: policy.id }))).items;
  await look();
  expect(await runs()).toEqual([]);
  await plane.database.admin(
    "UPDATE maintenance_policy SET next_run_at = now() - interval '3 days' WHERE id = $1",
    [policy.id],
  );
  await look();
  await look();
  const [run, ...more] = await runs();
  expect(more).toEqual([]);
  await plane.succeeded(run!);
  const after = await read(policy);
  expect(after.next_run_at).toBe(policy.next_run_at);
  expect(after.last_run).toMatchObject({ job_id: run!.id, state: 'succeeded' });
  expect(run).toMatchObject({ type: 'maintenance_policy_run', requested_by: 'auto:scheduler' });
  expect(await recordsOf(policy)).toContainEqual(
    expect.objectContaining({
      action: 'maintenance_policy.run',
      actor: 'auto:scheduler',
      policy_id: policy.id,
    }),
  );
});

test('job_prune keeps the last apply to all speakers, which new nodes go by', async () => {
  const module = await plane.run((tx) => insertModule(tx, { name: 'applied', type: 'IP_RANGES' }));
  const { id: moduleId } = module.resource;
  await plane.run((tx) => insertIpRangeEntries(tx, moduleId, [{ cidr: '21.0.0.0/24' }], () => ''));
  const revisionId = String((await plane.succeeded(await plane.refresh(moduleId))).revision_id);
  const apply = async (state: string, speakerIds: string[] | null): Promise<string> => {
    const { id } = await plane.run((tx) =>
      insertJob(tx, {
        ...{ type: 'apply', requestedBy: 'key:test', parentId: null },
        input: { revision_id: revisionId, speaker_ids: speakerIds },
        resource: { type: 'revision', id: revisionId },
      }),
    );
    await plane.database.admin(
      "UPDATE job SET state = $2, finished_at = now() - interval '90 days' WHERE id = $1",
      [id, state],
    );
    return id;
  };
  const older = await apply('succeeded', null);
  const last = await apply('succeeded', null);
  const others = [await apply('failed', null), await apply('succeeded', [])];
  const policy = await make({ kind: 'job_prune', parameters: { older_than_days: 60, keep_last: 0 } });
  await runNow(policy);
  for (const id of [older, ...others])
    await expect(plane.run((tx) => getJob(tx, id))).rejects.toMatchObject({ code: 'not_found' });
  expect((await plane.run((tx) => getJob(tx, last))).resource.state).toBe('succeeded');
  expect(await plane.run(findLastApplyToAll)).toBe(revisionId);
});
