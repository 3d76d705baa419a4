import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { changeTenant } from '../../src/control/tenants/tenants.ts';
import type { ControlContext } from '../../src/control/context.ts';
import type { JobHandler } from '../../src/control/job.ts';
import { SecretBox } from '../../src/store/secrets.ts';
import { POLLING, useWorkers } from './working.ts';

const working = useWorkers();
let context: ControlContext;
let manager: string;

beforeAll(async () => {
  context = {
    actor: 'key:test',
    role: 'super_admin',
    speakerId: null,
    firewallClientId: null,
    queue: working.queue,
    secrets: new SecretBox(Buffer.alloc(32, 5)),
    peerReach: { allow: [], own: [] },
    drivenDaemons: ['builtin'],
  };
  manager = await working.database.createTenant();
});

const setStatus = (id: string, status: 'active' | 'suspended') =>
  working.database.db.inTenant(manager, (tx) => changeTenant(tx, context, id, { status }, null));

const parked = async (tenantId: string): Promise<number> =>
  (
    await working.database.admin('SELECT 1 FROM job WHERE tenant_id = $1 AND parked_at IS NOT NULL', [
      tenantId,
    ])
  ).length;

test('jobs of a suspended tenant wait, those of others run, and each runs once when it is active again', async () => {
  const [tenantId, other] = [await working.database.createTenant(), await working.database.createTenant()];
  const jobs = [];
  for (let i = 0; i < 20; i++)
    jobs.push(await working.enqueue(tenantId, { type: i % 2 === 0 ? 'apply' : 'peer_reconcile' }));
  await setStatus(tenantId, 'suspended');
  const runs = new Map<string, number>();
  working.work(({ job }) => {
    runs.set(job.id, (runs.get(job.id) ?? 0) + 1);
    return Promise.resolve(() => Promise.resolve({}));
  });
  const free = await working.enqueue(other);
  await working.reached(other, free.id, 'succeeded');
  await expect.poll(() => parked(tenantId), POLLING).toBe(20);
  expect(jobs.some(({ id }) => runs.has(id))).toBe(false);
  expect((await working.read(tenantId, jobs[0]!.id)).attempt).toBe(0);
  await setStatus(tenantId, 'active');
  for (const { id } of jobs) await working.reached(tenantId, id, 'succeeded');
  expect(jobs.map(({ id }) => runs.get(id))).toEqual(jobs.map(() => 1));
});

test('a job that runs when its tenant is suspended stops, commits nothing, and runs again later', async () => {
  const tenantId = await working.database.createTenant();
  let stopped = 0;
  let mayEnd = false;
  working.work(async ({ signal, tenantId: own }) => {
    if (own === tenantId && !mayEnd)
      await sleep(600_000, undefined, { signal }).catch((error: unknown) => {
        stopped++;
        throw error;
      });
    return () => Promise.resolve({ done: true });
  });
  const job = await working.enqueue(tenantId);
  await working.reached(tenantId, job.id, 'running');
  await setStatus(tenantId, 'suspended');
  await expect.poll(() => parked(tenantId), POLLING).toBe(1);
  expect(stopped).toBe(1);
  expect(await working.read(tenantId, job.id)).toMatchObject({ state: 'queued', result: null });
  mayEnd = true;
  await setStatus(tenantId, 'active');
  await working.reached(tenantId, job.id, 'succeeded');
  expect(await working.read(tenantId, job.id)).toMatchObject({ attempt: 1, result: { done: true } });
});

test('a tenant that is active again brings back its own jobs, and none of one that is suspended still', async () => {
  const [tenantId, other] = [await working.database.createTenant(), await working.database.createTenant()];
  const [job, left] = [await working.enqueue(tenantId), await working.enqueue(other)];
  await setStatus(tenantId, 'suspended');
  await setStatus(other, 'suspended');
  const handler: JobHandler = () => Promise.resolve(() => Promise.resolve({}));
  const worker = working.work(handler);
  for (const id of [tenantId, other]) await expect.poll(() => parked(id), POLLING).toBe(1);
  // A worker would put it back at once.
  await worker.close();
  await setStatus(tenantId, 'active');
  expect([await parked(tenantId), await parked(other)]).toEqual([0, 1]);
  working.work(handler);
  await working.reached(tenantId, job.id, 'succeeded');
  expect(await working.read(other, left.id)).toMatchObject({ state: 'queued', attempt: 0 });
  await setStatus(other, 'active');
  await working.reached(other, left.id, 'succeeded');
});

test('a job that was cancelled meanwhile does not run', async () => {
  const tenantId = await working.database.createTenant();
  const job = await working.enqueue(tenantId);
  await setStatus(tenantId, 'suspended');
  const ran: string[] = [];
  working.work(({ job: { id } }) => {
    ran.push(id);
    return Promise.resolve(() => Promise.resolve({}));
  });
  await expect.poll(() => parked(tenantId), POLLING).toBe(1);
  await working.database.admin("UPDATE job SET state = 'cancelled', finished_at = now() WHERE id = $1", [
    job.id,
  ]);
  await setStatus(tenantId, 'active');
  const later = await working.enqueue(tenantId);
  await working.reached(tenantId, later.id, 'succeeded');
  expect(ran).toEqual([later.id]);
});
