/** A worker on a machine with too much to do: the messages of runs that go on are delivered once more. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { useWorkers } from './working.ts';

// What is delivered again waits longer each time.
const POLLING = { timeout: 150_000, interval: 500 };

const jobs = useWorkers();

test('a run whose heartbeats come late again and again is no dead worker', async () => {
  const tenantId = await jobs.database.createTenant();
  const gate = Promise.withResolvers<void>();
  let runs = 0;
  jobs.work(async ({ signal }) => {
    const run = ++runs;
    // Until the gate is opened, or the job is taken away from it.
    await Promise.race([gate.promise, sleep(600_000, undefined, { signal })]);
    return () => Promise.resolve({ run });
  });
  const { id } = await jobs.enqueue(tenantId);
  await jobs.reached(tenantId, id, 'running');
  const message = async (): Promise<{ state: string; retry_count: number }> =>
    (
      await jobs.database.admin<{ state: string; retry_count: number }>(
        "SELECT state::text, retry_count FROM pgboss.job WHERE data ->> 'job_id' = $1",
        [id],
      )
    )[0]!;
  // As often as deaths of a worker end a job.
  for (const deliveries of [1, 2, 3]) {
    const isDelivered = async (): Promise<boolean> => {
      await jobs.database.admin(
        "UPDATE pgboss.job SET heartbeat_on = now() - interval '1 hour' WHERE data ->> 'job_id' = $1 AND retry_count < $2",
        [id, deliveries],
      );
      const { state, retry_count: count } = await message();
      return state === 'active' && count === deliveries;
    };
    await expect.poll(isDelivered, POLLING).toBe(true);
  }
  gate.resolve();
  expect(await jobs.reached(tenantId, id, 'succeeded')).toMatchObject({ attempt: 1, result: { run: 1 } });
  await expect.poll(async () => (await message()).state, POLLING).toBe('completed');
}, 600_000);
