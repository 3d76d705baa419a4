/** Jobs that pause occupy no worker meanwhile, and go on where they were. */
import { expect, test } from 'vitest';
import { JobPause } from '../../src/control/job.ts';
import { requestJobCancel } from '../../src/store/jobs/jobs.ts';
import { POLLING, useWorkers } from './working.ts';

const jobs = useWorkers();

test('a job that pauses gives its place to others, and goes on in the same run with what it reported', async () => {
  const tenantId = await jobs.database.createTenant();
  let runs = 0;
  jobs.work(({ job }) => {
    runs++;
    if (runs < 3) throw new JobPause(1, { phase: 'wait', done: runs, total: 2 });
    return Promise.resolve(() => Promise.resolve({ reported: job.progress }));
  });
  const { id } = await jobs.enqueue(tenantId);
  const holder = async () => (await jobs.database.admin('SELECT holder FROM job WHERE id = $1', [id]))[0];
  await expect.poll(async () => (await jobs.read(tenantId, id)).progress, POLLING).toMatchObject({ done: 1 });
  expect(await jobs.read(tenantId, id)).toMatchObject({ state: 'running', attempt: 1 });
  expect(await holder()).toEqual({ holder: null });
  const reported = { phase: 'wait', done: 2, total: 2 };
  expect(await jobs.reached(tenantId, id, 'succeeded')).toMatchObject({ attempt: 1, result: { reported } });
});

test('a job that pauses has as many attempts after each pause as before the first', async () => {
  const tenantId = await jobs.database.createTenant();
  let runs = 0;
  jobs.work(() => {
    runs++;
    if (runs === 9) return Promise.resolve(() => Promise.resolve({}));
    throw runs % 2 === 0
      ? new RangeError('unexpected')
      : new JobPause(1, { phase: 'wait', done: runs, total: 8 });
  });
  const { id } = await jobs.enqueue(tenantId);
  await expect.poll(async () => (await jobs.read(tenantId, id)).finished_at, POLLING).not.toBeNull();
  expect(await jobs.read(tenantId, id)).toMatchObject({ state: 'succeeded', error: null });
});

test('a job that pauses ends where somebody cancels it meanwhile', async () => {
  const tenantId = await jobs.database.createTenant();
  jobs.work(() => Promise.reject(new JobPause(1, { phase: 'wait', done: 0, total: null })));
  const { id } = await jobs.enqueue(tenantId);
  await expect.poll(async () => (await jobs.read(tenantId, id)).progress, POLLING).not.toBeNull();
  await jobs.database.db.inTenant(tenantId, (tx) => requestJobCancel(tx, id));
  expect(await jobs.reached(tenantId, id, 'cancelled')).toMatchObject({ error: null });
});
