/** A tenant with many webhooks, in the process that serves everybody's requests. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deliverWebhooks } from '../../../src/control/webhooks/deliver-webhooks.ts';
import type { Database } from '../../../src/store/database/database.ts';
import { writeEvent } from '../../../src/store/events.ts';
import { waitFor } from '../../daemons/wait.ts';
import { startService, type TestService } from '../../http/service.ts';
import { startReceiver, type Receiver } from '../outbox/receiver.ts';
import { dataOf, numbersOf } from './deliveries.ts';

const WEBHOOKS = 12;
const EVENTS = 10;

let service: TestService;
let receiver: Receiver;
beforeAll(async () => {
  service = await startService();
  receiver = await startReceiver();
});
afterAll(async () => {
  await receiver.close();
  await service.close();
});

test('writes down what it has sent one after the other, however quickly receivers answer, beside other tenants', async () => {
  const { database, dependencies, tenant, other } = service;
  for (const { keys } of [tenant, other])
    for (let n = 0; n < WEBHOOKS; n++)
      await service.make(
        '/v1/webhooks',
        { name: `hook ${n}`, url: receiver.url, events: ['job'] },
        keys.operator,
      );
  for (const { id } of [tenant, other])
    for (let n = 1; n <= EVENTS; n++)
      await database.db.inTenant(id, (tx) => writeEvent(tx, 'job', dataOf('job', n)));
  const { db } = database;
  const [now, most] = [new Map<string, number>(), new Map<string, number>()];
  let mostInAll = 0;
  const change = (id: string, by: number): void => {
    const of = (now.get(id) ?? 0) + by;
    now.set(id, of);
    most.set(id, Math.max(most.get(id) ?? 0, of));
    mostInAll = Math.max(
      mostInAll,
      [...now.values()].reduce((sum, one) => sum + one, 0),
    );
  };
  const counting = {
    alone: (statement) => db.alone(statement),
    listen: (channel, onHint) => db.listen(channel, onHint),
    inTenant(id, work) {
      change(id, 1);
      return db.inTenant(id, work).finally(() => change(id, -1));
    },
  } as Pick<Database, 'alone' | 'inTenant' | 'listen'> as Database;
  const faults: unknown[] = [];
  const delivery = deliverWebhooks({
    ...{ db: counting, secrets: dependencies.secrets, reach: dependencies.fetch.reach },
    onFault: (_tenantId, error) => faults.push(error),
  });
  // For the next one each time: how long all take says nothing on a busy machine.
  for (let before = 0; before < 2 * WEBHOOKS * EVENTS; before = receiver.taken.length)
    await waitFor(() => receiver.taken.length > before, { what: `a delivery after ${before}` });
  await delivery.close();
  expect(numbersOf(receiver.taken)).toEqual(Array.from({ length: EVENTS }, (_, n) => n + 1));
  expect([...most.values()]).toEqual([1, 1]);
  expect(mostInAll).toBe(2);
  expect(faults).toEqual([]);
});
