/** Performs every route that changes something, and looks what the audit log tells of it. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROLES, roleHas } from '../../../src/api/access/permissions.ts';
import { ROUTES } from '../../../src/http/server/route-table.ts';
import type { TenantRoute } from '../../../src/http/route.ts';
import { ENROLLING, keepsAnswers } from '../../../src/http/route-rules.ts';
import { serves, startListServer, type ListServer } from '../../sources/lists/list-server.ts';
import { keyFor, makeFixtures, pathWith, requiredQuery, type Fixtures } from '../fixtures.ts';
import { settingOf, type Setting } from '../route-settings.ts';
import {
  type Answered,
  makeTenant,
  NOBODY,
  startService,
  type TestService,
  type TestTenant,
} from '../service.ts';

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

const changing = ROUTES.filter((route): route is TenantRoute => route.method !== 'GET').map((route) => ({
  name: `${route.method} ${route.path}`,
  route,
}));

interface AuditRow {
  readonly action: string;
  readonly actor: string;
  readonly request_id: string | null;
  readonly resource_type: string;
}

function readAuditLog({ id }: TestTenant): Promise<AuditRow[]> {
  return service.database.admin<AuditRow & Record<string, unknown>>(
    'SELECT action, actor, request_id, resource_type FROM audit_record WHERE tenant_id = $1 ORDER BY at, id',
    [id],
  );
}

function ask(
  route: TenantRoute,
  tenant: TestTenant,
  ids: Fixtures,
  { body = route.example, query = requiredQuery(route.query), headers: credentials }: Setting = {},
  headers: Readonly<Record<string, string>> = {},
  key: string | null = route.keyInBody === true ? null : keyFor(route, tenant),
): Promise<Answered> {
  const takesBody = route.body !== undefined || route.consumes !== undefined;
  return service.call(route.method, pathWith(route.path, route.params, ids) + query, {
    key: credentials?.cookie === undefined ? key : null,
    ...(takesBody ? { body } : {}),
    headers: {
      ...credentials,
      ...(route.consumes === undefined ? {} : { 'content-type': route.consumes }),
      ...headers,
    },
  });
}

interface Furnished {
  readonly tenant: TestTenant;
  readonly fixtures: Fixtures;
}
let sharing: Promise<Furnished> | null = null;

async function furnish(): Promise<Furnished> {
  const tenant = await makeTenant(service.database);
  return { tenant, fixtures: await makeFixtures(service, tenant) };
}

/** What these ask for has been disabled or revoked by a route before them. */
const NEEDS_ITS_OWN = ['refreshModule', 'reportApplyStatus'];

/** A tenant with one of everything. To make one is most of the work, so a route that takes nothing away leaves it to the next one. */
function furnishedFor({ method, operation }: TenantRoute): Promise<Furnished> {
  return method === 'DELETE' || NEEDS_ITS_OWN.includes(operation) ? furnish() : (sharing ??= furnish());
}

describe('each change leaves one record when it succeeds, also when it is repeated, and none when it is refused', () => {
  test.each(changing)('$name', async ({ route }) => {
    const { tenant, fixtures } = await furnishedFor(route);
    const setting = await settingOf(route, { service, lists, tenant }, fixtures);
    const ids = { ...fixtures, ...setting.ids };
    const before = await readAuditLog(tenant);

    const lesser = ROLES.find((role) => !roleHas(role, route.permission))!;
    const lesserKey = tenant.keys[lesser];
    const asLesser =
      route.keyInBody === true
        ? ask(route, tenant, ids, { body: { api_key: lesserKey } })
        : ask(route, tenant, ids, { ...setting, headers: {} }, {}, lesserKey);
    const refusals: Answered[] = [await asLesser];
    if (route.params !== undefined)
      refusals.push(await ask(route, tenant, new Proxy({}, { get: () => NOBODY }), setting));
    if (route.body !== undefined) refusals.push(await ask(route, tenant, ids, { ...setting, body: [] }));
    if (route.method !== 'POST' && route.params !== undefined)
      refusals.push(await ask(route, tenant, ids, setting, { 'if-match': '"9-AAAAAAAAAAAAAAAA"' }));
    for (const { status, text } of refusals) expect(status, text).toBeGreaterThanOrEqual(400);
    expect(await readAuditLog(tenant)).toEqual(before);

    const start = before.length;
    const headers = { 'idempotency-key': route.operation, 'x-request-id': 'the-request' };
    const first = await ask(route, tenant, ids, setting, headers);
    expect(first.status, first.text).toBe(route.status);
    const again = await ask(route, tenant, ids, setting, headers);
    // What let it in works no more.
    const isUsedUp = ENROLLING.includes(route.permission) || route.operation === 'endSession';
    expect(again.status, again.text).toBe(isUsedUp ? 401 : route.status);
    // What changes nothing is asked again, and may be answered otherwise.
    if (keepsAnswers(route)) {
      expect(again.text).toBe(first.text);
      expect(again.headers.get('idempotency-replayed')).toBe('true');
    }
    const reported = { actor: actorOf(route, tenant), request_id: 'the-request' };
    const action = actionOf(route);
    // Whoever signs in twice has signed in twice.
    const times = route.keyInBody === true ? 2 : 1;
    expect((await readAuditLog(tenant)).slice(start)).toEqual(
      action === null
        ? []
        : Array<unknown>(times).fill({ ...reported, action, resource_type: action.split('.')[0] }),
    );
  });
});

