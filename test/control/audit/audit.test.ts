import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AuditRecord } from '../../../src/api/activity/audit.ts';
import { createCdnSources } from '../../../src/control/entries/cdn-sources.ts';
import { createIpRangeEntries } from '../../../src/control/entries/ip-range-entries.ts';
import { createModule } from '../../../src/control/lists/modules.ts';
import { performPeriodicTasks } from '../../../src/control/maintenance/perform-periodic-tasks.ts';
import { SCHEDULER } from '../../../src/control/actor.ts';
import { requestRefresh } from '../../../src/control/collection/refresh-module.ts';
import { changeSettings } from '../../../src/control/tenants/settings.ts';
import { bootstrap } from '../../../src/store/tenants/bootstrap.ts';
import { mintApiKey } from '../../../src/store/keys/api-key-secret.ts';
import { listAuditRecords } from '../../../src/store/audit/audit.ts';
import { startPlane, type Plane } from '../plane.ts';

let plane: Plane;
beforeAll(async () => {
  plane = await startPlane();
});
afterAll(() => plane.close());

const readAuditLog = async (action: string): Promise<AuditRecord[]> =>
  (await plane.run((tx) => listAuditRecords(tx, { action }))).items;

async function addRange(moduleId: string, cidr: string): Promise<void> {
  await plane.run((tx) => createIpRangeEntries(tx, moduleId, [{ cidr }], () => ''));
}

test('a refresh that ends in a new content is reported with its revision, one that changes nothing is not', async () => {
  const { resource: module } = await plane.run((tx) => createModule(tx, { name: 'r', type: 'IP_RANGES' }));
  await addRange(module.id, '11.0.0.0/24');
  const job = await plane.refresh(module.id);
  const { revision_id: id } = await plane.succeeded(job);
  expect(await readAuditLog('revision.create')).toMatchObject([
    {
      actor: 'key:test',
      severity: 'info',
      resource: { type: 'revision', id, name: '1' },
      changes: {
        before: null,
        after: {
          ...{ number: 1, state: 'ready', module_id: module.id, prefix_count: { ipv4: 1, ipv6: 0 } },
          apply_job_id: null,
        },
      },
      request_id: null,
    },
  ]);
  await plane.succeeded(await plane.refresh(module.id));
  expect(await readAuditLog('revision.create')).toHaveLength(1);

  await addRange(module.id, '12.0.0.0/24');
  const { queue } = plane.context;
  await plane.succeeded(await plane.run((tx) => requestRefresh(tx, queue, module.id, SCHEDULER)));
  expect((await readAuditLog('revision.create')).map(({ actor }) => actor)).toEqual([
    'auto:scheduler',
    'key:test',
  ]);
});

test('a revision that a guardrail holds is a warning with the guardrails that it breaks', async () => {
  await plane.run((tx) => changeSettings(tx, { guard_scope: 'revision' }));
  const { resource: module } = await plane.run((tx) => createModule(tx, { name: 'h', type: 'IP_RANGES' }));
  await addRange(module.id, '16.0.0.0/7');
  await plane.succeeded(await plane.refresh(module.id));
  expect((await readAuditLog('revision.create'))[0]).toMatchObject({
    severity: 'warning',
    changes: { after: { state: 'held', findings: ['prefix_too_short'] } },
  });
});

test('a job that fails permanently is a warning with its error, signed by who asked for it', async () => {
  const job = await plane.run(async (tx) => {
    const { resource: module } = await createModule(tx, { name: 'gone', type: 'CDN_SOURCES' });
    const source = { name: 'gone', url: `${plane.lists.origin}/gone` };
    await createCdnSources(tx, plane.context, module.id, [source], () => '');
    return requestRefresh(tx, plane.context.queue, module.id, 'key:ops');
  });
  const ended = await plane.ended(job);
  expect(ended.state).toBe('failed');
  expect(await readAuditLog('job.fail')).toMatchObject([
    {
      actor: 'key:ops',
      severity: 'warning',
      resource: { type: 'job', id: job.id, name: 'module_refresh' },
      changes: { after: { type: 'module_refresh', resource: job.resource, error: ended.error } },
    },
  ]);
});

test('a prune by the clock is signed by the scheduler', async () => {
  await plane.run((tx) => changeSettings(tx, { revision_retention_minutes: 1 }));
  await plane.database.admin("UPDATE revision SET created_at = created_at - interval '1 day'");
  const tools = { db: plane.database.db, queue: plane.context.queue, onFault: () => undefined };
  await performPeriodicTasks(tools);
  await performPeriodicTasks(tools);
  expect(await readAuditLog('revision.prune')).toMatchObject([
    {
      actor: 'auto:scheduler',
      severity: 'warning',
      changes: { after: { job_id: expect.any(String) as string } },
    },
  ]);
});

test('the first start is reported by cli: tenant, speaker and key, without the key', async () => {
  const { secret, prefix } = mintApiKey('super_admin');
  const { db } = plane.database;
  const { tenant } = await db.inSystem((tx) => bootstrap(tx, secret, false));
  await db.inSystem((tx) => bootstrap(tx, secret, true));
  const { items } = await db.inTenant(tenant.id, (tx) => listAuditRecords(tx, {}));
  expect(items.map(({ actor, action, resource }) => [actor, action, resource.name])).toEqual([
    ['cli', 'api_key.create', 'bootstrap'],
    ['cli', 'speaker.create', 'builtin'],
    ['cli', 'tenant.create', 'Default'],
  ]);
  expect(items[0]!.changes.after).toMatchObject({ role: 'super_admin', prefix });
  expect(JSON.stringify(items)).not.toContain(secret);
});
