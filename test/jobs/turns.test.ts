/** Who is served next, by the turns that messages get when they are sent. A queue of pg-boss, without a worker. */
import type { Job as Message } from 'pg-boss';
import { beforeEach, expect, test } from 'vitest';
import { type JobMessage, queueOf } from '../../src/jobs/queue.ts';
import { useWorkers } from './working.ts';

const TYPE = 'apply';

const jobs = useWorkers();
beforeEach(() => jobs.database.admin('DELETE FROM pgboss.job'));

/** The next message, as a worker takes it that serves two of a tenant at once. */
async function take(): Promise<Message<JobMessage>> {
  const [message] = await jobs.boss.fetch<JobMessage>(queueOf(TYPE), { groupConcurrency: 2 });
  return message!;
}

const end = (message: Message<JobMessage>): Promise<unknown> => jobs.boss.complete(queueOf(TYPE), message.id);

test('a message that comes does not go before all others because a tenant hangs whose own wait', async () => {
  const [hanging, loud, quiet] = (await Promise.all([1, 2, 3].map(() => jobs.database.createTenant()))) as [
    string,
    string,
    string,
  ];
  // Two of three at work for ever: the turn of the third stays the lowest that waits.
  for (let n = 0; n < 3; n++) await jobs.enqueue(hanging);
  for (let n = 0; n < 2; n++) expect((await take()).data.tenant_id).toBe(hanging);
  for (let n = 0; n < 20; n++) await jobs.enqueue(loud);
  for (let n = 0; n < 8; n++) await end(await take());
  // While each of its messages is at work it sends the next one, so that it is always somebody's first.
  const served: string[] = [];
  let atWork = await take();
  await jobs.enqueue(quiet);
  for (let n = 0; n < 10; n++) {
    const next = await take();
    served.push(next.data.tenant_id);
    await end(atWork);
    atWork = next;
    if (next.data.tenant_id === quiet) await jobs.enqueue(quiet);
  }
  const of = (tenant: string): number => served.filter((one) => one === tenant).length;
  expect({ loud: of(loud), quiet: of(quiet) }).toEqual({ loud: 5, quiet: 5 });
});

test("a tenant's messages keep their order, behind one of each other tenant", async () => {
  const [loud, quiet] = (await Promise.all([1, 2].map(() => jobs.database.createTenant()))) as [
    string,
    string,
  ];
  const sent: unknown[] = [];
  for (let n = 0; n < 4; n++) sent.push((await jobs.enqueue(loud)).id);
  const first = await take();
  sent.push((await jobs.enqueue(loud)).id);
  const { id: only } = await jobs.enqueue(quiet);
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
