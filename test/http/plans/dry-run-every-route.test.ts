/** `dry_run=true` of every write that takes it: answers as the write would, and leaves nothing. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROUTES } from '../../../src/http/server/route-table.ts';
import type { TenantRoute } from '../../../src/http/route.ts';
import { DRY_RUN_MEDIA_TYPE, takesDryRun } from '../../../src/http/route-rules.ts';
import { serves, startListServer, type ListServer } from '../../sources/lists/list-server.ts';
import { keyFor, makeFixtures, pathWith, requiredQuery, type Fixtures } from '../fixtures.ts';
import { settingOf } from '../route-settings.ts';
import { makeTenant, startService, type TestService, type TestTenant } from '../service.ts';

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

/** Every row of every table, as one digest each, and every log file; but when keys were last used, and what the queue writes of itself while time passes. */
async function contents(): Promise<Record<string, string>> {
  const tables = await service.database.admin<{ name: string }>(
    `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
      WHERE table_schema IN ('public', 'pgboss') AND table_type = 'BASE TABLE'
        AND NOT (table_schema = 'pgboss' AND table_name ~ '^(version|queue)') ORDER BY 1`,
  );
  const digests: Record<string, string> = {};
  for (const { name } of tables) {
    const [row] = await service.database.admin<{ digest: string }>(
      `SELECT coalesce(md5(string_agg(line, E'\\n' ORDER BY line)), '') AS digest
         FROM (SELECT (to_jsonb(t) - 'last_used_at')::text AS line FROM ${name} t) lines`,
    );
    digests[name] = row!.digest;
  }
  // What stands outside of the database.
  for (const name of readdirSync(service.logs))
    digests[`file ${name}`] = readFileSync(join(service.logs, name), 'utf8');
  return digests;
}

test('every write takes it, but those that change nothing of a tenant, and those that machines report with', () => {
  const others = ROUTES.filter(
    (route) => route.method !== 'GET' && !writes.some((write) => write.route === route),
  );
  // Their own `dry_run` answers with what would be done: http/lists/entry-csv.long.test.ts, http/operation/runtime-logs.test.ts.
  const own = ['importEntries', 'runRuntimeLogCleanup'];
  for (const { operation, query } of others as TenantRoute[])
    if (own.includes(operation)) expect(query?.properties, operation).toHaveProperty('dry_run');
  const asking = ['lookupMany', 'findHolders', 'planRevision', 'previewCdnSource', 'previewGeofeed'];
  const trying = ['testDohProfile', 'testWebhook'];
  const browsing = ['openSession', 'endSession'];
  const machines = ['enrollNode', 'reportApplyStatus', 'enrollFirewallClient', 'reportFirewallStatus'];
  expect(others.map(({ operation }) => operation).sort()).toEqual(
    [...own, ...asking, ...trying, ...browsing, ...machines].sort(),
  );
});

describe('a dry run answers as the write would, and leaves nothing', () => {
  // Since nothing is left, all of them may have the same things.
  let tenant: TestTenant;
  let ids: Fixtures;
  beforeAll(async () => {
    tenant = await makeTenant(service.database);
    ids = await makeFixtures(service, tenant);
  });

  test.each(writes)('$name', async ({ route }) => {
    const {
      body = route.example,
      query = requiredQuery(route.query),
      ids: others,
    } = await settingOf(route, { service, lists, tenant }, ids);
    const before = await contents();
    const path = `${pathWith(route.path, route.params, { ...ids, ...others })}${query}${query === '' ? '?' : '&'}dry_run=true`;
    // service.ts holds the answer against the schema of the write's, and what it would announce against that of effects.
    const answer = await service.call(route.method, path, {
      key: keyFor(route, tenant),
      ...(route.body === undefined ? {} : { body }),
      headers: { 'idempotency-key': 'a-dry-run' },
    });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.headers.get('content-type')).toBe(DRY_RUN_MEDIA_TYPE);
    expect(await contents()).toEqual(before);
  });
});

test('what would be refused is refused alike', async () => {
  const { status, body } = await service.call('POST', '/v1/communities?dry_run=true', {
    body: { community: 'nonsense', title: 'x' },
  });
  expect({ status, code: body.code }).toEqual({ status: 422, code: 'validation_failed' });
});
