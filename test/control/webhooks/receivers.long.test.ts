/** Webhooks whose receivers are down, slow, dead, or answer without an end, and whose senders break: all arrives once, in order, and holds up no other. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { waitFor } from '../../daemons/wait.ts';
import type { Body } from '../../http/service.ts';
import { firstArrivals, startReceiver, type Receiver } from '../outbox/receiver.ts';
import { type Hook, numberIn, numbersOf } from './deliveries.ts';
import { WebhookScene } from './webhook-scene.ts';

let scene: WebhookScene;
beforeAll(async () => {
  scene = await WebhookScene.start();
});
afterAll(() => scene.close());
beforeEach(() => scene.begin());
afterEach(() => scene.end());

test('a receiver that is down for a while gets all of it in order when it is back, and the webhook says so meanwhile', async () => {
  const { port } = scene.receiver;
  const hook = await scene.make();
  scene.deliver();
  await scene.receiver.close();
  const numbers = await scene.happen(12);
  const failing = await waitFor(
    async () => {
      const reported = await scene.call('GET', hook.id);
      return reported.status === 'failing' && reported;
    },
    { what: 'a webhook that fails' },
  );
  expect(failing.last_error).toMatch(/ECONNREFUSED/);
  expect(failing.failing_since).not.toBeNull();
  scene.receiver = await startReceiver(port);
  await scene.expectTaken(numbers);
  await waitFor(async () => (await scene.call('GET', hook.id)).status === 'ok' || undefined, {
    what: 'a good one',
  });
  // What has been taken is written down after the answer.
  const stateOf = (one: Body): unknown[] => [one.state, numberIn(one.data)];
  const states = async () =>
    ((await scene.call('GET', `${hook.id}/deliveries`)).items as Body[]).map(stateOf);
  await expect.poll(states).toEqual(numbers.map((n) => ['delivered', n]).reverse());
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
    scene.receiver.react = react;
    await scene.make();
    const numbers = await scene.happen(8);
    scene.deliver(300);
    await scene.expectTaken(numbers);
    expect(numbersOf(scene.receiver.requests)).toEqual(numbers);
    // A delivery has one id, however often it is sent.
    expect(firstArrivals(scene.receiver.requests)).toHaveLength(numbers.length);
  });
});

test('one that is dead, silent or floods holds up no other, of its tenant or another', async () => {
  const silent = await startReceiver();
  silent.react = () => 'silence';
  const flooding = await startReceiver();
  flooding.react = () => 'flood';
  scene.others.push(silent, flooding);
  for (let n = 0; n < 12; n++) await scene.make({ url: silent.url });
  await scene.make({ url: flooding.url });
  await scene.make({ url: 'http://127.0.0.1:9/' });
  await scene.make();
  const neighbour = await startReceiver();
  scene.others.push(neighbour);
  await scene.make({ url: neighbour.url }, scene.service.other);
  scene.deliver(); // with the usual timeout of ten seconds
  const mine = await scene.happen(20);
  const theirs = await scene.happen(20, 'job', scene.service.other);
  await scene.expectTaken(mine);
  await scene.expectTaken(theirs, neighbour);
  expect(silent.taken).toEqual([]);
});

test('a slow receiver with much to take gives up its place after a while, and others have their turn', async () => {
  const slow = await startReceiver();
  scene.others.push(slow);
  slow.delayMs = 40;
  await scene.make({ url: slow.url, events: ['job'] });
  await scene.make({ events: ['revision'] });
  const many = await scene.happen(60);
  scene.deliver(10_000, { places: 1, turnMs: 100 });
  await waitFor(() => slow.taken.length > 0 || undefined, {
    what: 'the first delivery to the slow receiver',
  });
  await scene.expectTaken(await scene.happen(1, 'revision'));
  expect(slow.taken.length).toBeLessThan(many.length);
  await scene.expectTaken(many, slow);
});

describe('one that takes nothing any more is given up', () => {
  async function expectGivenUp(hook: Hook, reason: RegExp): Promise<void> {
    const reported = await waitFor(
      async () => {
        const now = await scene.call('GET', hook.id);
        return now.status === 'disabled' && now;
      },
      { what: 'a disabled webhook' },
    );
    expect(reported.last_error).toMatch(reason);
    const { body } = await scene.service.call('GET', `/v1/audit?action=webhook.fail&resource_id=${hook.id}`);
    expect((body.items as Body[]).map(({ actor, severity }) => [actor, severity])).toEqual([
      ['auto:scheduler', 'warning'],
    ]);
    const { items } = await scene.call('GET', `${hook.id}/deliveries?state=pending`);
    expect(items).toEqual([]);
  }

  test('after a day without success', async () => {
    const hook = await scene.make();
    scene.receiver.react = () => 503;
    await scene.happen(2);
    scene.deliver();
    await waitFor(async () => (await scene.call('GET', hook.id)).status === 'failing' || undefined, {
      what: 'a failing webhook',
    });
    await scene.service.database.admin("UPDATE webhook_turn SET failing_since = now() - interval '25 hours'");
    await expectGivenUp(hook, /^Disabled after 25 h without success: the receiver answered 503/);
  });

  test('at once when it says that it is gone, and works again once somebody enables it', async () => {
    const hook = await scene.make();
    scene.receiver.react = () => 410;
    await scene.happen(2);
    scene.deliver();
    await expectGivenUp(hook, /^Disabled, since it is gone: the receiver answered 410/);
    scene.receiver.react = () => 200;
    await scene.call('PATCH', hook.id, { enabled: true });
    await scene.expectTaken(await scene.happen(2));
  });
});

test('several processes on one database send everything once and in order, also when connections break', async () => {
  await scene.make();
  const numbers = await scene.happen(40);
  scene.receiver.react = (_, n) => {
    if (n === 10) void scene.service.database.dropConnections();
    return 200;
  };
  for (let n = 0; n < 3; n++) scene.deliver();
  await scene.expectTaken(numbers);
});

test('one that is deleted while it is sent to, and one whose process ends, leave nothing behind', async () => {
  const hook = await scene.make();
  scene.receiver.react = () => 'silence';
  await scene.happen(3);
  const first = scene.deliver();
  await waitFor(() => scene.receiver.requests.length === 1, { what: 'a delivery on its way' });
  await scene.call('DELETE', hook.id);
  await first.close();
  const rows = 'SELECT FROM webhook_turn UNION ALL SELECT FROM webhook_delivery';
  expect(await scene.service.database.admin(rows)).toEqual([]);
  expect(scene.faults).toEqual([]);
  scene.receiver.react = (_, n) => (n === 3 ? 'silence' : 200);
  await scene.make();
  const numbers = await scene.happen(4);
  const second = scene.deliver();
  await waitFor(() => scene.receiver.requests.length === 3 || undefined, { what: 'another on its way' });
  await second.close();
  scene.deliver();
  await scene.expectTaken(numbers);
});
