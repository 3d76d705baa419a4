/** Every write that takes `dry_run=true`, tried and then carried out: the trial answered what the write answers. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROUTES } from '../../../src/http/server/route-table.ts';
import type { TenantRoute } from '../../../src/http/route.ts';
import { takesDryRun } from '../../../src/http/route-rules.ts';
import { serves, startListServer, type ListServer } from '../../sources/lists/list-server.ts';
import { keyFor, makeFixtures, pathWith, requiredQuery } from '../fixtures.ts';
import { settingOf } from '../route-settings.ts';
import { makeTenant, startService, type TestService } from '../service.ts';

let service: TestService;
let lists: ListServer;
beforeAll(async () => {
  service = await startService();
  lists = await startListServer();
  lists.answer = serves('8.8.8.0/24,DE\n');
});
afterAll(async () => {
  await lists.close();
  await service.close();
});

const writes = ROUTES.filter(
  (route): route is TenantRoute => route.permission !== 'public' && takesDryRun(route),
).map((route) => ({ name: `${route.method} ${route.path}`, route }));

/** Signing keys, and what is made of them. */
const OF_KEYS = ['key_id', 'public_key', 'public_key_pem', 'endorsed_by', 'endorsement'];

/** Without what is another each time: ids, times, secrets, which a trial does not show, and signing keys. */
function withoutChance(value: unknown): unknown {
  const text = JSON.stringify(value, (name, member: unknown) =>
    OF_KEYS.includes(name) && typeof member === 'string' ? 'KEY' : member,
  );
  return JSON.parse(
    text
      .replace(/[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g, 'ID')
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, 'TIME')
      .replace(/pc_[a-z]+_[\w*-]+|\*\*\*/g, 'SECRET'),
  );
}

test.each(writes)('$name', async ({ route }) => {
  // What one write leaves is nothing to the next one.
  const tenant = await makeTenant(service.database);
  const ids = await makeFixtures(service, tenant);
  const {
    body = route.example,
    query = requiredQuery(route.query),
    ids: others,
  } = await settingOf(route, { service, lists, tenant }, ids);
  const path = `${pathWith(route.path, route.params, { ...ids, ...others })}${query}`;
  const call = { key: keyFor(route, tenant), ...(route.body === undefined ? {} : { body }) };
  const tried = await service.call(route.method, `${path}${query === '' ? '?' : '&'}dry_run=true`, call);
  const done = await service.call(route.method, path, call);
  expect(done.status, done.text).toBe(tried.body.status);
  expect(tried.text).not.toMatch(/pc_[a-z]_[\w-]{20}/);
  const answered = done.text === '' ? null : done.body;
  expect(withoutChance(tried.body.body)).toEqual(withoutChance(answered));
});
