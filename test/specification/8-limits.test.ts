/** Part 8 of the specification, "Limits", row by row: the titles quote the table. */
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RUNTIME_LOG_NAME_PATTERN } from '../../src/api/operation/runtime-logs.ts';
import { makeFixtures, makeRevision } from '../http/fixtures.ts';
import { startService, type Body, type TestService } from '../http/service.ts';

const FILES = '/v1/runtime-logs/files';

let service: TestService;
let key: string;
beforeAll(async () => {
  service = await startService();
  key = service.tenant.keys.super_admin;
});
afterAll(() => service.close());

test.for(['truncate', 'delete'])(
  '"Runtime log cleanup via `DELETE`, maximum file size: 512 MiB": mode `%s`',
  async (mode) => {
    const path = join(service.logs, 'large.log');
    const remove = () => service.call('DELETE', `${FILES}/large.log?mode=${mode}`, { key });
    writeFileSync(path, '');
    truncateSync(path, 512 * 1024 * 1024 + 1);
    expect(await remove()).toMatchObject({ status: 413, body: { code: 'runtime_log_too_large' } });
    truncateSync(path, 512 * 1024 * 1024);
    expect((await remove()).status).toBe(204);
  },
);

test('"Runtime log file name: matches the pattern in part 4"', async () => {
  const good = ['a.log', '0.log', 'a.b-c_d.log', 'a..log'];
  const wrong = ['A.log', '.log', '-a.log', '_a.log', 'a.logx', 'a.txt', 'a b.log', 'ä.log'];
  for (const name of [...good, ...wrong]) writeFileSync(join(service.logs, name), 'x\n');
  const { items } = (await service.call('GET', FILES, { key })).body;
  const served = (items as Body[]).map(({ name }) => name).filter((name) => name !== 'large.log');
  expect(served.sort()).toEqual(good.sort());
  const pattern = new RegExp(RUNTIME_LOG_NAME_PATTERN);
  for (const name of [...good, ...wrong]) {
    const { status } = await service.call('GET', `${FILES}/${encodeURIComponent(name)}`, { key });
    expect(status, name).toBe(pattern.test(name) ? 200 : 404);
  }
});

test('"Pagination: `cursor` and `limit` on list operations"', async () => {
  for (const n of [1, 2, 3]) await service.make('/v1/modules', { name: `module ${n}`, type: 'DOMAINS' });
  const page = async (query: string) => (await service.call('GET', `/v1/modules?${query}`)).body;
  const first = await page('limit=2');
  expect(first).toMatchObject({ items: [{ name: 'module 1' }, { name: 'module 2' }], has_more: true });
  const second = await page(`limit=2&cursor=${String(first.next_cursor)}`);
  expect(second).toMatchObject({ items: [{ name: 'module 3' }], has_more: false, next_cursor: null });
});

test('"Revision retention: tenant setting `revision_retention_minutes`"', async () => {
  const { community } = await makeFixtures(service, service.tenant);
  await makeRevision(service, service.tenant, community!, ['9.9.9.0/24']);
  await service.database.admin("UPDATE revision SET created_at = now() - interval '90 minutes'");
  const toPrune = async (minutes: number | null): Promise<unknown> => {
    await service.call('PATCH', '/v1/settings', { body: { revision_retention_minutes: minutes } });
    return (await service.call('GET', '/v1/revisions/prune/estimate')).body.revisions;
  };
  // The newest one stays whatever its age.
  expect([await toPrune(120), await toPrune(60), await toPrune(null)]).toEqual([0, 1, 0]);
  const foreign = await service.call('GET', '/v1/settings', { key: service.other.keys.viewer });
  expect(foreign.body.settings).toMatchObject({ revision_retention_minutes: 43_200 });
});
