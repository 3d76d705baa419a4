/** Who is served next, by the turns that messages get when they are sent. A queue of pg-boss, without a worker. */
import type { Job as Message, PgBoss } from 'pg-boss';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { JobQueue } from '../../src/control/job.ts';
import { createJobQueue, type JobMessage, queueOf, startBoss } from '../../src/jobs/queue.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';

const TYPE = 'apply';

let database: TestDatabase;
let boss: PgBoss;
let queue: JobQueue;

beforeAll(async () => {
  database = await createTestDatabase();
  boss = await startBoss(database.address, () => undefined);
  queue = createJobQueue(boss);
});
beforeEach(() => database.admin('DELETE FROM pgboss.job'));
afterAll(async () => {
  await boss.stop({ graceful: false });
  await database.close();
});

const enqueue = (tenantId: string): Promise<unknown> =>
  database.db.inTenant(tenantId, (tx) =>
    queue.enqueue(tx, { type: TYPE, input: {}, resource: null, requestedBy: 'key:test', parentId: null }),
  );

/** The next message, as a worker takes it that serves two of a tenant at once. */
async function take(): Promise<Message<JobMessage>> {
  const [message] = await boss.fetch<JobMessage>(queueOf(TYPE), { groupConcurrency: 2 });
  return message!;
}

const end = (message: Message<JobMessage>): Promise<unknown> => boss.complete(queueOf(TYPE), message.id);

test('a message that comes does not go before all others because a tenant hangs whose own wait', async () => {
  const [hanging, loud, quiet] = (await Promise.all([1, 2, 3].map(() => database.createTenant()))) as [
    string,
    string,
    string,
  ];
  // Two of three at work for ever: the turn of the third stays the lowest that waits.
  for (let n = 0; n < 3; n++) await enqueue(hanging);
  for (let n = 0; n < 2; n++) expect((await take()).data.tenant_id).toBe(hanging);
  for (let n = 0; n < 20; n++) await enqueue(loud);
  for (let n = 0; n < 8; n++) await end(await take());
  // While each of its messages is at work it sends the next one, so that it is always somebody's first.
  const served: string[] = [];
  let atWork = await take();
  await enqueue(quiet);
  for (let n = 0; n < 10; n++) {
    const next = await take();
    served.push(next.data.tenant_id);
    await end(atWork);
    atWork = next;
    if (next.data.tenant_id === quiet) await enqueue(quiet);
  }
  const of = (tenant: string): number => served.filter((one) => one === tenant).length;
  expect({ loud: of(loud), quiet: of(quiet) }).toEqual({ loud: 5, quiet: 5 });
});

test("a tenant's messages keep their order, behind one of each other tenant", async () => {
  const [loud, quiet] = (await Promise.all([1, 2].map(() => database.createTenant()))) as [string, string];
  const sent: unknown[] = [];
  for (let n = 0; n < 4; n++) sent.push(((await enqueue(loud)) as { id: string }).id);
  const first = await take();
  sent.push(((await enqueue(loud)) as { id: string }).id);
  const { id: only } = (await enqueue(quiet)) as { id: string };
  const served = [first.data.job_id];
  await end(first);
  for (let n = 0; n < 5; n++) {
    const next = await take();
    served.push(next.data.job_id);
    await end(next);
  }
  expect(served.filter((id) => id !== only)).toEqual(sent);
  expect(served.indexOf(only)).toBeLessThanOrEqual(2);
});
