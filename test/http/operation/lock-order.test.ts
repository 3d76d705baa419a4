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
  await sleep(COUNTED_MS);
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
