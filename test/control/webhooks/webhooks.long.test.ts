/** Webhooks over a day: made, changed, disabled, enabled, rotated, tested and deleted, with receivers that are down, slow, dead, or answer without an end. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Registry } from 'prom-client';
import type { EventKind } from '../../../src/api/activity/events.ts';
import { deliverWebhooks } from '../../../src/control/webhooks/deliver-webhooks.ts';
import { countWebhookAttempts } from '../../../src/http/metrics/state-metrics.ts';
import { readEventRange, writeEvent } from '../../../src/store/events.ts';
import { updateWebhook } from '../../../src/store/webhooks/webhooks.ts';
import { waitFor } from '../../daemons/wait.ts';
import { startService, type Body, type TestService, type TestTenant } from '../../http/service.ts';
import { firstArrivals, startReceiver, type Receiver } from '../outbox/receiver.ts';
import { dataOf, type Hook, isSigned, numberIn, numbersOf, takes } from './deliveries.ts';

let service: TestService;
let receiver: Receiver;
let others: Receiver[] = [];
let deliveries: { close(): Promise<void> }[] = [];
let faults: string[] = [];
const metrics = new Registry();
const onAttempt = countWebhookAttempts(metrics);

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
beforeEach(async () => {
  faults = [];
  receiver = await startReceiver();
});
afterEach(async () => {
  for (const delivery of deliveries) await delivery.close();
  deliveries = [];
  for (const other of [receiver, ...others]) await other.close();
  others = [];
  await service.database.admin('DELETE FROM webhook');
});

function deliver(
  timeoutMs = 10_000,
  turns: { places?: number; turnMs?: number } = {},
): {
  close(): Promise<void>;
} {
  const delivery = deliverWebhooks({
    db: service.database.db,
    secrets: service.dependencies.secrets,
    reach: service.dependencies.fetch.reach,
    onFault: (_tenantId, error) => faults.push(String(error)),
    ...{ onAttempt, timeoutMs, pollMs: 20, longestDelaySeconds: 0.1, ...turns },
  });
  deliveries.push(delivery);
  return delivery;
}

const make = async (body: Body = {}, { keys }: TestTenant = service.tenant): Promise<Hook> => {
  const made = await service.make(
    '/v1/webhooks',
    { url: receiver.url, events: ['job'], ...body },
    keys.operator,
  );
  return { id: made.id, secret: String(made.secret) };
};

const call = async (method: string, path: string, body?: unknown): Promise<Body> => {
  const answer = await service.call(method, `/v1/webhooks/${path}`, body === undefined ? {} : { body });
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.body;
};

let written = 0;
/** Events of the tenant, one transaction each; answers what they are known by. */
async function happen(
  count: number,
  kind: EventKind = 'job',
  { id }: TestTenant = service.tenant,
): Promise<number[]> {
  const numbers = Array.from({ length: count }, () => ++written);
  for (const n of numbers)
    await service.database.db.inTenant(id, (tx) => writeEvent(tx, kind, dataOf(kind, n)));
  return numbers;
}

const expectTaken = (numbers: readonly number[], by = receiver): Promise<void> => takes(by, numbers, faults);

/** Waits until it is written down that nothing waits: what is on its way when a webhook is changed may be sent twice. */
async function settled({ id }: Hook): Promise<void> {
  await waitFor(
    async () =>
      ((await call('GET', `${id}/deliveries?state=pending`)).items as Body[]).length === 0 || undefined,
    { what: 'nothing that waits' },
  );
}

