/** Part 5 of the specification, "Authentication", sentence by sentence: the titles quote it. What it says of `APP_CORS_ORIGINS` is in variables.test.ts. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROLE_PERMISSIONS, ROLES } from '../../src/api/access/permissions.ts';
import { ROUTES } from '../../src/http/server/route-table.ts';
import { pathWith } from '../http/fixtures.ts';
import { startFilledService, type FilledService } from './roles.ts';

let service: FilledService;
beforeAll(async () => {
  service = await startFilledService(({ database, tenant }) =>
    // The tenant that runs the installation.
    database.admin("UPDATE tenant SET slug = 'default' WHERE id = $1", [tenant.id]),
  );
});
afterAll(() => service.close());

test('"Every `/v1` route except `GET /v1/health`, `GET /v1/ready` and `GET /v1/version` requires the header `Authorization: Bearer <API_KEY>`."', async () => {
  // Beyond the page: the description of the API itself.
  const open = ['/v1/health', '/v1/ready', '/v1/version', '/v1/openapi.json'];
  const statuses: Record<string, number> = {};
  const listed = ROUTES.filter(({ path }) => path.startsWith('/v1/'));
  for (const route of listed) {
    const params = route.permission === 'public' ? undefined : route.params;
    const path = pathWith(route.path, params, service.ids);
    const example = route.permission === 'public' || route.body === undefined ? undefined : route.example;
    const { status } = await service.callAs(null, route.method, path, example);
    if (status !== 401) statuses[`${route.method} ${route.path}`] = status;
  }
  expect(statuses).toEqual(Object.fromEntries(open.map((path) => [`GET ${path}`, 200])));
});

test('"The tenant is derived only from the API key. The header `X-Tenant-Id`, meant for super roles, does not change the tenant context in the implementation."', async () => {
  const headers = { 'X-Tenant-Id': service.other.id };
  for (const role of ROLES) {
    const { body } = await service.call('GET', '/v1/auth/session', {
      key: service.tenant.keys[role],
      headers,
    });
    expect(body, role).toMatchObject({ tenant: { id: service.tenant.id } });
  }
  const { super_admin: key } = service.tenant.keys;
  const foreign = await service.make(
    '/v1/modules',
    { name: 'x', type: 'DOMAINS' },
    service.other.keys.operator,
  );
  expect((await service.call('GET', `/v1/modules/${foreign.id}`, { key, headers })).status).toBe(404);
});

test('"Roles: `viewer`, `operator` (includes viewer rights) and `node` (for node routes). Super roles exist."', async () => {
  expect(ROLES).toEqual(
    expect.arrayContaining(['viewer', 'operator', 'node', 'super_viewer', 'super_admin']),
  );
  expect(ROLE_PERMISSIONS.operator).toEqual(expect.arrayContaining([...ROLE_PERMISSIONS.viewer]));
  for (const path of ['/v1/modules', '/v1/peers', '/v1/revisions', '/v1/jobs']) {
    expect((await service.callAs('viewer', 'GET', path)).status).toBe(200);
    expect((await service.callAs('operator', 'GET', path)).status).toBe(200);
    expect((await service.callAs('node', 'GET', path)).status).toBe(403);
  }
  const latest = `/v1/speakers/${service.ids['speaker of a node']}/revisions/latest`;
  expect((await service.callAs('node', 'GET', latest)).body.code).toBe('revision_not_ready');
  expect((await service.callAs('operator', 'GET', latest)).status).toBe(403);
  expect((await service.callAs('super_viewer', 'GET', '/v1/tenants')).status).toBe(200);
  expect((await service.callAs('super_admin', 'GET', '/v1/tenants')).status).toBe(200);
  expect((await service.callAs('operator', 'GET', '/v1/tenants')).status).toBe(403);
});

test.for(['/v1/settings', '/v1/lookup?q=8.8.8.8', '/v1/audit', '/v1/runtime-logs/files'])(
  '"Reading settings, lookup, audit and runtime log listing need viewer+.": GET `%s`',
  async (path) => {
    const roles = ['viewer', 'operator', 'super_viewer', 'super_admin', 'node', 'firewall'] as const;
    const statuses = await Promise.all(
      roles.map(async (role) => (await service.callAs(role, 'GET', path)).status),
    );
    expect(statuses).toEqual([200, 200, 200, 200, 403, 403]);
    expect((await service.callAs(null, 'GET', path)).status).toBe(401);
  },
);

test.for([
  ['PATCH', '/v1/settings', { deploy_freeze: false }, 200],
  ['POST', '/v1/api-keys', { name: 'made', role: 'viewer' }, 201],
  ['POST', '/v1/revisions/prune', undefined, 202],
  ['DELETE', '/v1/runtime-logs/files/fixture.log', undefined, 204],
  ['POST', '/v1/runtime-logs/auto-run', undefined, 200],
] as const)(
  '"Changing settings, creating API keys and cleanup operations need operator+.": %s `%s`',
  async ([method, path, body, answered]) => {
    for (const role of ['viewer', 'node', 'super_viewer'] as const)
      expect((await service.callAs(role, method, path, body)).body.code, role).toBe('forbidden');
    expect((await service.callAs('operator', method, path, body)).status).toBe(answered);
    if (!path.includes('runtime-logs')) return;
    // Files are the machine's: operators of other tenants than the one that runs it clean none.
    const { operator: key } = service.other.keys;
    expect((await service.call(method, path, { key })).body.code).toBe('home_tenant_only');
  },
);

test('"`GET /v1/auth/session` returns tenant and role of the key."', async () => {
  for (const role of ROLES)
    expect((await service.callAs(role, 'GET', '/v1/auth/session')).body).toMatchObject({
      tenant: { id: service.tenant.id },
      role,
    });
});

test('"The last-used time of a key is recorded."', async () => {
  const { secret, id } = await service.make('/v1/api-keys', { name: 'used', role: 'viewer' });
  const lastUsed = async (): Promise<unknown> =>
    (await service.callAs('operator', 'GET', `/v1/api-keys/${id}`)).body.last_used_at;
  expect(await lastUsed()).toBeNull();
  await service.call('GET', '/v1/modules', { key: secret as string });
  await expect.poll(lastUsed, { interval: 20 }).toEqual(expect.any(String));
});
