/** Whoever edits a webhook does not wait for what is sent to it, however much that is. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { deliverWebhooks } from '../../../src/control/webhooks/deliver-webhooks.ts';
import { lockTenant } from '../../../src/store/database/locks.ts';
import { writeEvent } from '../../../src/store/events.ts';
import { waitFor } from '../../daemons/wait.ts';
import { isThorough } from '../../fuzz.ts';
import { startService, type Body, type TestService } from '../../http/service.ts';
import { startReceiver, type Receiver } from '../outbox/receiver.ts';
import { dataOf, numberIn } from './deliveries.ts';

const WEBHOOKS = 20;
/** Of each webhook. A delivery takes some ten milliseconds of processor time, which a busy machine has not for a thousand. */
const EVENTS = isThorough ? 50 : 15;
const AT_ONCE = 10;

let service: TestService;
let receiver: Receiver;
let delivery: { close(): Promise<void> } | null = null;
const faults: unknown[] = [];

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(async () => {
  await delivery?.close();
  delivery = null;
  await receiver.close();
  await service.database.admin('DELETE FROM webhook');
  expect(faults.splice(0)).toEqual([]);
});

function deliver(): void {
  const { database, dependencies } = service;
  delivery = deliverWebhooks({
    ...{ db: database.db, secrets: dependencies.secrets, reach: dependencies.fetch.reach, pollMs: 100 },
    onFault: (_tenantId, error) => faults.push(error),
  });
}

async function make(name: string): Promise<string> {
  return (await service.make('/v1/webhooks', { name, url: receiver.url, events: ['job'] })).id;
}

const happen = (n: number): Promise<void> =>
  service.database.db.inTenant(service.tenant.id, (tx) => writeEvent(tx, 'job', dataOf('job', n)));

const idOf = (record: Body): string => (record.webhook as { readonly id: string }).id;

/** Edits it, and expects that this is done. */
async function edit(id: string, body: Body): Promise<void> {
  const answer = await service.call('PATCH', `/v1/webhooks/${id}`, { body });
  expect(answer.status, answer.text).toBe(200);
}

test('edits of all webhooks are made while hundreds of deliveries run, and nothing of these is lost', async () => {
  const ids: string[] = [];
  for (let n = 0; n < WEBHOOKS; n++) ids.push(await make(`hook ${n}`));
  for (let n = 1; n <= EVENTS; n++) await happen(n);
  deliver();
  // Each edit has the webhook begin again, so a webhook that is edited all the time is sent nothing.
  for (let at = 0; at < WEBHOOKS; at += AT_ONCE) {
    const some = ids.slice(at, at + AT_ONCE);
    await Promise.all(some.map((id) => edit(id, { name: `renamed ${id}` })));
    await Promise.all(some.map((id) => edit(id, { description: 'edited' })));
    await Promise.all(some.map((id) => edit(id, { enabled: true })));
  }
  const expected = Array.from({ length: EVENTS }, (_, n) => n + 1);
  const arrived = (): ReadonlySet<string> =>
    new Set(receiver.taken.map(({ record }) => `${idOf(record)} ${numberIn(record.data)}`));
  // For the next one each time: how long all take says nothing on a busy machine.
  for (let before = arrived().size; before < WEBHOOKS * EVENTS; before = arrived().size)
    await waitFor(() => arrived().size > before, { what: `a delivery after ${before}` });
  const got = Map.groupBy(receiver.taken, ({ record }) => idOf(record));
  expect([...got.keys()].sort()).toEqual([...ids].sort());
  for (const some of got.values())
    expect([...new Set(some.map(({ record }) => numberIn(record.data)))]).toEqual(expected);
  // What is disabled in the midst of it, and enabled again, goes on with what comes then.
  await Promise.all([
    ...ids.map((id) => edit(id, { enabled: false })),
    ...Array.from({ length: 10 }, (_, n) => happen(1_000 + n)),
  ]);
  await Promise.all(ids.map((id) => edit(id, { enabled: true })));
  await happen(2_000);
  const last = (): number => receiver.taken.filter(({ record }) => numberIn(record.data) === 2_000).length;
  await waitFor(() => last() === WEBHOOKS || undefined, { what: 'the event after' });
});

test('what had happened before is not sent, although it has no number yet, to a new one or one that is enabled again', async () => {
  await happen(1);
  const id = await make('one');
  await happen(2);
  await edit(id, { enabled: false });
  await happen(3);
  await edit(id, { enabled: true });
  await happen(4);
  const other = await make('other');
  await happen(5);
  deliver();
  await waitFor(() => receiver.taken.length >= 3 || undefined, { what: 'three deliveries' });
  const got = receiver.taken.map(({ record }) => `${idOf(record)} ${numberIn(record.data)}`);
  expect(got.sort()).toEqual([`${id} 4`, `${id} 5`, `${other} 5`].sort());
  const [turn] = await service.database.admin(
    'SELECT DISTINCT cardinality(passed) AS passed FROM webhook_turn',
  );
  expect(turn).toEqual({ passed: 0 });
});

test('a delivery that waits for its turn at the events keeps nobody from the webhook', async () => {
  const { database, tenant } = service;
  const id = await make('one');
  const release = Promise.withResolvers<void>();
  const isLocked = Promise.withResolvers<void>();
  const holding = database.db.inTenant(tenant.id, async (tx) => {
    await lockTenant(tx, 'events');
    isLocked.resolve();
    await release.promise;
  });
  await isLocked.promise;
  await happen(1);
  deliver();
  const waiting = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
                      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  await waitFor(async () => (await database.admin(waiting)).length > 0 || undefined, {
    what: 'the delivery to wait for the events',
  });
  try {
    await edit(id, { description: 'edited meanwhile' });
  } finally {
    release.resolve();
    await holding;
  }
  await waitFor(() => receiver.taken.length === 1 || undefined, { what: 'the delivery' });
});