test('the story of a day', async () => {
  deliver();
  await happen(3); // before there is a webhook
  const hook = await make({ name: 'chat', events: ['job', 'module'] });
  const first = [...(await happen(3)), ...(await happen(2, 'module'))];
  await happen(2, 'session'); // of no interest
  await expectTaken(first);
  await settled(hook);
  const [one] = receiver.requests;
  expect(isSigned(one!, hook.secret)).toBe(true);
  expect(one!.headers).toMatchObject({ 'content-type': 'application/json', 'prefixcast-event': 'job' });
  expect(one!.record).toMatchObject({
    ...{ id: one!.headers['prefixcast-delivery'], event: 'job', tenant: { id: service.tenant.id } },
    webhook: { id: hook.id, name: 'chat' },
    data: { ...dataOf('job', first[0]!), at: expect.any(String) as string },
  });
  expect(await call('GET', hook.id)).toMatchObject({ status: 'ok', last_error: null, failing_since: null });
  expect(JSON.stringify(await call('GET', hook.id))).not.toContain(hook.secret);

  // Another URL: what comes goes there, and nothing twice.
  const next = await startReceiver();
  others.push(next);
  await call('PATCH', hook.id, { url: `${next.url}/in` });
  const second = await happen(3);
  await expectTaken(second, next);
  await settled(hook);
  expect(next.requests[0]!.url).toBe('/in');

  // Disabled, nothing is sent, then or later.
  await call('PATCH', hook.id, { enabled: false });
  await happen(4);
  expect(await call('GET', hook.id)).toMatchObject({ status: 'disabled' });
  await call('PATCH', hook.id, { enabled: true });
  const third = await happen(2);
  await expectTaken([...second, ...third], next);
  await settled(hook);

  // Another secret signs from then on.
  const { secret } = await call('POST', `${hook.id}/rotate`);
  const fourth = await happen(1);
  await expectTaken([...second, ...third, ...fourth], next);
  const last = next.requests.at(-1)!;
  expect([isSigned(last, hook.secret), isSigned(last, String(secret))]).toEqual([false, true]);
  expect(numbersOf(receiver.taken)).toEqual(first);

  // Deleted, it is gone with its deliveries; the audit log keeps where they went, without the path.
  const { text } = await service.call('GET', `/v1/audit?resource_id=${hook.id}`);
  expect([text.includes(`"url":"${next.url}/***"`), text.includes(`${next.url}/in`)]).toEqual([true, false]);
  await call('DELETE', hook.id);
  await happen(2);
  expect((await service.call('GET', `/v1/webhooks/${hook.id}/deliveries`)).status).toBe(404);
  const kept = await make({ url: next.url });
  const fifth = await happen(1);
  await expectTaken([...second, ...third, ...fourth, ...fifth], next);
  expect(kept.id).not.toBe(hook.id);
});

test('a receiver that is down for a while gets all of it in order when it is back, and the webhook says so meanwhile', async () => {
  const { port } = receiver;
  const hook = await make();
  deliver();
  await receiver.close();
  const numbers = await happen(12);
  const failing = await waitFor(
    async () => {
      const reported = await call('GET', hook.id);
      return reported.status === 'failing' && reported;
    },
    { what: 'a webhook that fails' },
  );
  expect(failing.last_error).toMatch(/ECONNREFUSED/);
  expect(failing.failing_since).not.toBeNull();
  receiver = await startReceiver(port);
  await expectTaken(numbers);
  await waitFor(async () => (await call('GET', hook.id)).status === 'ok' || undefined, {
    what: 'a good one',
  });
  // What has been taken is written down after the answer.
  const stateOf = (one: Body): unknown[] => [one.state, numberIn(one.data)];
  const states = async () => ((await call('GET', `${hook.id}/deliveries`)).items as Body[]).map(stateOf);
  await expect.poll(states, { timeout: 60_000 }).toEqual(numbers.map((n) => ['delivered', n]).reverse());
});

describe('whatever the receiver does, everything arrives and nothing overtakes', () => {
  test.each<[string, Receiver['react']]>([
    ['answers 500 now and then', (_, n) => (n % 3 === 0 ? 202 : 500)],
    ['answers 401, then 429', (_, n) => [429, 401, 202][n % 3]!],
    ['resets connections', (_, n) => (n % 2 === 0 ? 200 : 'reset')],
    ['takes it and loses its answer', (_, n) => (n % 2 === 0 ? 200 : 'reset after taking')],
    ['says nothing', (_, n) => (n % 3 === 1 ? 'silence' : 202)],
    ['answers without an end', (_, n) => (n % 3 === 1 ? 'flood' : 202)],
    ['redirects', (_, n) => (n % 2 === 0 ? 202 : 302)],
  ])('%s', async (_name, react) => {
    receiver.react = react;
    await make();
    const numbers = await happen(8);
    deliver(300);
    await expectTaken(numbers);
    expect(numbersOf(receiver.requests)).toEqual(numbers);
    // A delivery has one id, however often it is sent.
    expect(firstArrivals(receiver.requests)).toHaveLength(numbers.length);
  });
});

