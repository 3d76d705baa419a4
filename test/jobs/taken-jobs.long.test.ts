/** Jobs that are taken away from a worker that lives: on a machine with too much to do, its heartbeats come late. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { startJob } from '../../src/store/jobs/job-runs.ts';
import { useWorkers } from './working.ts';

const jobs = useWorkers();

test.each(['ends', 'stops'])(
  'a worker that finds as it %s that another has taken its job is no death: it takes the attempt back that was counted',
  async (when) => {
    const tenantId = await jobs.database.createTenant();
    const gate = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    const worker = jobs.work(async () => {
      await gate.promise;
      setImmediate(() => ended.resolve());
      return () => Promise.resolve({});
    });
    const { id } = await jobs.enqueue(tenantId);
    await jobs.reached(tenantId, id, 'running');
    // As another process does to which the message of a worker without heartbeats is delivered.
    const taken = await jobs.database.db.inTenant(tenantId, (tx) => startJob(tx, id, randomUUID()));
    expect(taken?.job.attempt).toBe(2);
    if (when === 'ends') {
      gate.resolve();
      await ended.promise;
    }
    const closing = worker.close();
    gate.resolve();
    await closing;
    expect(await jobs.read(tenantId, id)).toMatchObject({ state: 'running', attempt: 1 });
  },
  120_000,
);
