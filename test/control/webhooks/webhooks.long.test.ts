/** Webhooks over a day: made, changed, disabled, enabled, rotated, tested and deleted. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { readEventRange, writeEvent } from '../../../src/store/events.ts';
import { updateWebhook } from '../../../src/store/webhooks/webhooks.ts';
import { waitFor } from '../../daemons/wait.ts';
import type { Body } from '../../http/service.ts';
import { startReceiver } from '../outbox/receiver.ts';
import { dataOf, isSigned, numberIn, numbersOf } from './deliveries.ts';
import { WebhookScene } from './webhook-scene.ts';

let scene: WebhookScene;
beforeAll(async () => {
  scene = await WebhookScene.start();
});
afterAll(() => scene.close());
beforeEach(() => scene.begin());
afterEach(() => scene.end());

test('the story of a day', async () => {
  scene.deliver();
  await scene.happen(3); // before there is a webhook
  const hook = await scene.make({ name: 'chat', events: ['job', 'module'] });
  const first = [...(await scene.happen(3)), ...(await scene.happen(2, 'module'))];
  await scene.happen(2, 'session'); // of no interest
  await scene.expectTaken(first);
  await scene.settled(hook);
  const [one] = scene.receiver.requests;
  expect(isSigned(one!, hook.secret)).toBe(true);
  expect(one!.headers).toMatchObject({ 'content-type': 'application/json', 'prefixcast-event': 'job' });
  expect(one!.record).toMatchObject({
    ...{ id: one!.headers['prefixcast-delivery'], event: 'job', tenant: { id: scene.service.tenant.id } },
    webhook: { id: hook.id, name: 'chat' },
    data: { ...dataOf('job', first[0]!), at: expect.any(String) as string },
  });
  expect(await scene.call('GET', hook.id)).toMatchObject({
    status: 'ok',
    last_error: null,
    failing_since: null,
  });
  expect(JSON.stringify(await scene.call('GET', hook.id))).not.toContain(hook.secret);

  // Another URL: what comes goes there, and nothing twice.
  const next = await startReceiver();
  scene.others.push(next);
  await scene.call('PATCH', hook.id, { url: `${next.url}/in` });
  const second = await scene.happen(3);
  await scene.expectTaken(second, next);
  await scene.settled(hook);
  expect(next.requests[0]!.url).toBe('/in');

  // Disabled, nothing is sent, then or later.
  await scene.call('PATCH', hook.id, { enabled: false });
  await scene.happen(4);
  expect(await scene.call('GET', hook.id)).toMatchObject({ status: 'disabled' });
  await scene.call('PATCH', hook.id, { enabled: true });
  const third = await scene.happen(2);
  await scene.expectTaken([...second, ...third], next);
  await scene.settled(hook);

  // Another secret signs from then on.
  const { secret } = await scene.call('POST', `${hook.id}/rotate`);
  const fourth = await scene.happen(1);
  await scene.expectTaken([...second, ...third, ...fourth], next);
  const last = next.requests.at(-1)!;
  expect([isSigned(last, hook.secret), isSigned(last, String(secret))]).toEqual([false, true]);
  expect(numbersOf(scene.receiver.taken)).toEqual(first);

  // Deleted, it is gone with its deliveries; the audit log keeps where they went, without the path.
  const { text } = await scene.service.call('GET', `/v1/audit?resource_id=${hook.id}`);
  expect([text.includes(`"url":"${next.url}/***"`), text.includes(`${next.url}/in`)]).toEqual([true, false]);
  await scene.call('DELETE', hook.id);
  await scene.happen(2);
  expect((await scene.service.call('GET', `/v1/webhooks/${hook.id}/deliveries`)).status).toBe(404);
  const kept = await scene.make({ url: next.url });
  const fifth = await scene.happen(1);
  await scene.expectTaken([...second, ...third, ...fourth, ...fifth], next);
  expect(kept.id).not.toBe(hook.id);
});

test('what it refuses is said and holds nothing up, and is sent again when asked for', async () => {
  const hook = await scene.make();
  const numbers = await scene.happen(4);
  scene.receiver.react = ({ record }) => (numberIn(record.data) === numbers[1] ? 422 : 200);
  scene.deliver();
  await scene.expectTaken(numbers.filter((n) => n !== numbers[1]));
  const { items } = await scene.call('GET', `${hook.id}/deliveries?state=refused`);
  const [refused] = items as Body[];
  expect(refused).toMatchObject({
    ...{ status: 422, attempts: 1, data: dataOf('job', numbers[1]!) },
    error: 'the receiver answered 422: said by the receiver',
  });
  scene.receiver.react = () => 200;
  const path = `${hook.id}/deliveries/${String(refused!.id)}`;
  expect(await scene.call('POST', `${path}/resend`)).toMatchObject({ state: 'pending' });
  await waitFor(async () => (await scene.call('GET', path)).state === 'delivered' || undefined, {
    what: 'a delivery',
  });
  expect(await scene.call('GET', path)).toMatchObject({ attempts: 2, error: null });
  expect(scene.receiver.taken.at(-1)!.record.id).toBe(refused!.id);
  await scene.call('PATCH', hook.id, { enabled: false });
  expect((await scene.service.call('POST', `/v1/webhooks/${path}/resend`)).body).toMatchObject({
    code: 'conflict',
  });
});

test('a test says at once what the receiver answers, whatever waits', async () => {
  const hook = await scene.make({ name: 'chat', enabled: false });
  expect(await scene.call('POST', `${hook.id}/test`)).toMatchObject({
    ...{ state: 'delivered', event: 'test', status: 202, error: null, attempts: 1 },
  });
  expect(isSigned(scene.receiver.taken[0]!, hook.secret)).toBe(true);
  scene.receiver.react = () => 503;
  expect(await scene.call('POST', `${hook.id}/test`)).toMatchObject({ state: 'refused', status: 503 });
  // As one that was made while APP_FETCH_ALLOW still named its network.
  const { database, tenant, dependencies } = scene.service;
  const url = 'http://10.0.0.1/';
  await database.db.inTenant(tenant.id, (tx) =>
    updateWebhook(tx, dependencies.secrets, hook.id, { url }, null),
  );
  const { error } = await scene.call('POST', `${hook.id}/test`);
  expect(error).toMatch(/10\.0\.0\.1 is not public .* APP_FETCH_ALLOW/);
});

test('in the format of Slack an event is a sentence', async () => {
  await scene.make({ format: 'slack', events: ['revision', 'session'] });
  scene.deliver();
  await scene.service.database.db.inTenant(scene.service.tenant.id, async (tx) => {
    await writeEvent(tx, 'revision', { number: 7, state: 'held', prefix_count: { ipv4: 3, ipv6: 0 } });
    await writeEvent(tx, 'session', {
      speaker_id: 's',
      peer_id: 'p',
      state: 'idle',
      last_error: 'a <b> & c.',
    });
  });
  await waitFor(() => scene.receiver.taken.length === 2 || undefined, { what: 'two deliveries' });
  expect(scene.receiver.taken.map(({ record }) => String(record.text).replace(/^.*?: /, ''))).toEqual([
    'Revision 7 is held, with 3 IPv4 and 0 IPv6 prefixes.',
    'The session of speaker s with peer p is idle: a &lt;b&gt; &amp; c.',
  ]);
});

test('events that were missed permanently are reported as a reset, and the rest follows', async () => {
  await scene.make();
  await scene.happen(3);
  await scene.service.database.db.inTenant(scene.service.tenant.id, readEventRange);
  await scene.service.database.admin(
    `WITH gone AS (DELETE FROM event WHERE tenant_id = $1 RETURNING sequence)
     UPDATE event_counter SET pruned_sequence = (SELECT max(sequence) FROM gone) WHERE tenant_id = $1`,
    [scene.service.tenant.id],
  );
  const numbers = await scene.happen(2);
  scene.deliver();
  await waitFor(() => scene.receiver.taken.length === 3 || undefined, { what: 'three deliveries' });
  expect(scene.receiver.taken.map(({ record }) => record.event)).toEqual(['reset', 'job', 'job']);
  expect(numbersOf(scene.receiver.taken.slice(1))).toEqual(numbers);
});

test('roles: viewers see no webhook, operators write them, and attempts are counted', async () => {
  const hook = await scene.make();
  const as = async (role: 'viewer' | 'operator' | 'super_viewer', method = 'GET') =>
    (await scene.service.call(method, `/v1/webhooks/${hook.id}`, { key: scene.service.tenant.keys[role] }))
      .status;
  expect(await as('viewer')).toBe(403);
  expect(await as('super_viewer', 'DELETE')).toBe(403);
  expect(await as('operator')).toBe(200);
  const stranger = { key: scene.service.other.keys.operator };
  expect((await scene.service.call('GET', `/v1/webhooks/${hook.id}`, stranger)).status).toBe(404);
  expect(await scene.metrics.metrics()).toMatch(/prefixcast_webhook_attempts_total\{result="taken"\} \d+/);
});