test('one that is dead, silent or floods holds up no other, of its tenant or another', async () => {
  const silent = await startReceiver();
  silent.react = () => 'silence';
  const flooding = await startReceiver();
  flooding.react = () => 'flood';
  others.push(silent, flooding);
  for (let n = 0; n < 12; n++) await make({ url: silent.url });
  await make({ url: flooding.url });
  await make({ url: 'http://127.0.0.1:9/' });
  await make();
  const neighbour = await startReceiver();
  others.push(neighbour);
  await make({ url: neighbour.url }, service.other);
  deliver(); // with the usual timeout of ten seconds
  const mine = await happen(20);
  const theirs = await happen(20, 'job', service.other);
  await expectTaken(mine);
  await expectTaken(theirs, neighbour);
  expect(silent.taken).toEqual([]);
});

test('a slow receiver with much to take gives up its place after a while, and others have their turn', async () => {
  const slow = await startReceiver();
  others.push(slow);
  slow.delayMs = 40;
  await make({ url: slow.url, events: ['job'] });
  await make({ events: ['revision'] });
  const many = await happen(60);
  deliver(10_000, { places: 1, turnMs: 100 });
  await waitFor(() => slow.taken.length > 0 || undefined, {
    what: 'the first delivery to the slow receiver',
  });
  await expectTaken(await happen(1, 'revision'));
  expect(slow.taken.length).toBeLessThan(many.length);
  await expectTaken(many, slow);
});

test('what it refuses is said and holds nothing up, and is sent again when asked for', async () => {
  const hook = await make();
  const numbers = await happen(4);
  receiver.react = ({ record }) => (numberIn(record.data) === numbers[1] ? 422 : 200);
  deliver();
  await expectTaken(numbers.filter((n) => n !== numbers[1]));
  const { items } = await call('GET', `${hook.id}/deliveries?state=refused`);
  const [refused] = items as Body[];
  expect(refused).toMatchObject({
    ...{ status: 422, attempts: 1, data: dataOf('job', numbers[1]!) },
    error: 'the receiver answered 422: said by the receiver',
  });
  receiver.react = () => 200;
  const path = `${hook.id}/deliveries/${String(refused!.id)}`;
  expect(await call('POST', `${path}/resend`)).toMatchObject({ state: 'pending' });
  await waitFor(async () => (await call('GET', path)).state === 'delivered' || undefined, {
    what: 'a delivery',
  });
  expect(await call('GET', path)).toMatchObject({ attempts: 2, error: null });
  expect(receiver.taken.at(-1)!.record.id).toBe(refused!.id);
  await call('PATCH', hook.id, { enabled: false });
  expect((await service.call('POST', `/v1/webhooks/${path}/resend`)).body).toMatchObject({
    code: 'conflict',
  });
});

test('a test says at once what the receiver answers, whatever waits', async () => {
  const hook = await make({ name: 'chat', enabled: false });
  expect(await call('POST', `${hook.id}/test`)).toMatchObject({
    ...{ state: 'delivered', event: 'test', status: 202, error: null, attempts: 1 },
  });
  expect(isSigned(receiver.taken[0]!, hook.secret)).toBe(true);
  receiver.react = () => 503;
  expect(await call('POST', `${hook.id}/test`)).toMatchObject({ state: 'refused', status: 503 });
  // As one that was made while APP_FETCH_ALLOW still named its network.
  const { database, tenant, dependencies } = service;
  const url = 'http://10.0.0.1/';
  await database.db.inTenant(tenant.id, (tx) =>
    updateWebhook(tx, dependencies.secrets, hook.id, { url }, null),
  );
  const { error } = await call('POST', `${hook.id}/test`);
  expect(error).toMatch(/10\.0\.0\.1 is not public .* APP_FETCH_ALLOW/);
});

test('in the format of Slack an event is a sentence', async () => {
  await make({ format: 'slack', events: ['revision', 'session'] });
  deliver();
  await service.database.db.inTenant(service.tenant.id, async (tx) => {
    await writeEvent(tx, 'revision', { number: 7, state: 'held', prefix_count: { ipv4: 3, ipv6: 0 } });
    await writeEvent(tx, 'session', {
      speaker_id: 's',
      peer_id: 'p',
      state: 'idle',
      last_error: 'a <b> & c.',
    });
  });
  await waitFor(() => receiver.taken.length === 2 || undefined, { what: 'two deliveries' });
  expect(receiver.taken.map(({ record }) => String(record.text).replace(/^.*?: /, ''))).toEqual([
    'Revision 7 is held, with 3 IPv4 and 0 IPv6 prefixes.',
    'The session of speaker s with peer p is idle: a &lt;b&gt; &amp; c.',
  ]);
});

