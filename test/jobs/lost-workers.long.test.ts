/** Workers that stop, die or lose their connections: their jobs are taken up again, and ended once. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { JobHandler } from '../../src/control/job.ts';
import { putSettings, getSetting } from '../../src/store/tenants/settings.ts';
import { useWorkers } from './working.ts';

const jobs = useWorkers();

/** Waits for the abort and rejects with its reason, like fetch and timers do. */
const hang: JobHandler = async ({ signal }) => {
  await sleep(600_000, undefined, { signal });
  return () => Promise.resolve({});
};

test('a worker that stops puts its job back, and another takes it up as if nothing had been', async () => {
  const tenantId = await jobs.database.createTenant();
  const first = jobs.work(hang);
  const job = await jobs.enqueue(tenantId);
  await jobs.reached(tenantId, job.id, 'running');
  await first.close();
  expect(await jobs.read(tenantId, job.id)).toMatchObject({ state: 'queued', attempt: 0 });
  jobs.work(() => Promise.resolve(() => Promise.resolve({})));
  expect(await jobs.reached(tenantId, job.id, 'succeeded')).toMatchObject({ attempt: 1 });
});

test('the job of a killed worker process is taken up again', async () => {
  const tenantId = await jobs.database.createTenant();
  const program = fileURLToPath(new URL('worker-process.ts', import.meta.url));
  const child = spawn(process.execPath, [program, JSON.stringify(jobs.database.address)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  const job = await jobs.enqueue(tenantId);
  await jobs.reached(tenantId, job.id, 'running');
  child.kill('SIGKILL');
  await once(child, 'exit');
  jobs.work(() => Promise.resolve(() => Promise.resolve({ again: true })));
  expect(await jobs.reached(tenantId, job.id, 'succeeded')).toMatchObject({
    attempt: 2,
    result: { again: true },
  });
});

test('a run that has lost its job cannot end it', async () => {
  const tenantId = await jobs.database.createTenant();
  const gate = Promise.withResolvers<void>();
  const worker = jobs.work(async () => {
    await gate.promise;
    return async (tx) => {
      await putSettings(tx, { auto_apply: false });
      return { from: 'the old run' };
    };
  });
  const job = await jobs.enqueue(tenantId);
  await jobs.reached(tenantId, job.id, 'running');
  await jobs.database.admin('UPDATE job SET holder = gen_random_uuid() WHERE id = $1', [job.id]);
  gate.resolve();
  await worker.close();
  expect(await jobs.read(tenantId, job.id)).toMatchObject({ state: 'running', result: null });
  expect(await jobs.database.db.inTenant(tenantId, (tx) => getSetting(tx, 'auto_apply'))).toBe(true);
});

test('a job whose every worker dies is given up', async () => {
  const tenantId = await jobs.database.createTenant();
  const job = await jobs.enqueue(tenantId);
  await jobs.database.admin(
    "UPDATE job SET attempt = 3, state = 'running', holder = gen_random_uuid() WHERE id = $1",
    [job.id],
  );
  jobs.work(() => Promise.resolve(() => Promise.resolve({})));
  const failed = await jobs.reached(tenantId, job.id, 'failed');
  expect(failed.error?.detail).toContain('worker died');
});

test('connections that break in the middle of a job cost an attempt, not the job', async () => {
  const tenantId = await jobs.database.createTenant();
  let runs = 0;
  jobs.work(async ({ db, tenantId: own }) => {
    if (own === tenantId && ++runs === 1) {
      await db.inTenant(tenantId, async (tx) => {
        await getSetting(tx, 'auto_apply');
        await jobs.database.dropConnections();
        await getSetting(tx, 'auto_apply');
      });
    }
    return () => Promise.resolve({ runs });
  });
  const job = await jobs.enqueue(tenantId);
  expect(await jobs.reached(tenantId, job.id, 'succeeded')).toMatchObject({ result: { runs: 2 } });
});
