/** Jobs without a message, as an earlier version left some: a worker that starts has them done. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { queueOf } from '../../src/jobs/queue.ts';
import { resumeLostJobs } from '../../src/jobs/resume-lost-jobs.ts';
import { useWorkers } from './working.ts';

const working = useWorkers();

test('a refresh that was left in the queue for ever is done after the next start', async () => {
  const { database, boss } = working;
  const tenantId = await database.createTenant();
  const resource = { type: 'module', id: randomUUID() } as const;
  const lost = await working.enqueue(tenantId, { type: 'module_refresh', resource });
  await boss.deleteQueuedJobs(queueOf('module_refresh'));
  const known = await working.enqueue(tenantId, { type: 'module_refresh', resource });
  const parked = await working.enqueue(tenantId);
  await boss.deleteQueuedJobs(queueOf('apply'));
  await database.admin('UPDATE job SET parked_at = now() WHERE id = $1', [parked.id]);

  await resumeLostJobs(database.db, boss);
  const messages = await database.admin(
    "SELECT data ->> 'job_id' AS id FROM pgboss.job WHERE state < 'completed' ORDER BY 1",
  );
  // One that has a message gets no second one, and a parked one waits for its tenant.
  expect(messages).toEqual([lost.id, known.id].sort().map((id) => ({ id })));
  working.work(() => Promise.resolve(() => Promise.resolve({})));
  await working.reached(tenantId, lost.id, 'succeeded');
  await working.reached(tenantId, known.id, 'succeeded');
  // Nothing is left to send.
  await resumeLostJobs(database.db, boss);
  expect(await database.admin("SELECT FROM pgboss.job WHERE state < 'active'")).toEqual([]);
});

test('workers that start at once send one message of each', async () => {
  const { database, boss } = working;
  const jobs: string[] = [];
  for (const tenantId of [await database.createTenant(), await database.createTenant()])
    jobs.push((await working.enqueue(tenantId)).id);
  await boss.deleteQueuedJobs(queueOf('apply'));
  await Promise.all(Array.from({ length: 4 }, () => resumeLostJobs(database.db, boss)));
  const messages = await database.admin(
    "SELECT data ->> 'job_id' AS id FROM pgboss.job WHERE state < 'completed' ORDER BY 1",
  );
  expect(messages).toEqual(jobs.sort().map((id) => ({ id })));
});
