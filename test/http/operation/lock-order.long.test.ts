/** Requests that lock the settings and the revision of a tenant do so in one order, in whatever order they name them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const ROUNDS = 20;
/** A session reports what it counted within a second. */
const COUNTED_MS = 1_200;

async function deadlocks(): Promise<number> {
  await sleep(COUNTED_MS); // no query asks PostgreSQL whether it has counted
  const [row] = await service.database.admin<{ deadlocks: number }>(
    'SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()',
  );
  return row!.deadlocks;
}

const thaw = { deploy_freeze: false };
const tighten = (length: number) => ({ guard_min_prefix_length_ipv4: length });
const patch = (body: object, query = '') => service.call('PATCH', `/v1/settings${query}`, { body });
const series = (...bodies: object[]) =>
  service.call('POST', '/v1/changes', {
    body: { changes: bodies.map((body) => ({ method: 'PATCH', path: '/v1/settings', body })) },
  });

test.each([
  ['one request for both', () => patch({ ...tighten(9), ...thaw })],
  ['several requests in one', () => series(tighten(9), thaw)],
])('%s, while others are tried, which lock the revision first', async (_what, request) => {
  const before = await deadlocks();
  for (let round = 0; round < ROUNDS; round++) {
    const both = [patch(tighten(10), '?dry_run=true'), request()];
    for (const { status, text } of await Promise.all(both)) expect(status, text).toBe(200);
  }
  expect(await deadlocks()).toBe(before);
});

test('the end of a freeze beside several requests in one, which lock the revision before the record of the settings', async () => {
  const before = await deadlocks();
  for (let round = 0; round < ROUNDS; round++) {
    const both = [series(tighten(10)), patch(thaw), series(tighten(9)), patch(thaw)];
    for (const { status, text } of await Promise.all(both)) expect(status, text).toBe(200);
  }
  expect(await deadlocks()).toBe(before);
});

test('changes of a peer beside several requests in one, which lock the peers before they change that', async () => {
  const peerAt = (host: number) => ({ name: `peer ${host}`, address: `192.0.2.${host}`, remote_asn: 64496 });
  const made = await service.call('POST', '/v1/peers', { body: peerAt(1) });
  const path = `/v1/peers/${(made.body as { id: string }).id}`;
  const before = await deadlocks();
  for (let round = 0; round < ROUNDS; round++) {
    const changes = [
      { method: 'POST', path: '/v1/peers', body: peerAt(10 + round) },
      { method: 'PATCH', path, body: { enabled: round % 2 === 0 } },
    ];
    const alone = (port: number) => service.call('PATCH', path, { body: { port } });
    const all = [service.call('POST', '/v1/changes', { body: { changes } }), alone(1790), alone(179)];
    for (const { status, text } of await Promise.all(all)) expect([200, 201], text).toContain(status);
  }
  expect(await deadlocks()).toBe(before);
});