function actionOf({ audit, isSeries }: TenantRoute): string | null {
  if (typeof audit === 'string') return audit;
  if (isSeries === true) return 'community.create';
  return audit !== undefined && 'written' in audit ? audit.written : null;
}

function actorOf(route: TenantRoute, tenant: TestTenant): string {
  if (route.operation === 'runRuntimeLogCleanup') return 'auto:scheduler';
  if (route.permission.startsWith('bgp:node:')) return 'node:node';
  if (route.permission === 'bgp:firewall:enroll') return 'key:enrollment token';
  if (route.permission === 'bgp:firewall:report') return 'firewall:client';
  return `key:the ${keyFor(route, tenant) === tenant.keys.operator ? 'operator' : 'super_admin'}`;
}

test('planted secrets are in no record, no line of the log, no kept answer and no job', async () => {
  const tenant = await makeTenant(service.database);
  const key = tenant.keys.operator;
  const call = async (method: string, path: string, body: unknown): Promise<Answered> => {
    const headers = { 'idempotency-key': randomUUID() };
    const answer = await service.call(method, path, { key, body, headers });
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer;
  };
  let planted = 0;
  const secret = (): string => `planted-${planted++}-hunter2`;

  const peer = await call('POST', '/v1/peers', {
    name: 'p',
    address: '192.0.2.7',
    remote_asn: 64500,
    password: secret(),
  });
  await call('PATCH', `/v1/peers/${String(peer.body.id)}`, { password: secret() });
  const module = await call('POST', '/v1/modules', { name: 'cdn', type: 'CDN_SOURCES' });
  const sources = `/v1/modules/${String(module.body.id)}/cdn-sources`;
  const source = await call('POST', sources, {
    name: 's',
    url: 'https://example.net/',
    headers: { Authorization: `Bearer ${secret()}` },
  });
  await call('PATCH', `${sources}/${String(source.body.id)}`, { headers: { 'X-Key': secret() } });
  await call('POST', sources, {
    items: [{ name: 't', url: 'https://example.net/', headers: { 'X-Key': secret() } }],
  });
  const made = await call('POST', '/v1/api-keys', { name: 'k', role: 'viewer' });
  const rotated = await call('POST', `/v1/api-keys/${String(made.body.id)}/rotate`, undefined);
  const keys = [made.body.secret, rotated.body.secret].map(String);
  // One that somebody writes where it does not belong.
  await call('PATCH', `/v1/modules/${String(module.body.id)}`, { description: `see ${keys[0]}` });

  const kept = [
    ...(await texts('SELECT to_jsonb(r)::text AS text FROM audit_record r')),
    ...(await texts('SELECT to_jsonb(j)::text AS text FROM job j')),
    ...(await texts("SELECT encode(answer, 'escape') AS text FROM idempotency_key WHERE answer IS NOT NULL")),
    ...service.log,
  ].join('\n');
  expect(planted).toBe(5);
  // Not the whole text in a message of failure.
  const holds = (text: string): boolean => kept.includes(text);
  expect(holds('"password": "***"')).toBe(true);
  expect(holds('hunter2')).toBe(false);
  expect(keys.filter(holds)).toEqual([]);
});

async function texts(statement: string): Promise<string[]> {
  const rows = await service.database.admin<{ text: string }>(statement);
  expect(rows.length, statement).toBeGreaterThan(0);
  return rows.map(({ text }) => text);
}