test('events that were missed permanently are reported as a reset, and the rest follows', async () => {
  await make();
  await happen(3);
  await service.database.db.inTenant(service.tenant.id, readEventRange);
  await service.database.admin(
    `WITH gone AS (DELETE FROM event WHERE tenant_id = $1 RETURNING sequence)
     UPDATE event_counter SET pruned_sequence = (SELECT max(sequence) FROM gone) WHERE tenant_id = $1`,
    [service.tenant.id],
  );
  const numbers = await happen(2);
  deliver();
  await waitFor(() => receiver.taken.length === 3 || undefined, { what: 'three deliveries' });
  expect(receiver.taken.map(({ record }) => record.event)).toEqual(['reset', 'job', 'job']);
  expect(numbersOf(receiver.taken.slice(1))).toEqual(numbers);
});

describe('one that takes nothing any more is given up', () => {
  async function expectGivenUp(hook: Hook, reason: RegExp): Promise<void> {
    const reported = await waitFor(
      async () => {
        const now = await call('GET', hook.id);
        return now.status === 'disabled' && now;
      },
      { what: 'a disabled webhook' },
    );
    expect(reported.last_error).toMatch(reason);
    const { body } = await service.call('GET', `/v1/audit?action=webhook.fail&resource_id=${hook.id}`);
    expect((body.items as Body[]).map(({ actor, severity }) => [actor, severity])).toEqual([
      ['auto:scheduler', 'warning'],
    ]);
    const { items } = await call('GET', `${hook.id}/deliveries?state=pending`);
    expect(items).toEqual([]);
  }

  test('after a day without success', async () => {
    const hook = await make();
    receiver.react = () => 503;
    await happen(2);
    deliver();
    await waitFor(async () => (await call('GET', hook.id)).status === 'failing' || undefined, {
      what: 'a failing webhook',
    });
    await service.database.admin("UPDATE webhook_turn SET failing_since = now() - interval '25 hours'");
    await expectGivenUp(hook, /^Disabled after 25 h without success: the receiver answered 503/);
  });

  test('at once when it says that it is gone, and works again once somebody enables it', async () => {
    const hook = await make();
    receiver.react = () => 410;
    await happen(2);
    deliver();
    await expectGivenUp(hook, /^Disabled, since it is gone: the receiver answered 410/);
    receiver.react = () => 200;
    await call('PATCH', hook.id, { enabled: true });
    await expectTaken(await happen(2));
  });
});

test('several processes on one database send everything once and in order, also when connections break', async () => {
  await make();
  const numbers = await happen(40);
  receiver.react = (_, n) => {
    if (n === 10) void service.database.dropConnections();
    return 200;
  };
  for (let n = 0; n < 3; n++) deliver();
  await expectTaken(numbers);
});

test('one that is deleted while it is sent to, and one whose process ends, leave nothing behind', async () => {
  const hook = await make();
  receiver.react = () => 'silence';
  await happen(3);
  const first = deliver();
  await waitFor(() => receiver.requests.length === 1, { what: 'a delivery on its way' });
  await call('DELETE', hook.id);
  await first.close();
  const rows = 'SELECT FROM webhook_turn UNION ALL SELECT FROM webhook_delivery';
  expect(await service.database.admin(rows)).toEqual([]);
  expect(faults).toEqual([]);
  receiver.react = (_, n) => (n === 3 ? 'silence' : 200);
  await make();
  const numbers = await happen(4);
  const second = deliver();
  await waitFor(() => receiver.requests.length === 3 || undefined, { what: 'another on its way' });
  await second.close();
  deliver();
  await expectTaken(numbers);
});

test('roles: viewers see no webhook, operators write them, and attempts are counted', async () => {
  const hook = await make();
  const as = async (role: 'viewer' | 'operator' | 'super_viewer', method = 'GET') =>
    (await service.call(method, `/v1/webhooks/${hook.id}`, { key: service.tenant.keys[role] })).status;
  expect(await as('viewer')).toBe(403);
  expect(await as('super_viewer', 'DELETE')).toBe(403);
  expect(await as('operator')).toBe(200);
  const stranger = { key: service.other.keys.operator };
  expect((await service.call('GET', `/v1/webhooks/${hook.id}`, stranger)).status).toBe(404);
  expect(await metrics.metrics()).toMatch(/prefixcast_webhook_attempts_total\{result="taken"\} \d+/);
});
