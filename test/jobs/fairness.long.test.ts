import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import type { JobType } from '../../src/api/activity/jobs.ts';
import type { JobHandler } from '../../src/control/job.ts';
import type { TenantTx } from '../../src/store/database/database.ts';
import { useWorkers } from './working.ts';

const jobs = useWorkers();

const MANY = 10_000;

/** This many jobs at once, as those are made that waited for a suspended tenant. */
async function flood(tx: TenantTx, many = MANY, type: JobType = 'apply'): Promise<void> {
  const rows = Array.from({ length: many }, () => ({ tenant_id: tx.tenantId, id: uuidv7(), type }));
  for (let at = 0; at < many; at += 1000)
    await tx.sql
      .insertInto('job')
      .values(rows.slice(at, at + 1000).map((row) => ({ ...row, input: '{}' })))
      .execute();
  await jobs.queue.resend(tx, rows);
}

test('a tenant with 64 slow jobs leaves places to another, whose job starts at once', async () => {
  const [busy, quiet] = await Promise.all([1, 2].map(() => jobs.database.createTenant()));
  const running = new Map<string, number>();
  const released = Promise.withResolvers<void>();
  let most = 0;
  const slow: JobHandler = async ({ tenantId }) => {
    running.set(tenantId, (running.get(tenantId) ?? 0) + 1);
    most = Math.max(most, running.get(busy!) ?? 0);
    if (tenantId === busy) await released.promise;
    return () => Promise.resolve({});
  };
  jobs.work(slow);
  try {
    // All places are free, and all of them look for a job at the same moment.
    await jobs.database.db.inTenant(busy!, (tx) => flood(tx, 64));
    await expect.poll(() => running.get(busy!)).toBeGreaterThanOrEqual(2);
    for (let n = 1; n <= 5; n++) {
      await jobs.enqueue(quiet!);
      await expect.poll(() => running.get(quiet!)).toBe(n);
    }
    expect(most).toBe(2);
  } finally {
    released.resolve();
  }
  // What was put back, because the places of its tenant were taken, is not lost.
  const open = () =>
    jobs.database.admin("SELECT FROM job WHERE tenant_id = $1 AND state <> 'succeeded'", [busy]);
  await expect.poll(async () => (await open()).length).toBe(0);
});

test('10,000 jobs of one tenant do not stand before those of others', async () => {
  const [busy, early, late] = await Promise.all([1, 2, 3].map(() => jobs.database.createTenant()));
  await jobs.database.db.inTenant(busy!, (tx) => flood(tx));
  await jobs.enqueue(early!);
  const order: string[] = [];
  const handler: JobHandler = ({ tenantId }) => {
    order.push(tenantId);
    return Promise.resolve(() => Promise.resolve({}));
  };
  jobs.work(handler);
  const begun = (tenantId: string) => order.includes(tenantId);
  // The last of all in the queue, among the first to start.
  await expect.poll(() => begun(early!)).toBe(true);
  expect(order.indexOf(early!)).toBeLessThan(50);
  // And one that comes while the others run; what starts before it is noticed is all that stands before it.
  const before = order.length;
  await jobs.enqueue(late!);
  await expect.poll(() => begun(late!)).toBe(true);
  expect(order.indexOf(late!) - before).toBeLessThan(1000);
});

test('two tenants whose jobs hang do not keep others waiting', async () => {
  const tenants = await Promise.all(Array.from({ length: 6 }, () => jobs.database.createTenant()));
  await jobs.database.admin('DELETE FROM pgboss.job'); // what the test before has left
  const [first, second, ...others] = tenants as [string, string, ...string[]];
  const released = Promise.withResolvers<void>();
  const begun: string[] = [];
  const handler: JobHandler = async ({ tenantId }) => {
    begun.push(tenantId);
    if (tenantId === first || tenantId === second) await released.promise;
    return () => Promise.resolve({});
  };
  jobs.work(handler);
  try {
    for (const tenant of [first, second]) await jobs.database.db.inTenant(tenant, (tx) => flood(tx, 4));
    await expect.poll(() => begun.length).toBe(4);
    for (const tenant of others) await jobs.enqueue(tenant);
    await expect.poll(() => others.every((tenant) => begun.includes(tenant))).toBe(true);
    expect(begun.filter((tenant) => tenant === first || tenant === second)).toHaveLength(4);
  } finally {
    released.resolve();
  }
  await expect.poll(() => begun.length).toBe(8 + others.length);
});

test('tenants with many jobs, more of them than there are places, do not stand before another', async () => {
  const loud = await Promise.all(Array.from({ length: 14 }, () => jobs.database.createTenant()));
  const quiet = await jobs.database.createTenant();
  const type = 'revision_prune'; // nothing of it is left of other tests
  const first = await jobs.enqueue(loud[0]!, { type });
  for (const tenant of loud) await jobs.database.db.inTenant(tenant, (tx) => flood(tx, 40, type));
  const order: { tenantId: string; id: string }[] = [];
  const asked: string[] = [];
  const handler: JobHandler = async ({ tenantId, job: { id } }) => {
    order.push({ tenantId, id });
    // While the others work, again and again: a stream of jobs, each of which is the first of its tenant.
    if (order.length % 100 === 0) asked.push((await jobs.enqueue(quiet, { type })).id);
    return () => Promise.resolve({});
  };
  const worker = jobs.work(handler);
  await expect.poll(() => order.length).toBeGreaterThanOrEqual(1 + 14 * 40 + 5);
  await worker.close();
  expect(order.findIndex(({ id }) => id === first.id)).toBeLessThan(20);
  for (const [index, id] of asked.slice(0, 4).entries()) {
    const waited = order.findIndex((one) => one.id === id) - (index + 1) * 100;
    // One of each of the others that is as far as this tenant, and what ran when it was asked for.
    expect(waited).toBeLessThan(60);
  }
  // Nor do some of the loud ones wait for the others.
  const places = loud.map((tenant) =>
    order.flatMap(({ tenantId }, place) => (tenantId === tenant ? [place] : [])),
  );
  expect(Math.max(...places.map((all) => all[9]!))).toBeLessThan(Math.min(...places.map((all) => all[35]!)));
});
