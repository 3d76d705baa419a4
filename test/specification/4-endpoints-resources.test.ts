/** Part 4 of the specification, "Endpoints": the conventions, the public routes, and every resource that is made, read, changed and deleted. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Role } from '../../src/api/access/permissions.ts';
import { makeFixtures, type Fixtures } from '../http/fixtures.ts';
import { startService, type Body, type TestService } from '../http/service.ts';

let service: TestService;
let ids: Fixtures;
beforeAll(async () => {
  service = await startService();
  ids = await makeFixtures(service, service.tenant);
});
afterAll(() => service.close());

const keyOf = (role: Role | null): string | null => (role === null ? null : service.tenant.keys[role]);
const withIds = (path: string): string => path.replace(/\{([^{}]+)\}/g, (_, noun: string) => ids[noun]!);
const read = async (path: string): Promise<Body> => (await service.call('GET', path)).body;

const sendAs = async (role: Role | null, method: string, path: string, body?: unknown) =>
  service.call(method, path, { key: keyOf(role), ...(body === undefined ? {} : { body }) });

/** 401 without a key, 403 with that of a lesser role. */
async function expectRefused(lesser: readonly Role[], method: string, path: string, body?: unknown) {
  expect((await sendAs(null, method, path, body)).status).toBe(401);
  for (const role of lesser) expect((await sendAs(role, method, path, body)).status, role).toBe(403);
}

describe('Public', () => {
  test.for([
    ['/v1/health', 'liveness', { status: 'ok' }],
    [
      '/v1/ready',
      'readiness, checks dependencies such as the database',
      { checks: { database: { ok: true } } },
    ],
    ['/v1/version', 'build version and metadata', { name: 'prefixcast', api: 'v1' }],
    ['/version', 'build version and metadata (also exposed outside the prefix)', { name: 'prefixcast' }],
  ] as const)('GET `%s`: "%s"', async ([path, , shown]) => {
    const { status, body } = await sendAs(null, 'GET', path);
    expect(status).toBe(200);
    expect(body).toMatchObject(shown);
  });

  test('GET `/metrics`: "metrics in a text exposition format for a metrics scraper, at the server root, outside `/v1`"', async () => {
    const { status, headers, text } = await sendAs(null, 'GET', '/metrics');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^text\/plain; version=/);
    expect(text).toMatch(/^# HELP \w+ .+\n# TYPE \w+ (counter|gauge|histogram)\n/m);
    expect((await sendAs('operator', 'GET', '/v1/metrics')).status).toBe(404);
  });
});

interface Collection {
  readonly path: string;
  /** What the page says of it. */
  readonly says?: string;
  /** Who may read it and who may write, by the least role. */
  readonly reads: 'viewer' | 'operator';
  readonly create: object;
  readonly change: Readonly<Record<string, unknown>>;
  /** What follows DELETE; 404 where nothing is left. */
  readonly afterDelete?: Readonly<Record<string, unknown>>;
}

const viewer = { reads: 'viewer' } as const;
const COLLECTIONS: readonly Collection[] = [
  {
    ...{ path: '/v1/modules', ...viewer },
    ...{ create: { name: 'made', type: 'DOMAINS' }, change: { description: 'changed' } },
  },
  {
    ...{ path: '/v1/modules/{module}/cdn-sources', says: 'CDN sources', ...viewer },
    ...{ create: { name: 'made', url: 'https://example.net/made' }, change: { enabled: false } },
  },
  {
    ...{ path: '/v1/modules/{module of networks}/as-entries', says: 'AS entries', ...viewer },
    ...{ create: { asn: 3333 }, change: { note: 'changed' } },
  },
  {
    ...{ path: '/v1/modules/{module of names}/domain-entries', says: 'domain entries', ...viewer },
    ...{ create: { domain: 'made.example.net' }, change: { note: 'changed' } },
  },
  {
    ...{ path: '/v1/modules/{module of ranges}/ip-range-entries', says: 'IP range entries', ...viewer },
    ...{ create: { cidr: '9.9.9.0/24' }, change: { note: 'changed' } },
  },
  {
    ...{ path: '/v1/doh-profiles', ...viewer },
    ...{ create: { url: 'https://made.example.net/dns-query' }, change: { name: 'changed' } },
  },
  {
    ...{ path: '/v1/communities', ...viewer },
    ...{ create: { community: '65000:300', title: 'made' }, change: { title: 'changed' } },
  },
  {
    ...{
      path: '/v1/api-keys',
      says: 'list and create; operator" and "read, change, revoke',
      reads: 'operator',
    },
    ...{ create: { name: 'made', role: 'viewer' }, change: { name: 'changed' } },
    afterDelete: { revoked_at: expect.any(String) as string },
  },
  {
    ...{ path: '/v1/peers', ...viewer },
    ...{ create: { name: 'made', address: '192.0.2.9', remote_asn: 64501 }, change: { enabled: false } },
  },
  {
    ...{ path: '/v1/speakers', ...viewer },
    ...{ create: { name: 'made', local_asn: 64512 }, change: { label: 'changed' } },
  },
];

const titleOf = ({ path, says }: Collection): string =>
  `\`${path}\` and its item routes${says === undefined ? '' : `: "${says}"`}`;

describe.for(COLLECTIONS.map((collection) => [titleOf(collection), collection] as const))(
  '%s',
  ([, { path, reads, create, change, afterDelete }]) => {
    const beneath: readonly Role[] = reads === 'viewer' ? ['node'] : ['node', 'viewer'];
    let item: string;
    let made: Body;

    test('POST, operator+: "create"', async () => {
      await expectRefused(['node', 'viewer'], 'POST', withIds(path), create);
      const { status, headers, body } = await sendAs('operator', 'POST', withIds(path), create);
      expect(status).toBe(201);
      expect(body).toMatchObject(create);
      item = `${withIds(path)}/${String(body.id)}`;
      expect(headers.get('location')).toBe(item);
      made = body;
    });

    test(`GET, ${reads}+: "list"`, async () => {
      await expectRefused(beneath, 'GET', withIds(path));
      const { status, body } = await sendAs(reads, 'GET', withIds(path));
      expect(status).toBe(200);
      expect(body.items).toContainEqual(expect.objectContaining({ id: made.id }));
    });

    test(`GET item, ${reads}+: "read"`, async () => {
      await expectRefused(beneath, 'GET', item);
      const { status, body } = await sendAs(reads, 'GET', item);
      expect(status).toBe(200);
      expect(body).toMatchObject(create);
    });

    test('PATCH item, operator+: "change"', async () => {
      await expectRefused(['node', 'viewer'], 'PATCH', item, change);
      const { status, body } = await sendAs('operator', 'PATCH', item, change);
      expect(status).toBe(200);
      expect(body).toMatchObject(change);
      expect(await read(item)).toMatchObject(change);
    });

    test('DELETE item, operator+: "delete"', async () => {
      await expectRefused(['node', 'viewer'], 'DELETE', item);
      expect((await sendAs('operator', 'DELETE', item)).status).toBe(204);
      const { status, body } = await sendAs('operator', 'GET', item);
      if (afterDelete === undefined) expect(status).toBe(404);
      else expect(body).toMatchObject(afterDelete);
    });
  },
);

describe('General conventions', () => {
  test('"Unless marked public, every `/v1` route needs `Authorization: Bearer <API_KEY>`."', async () => {
    const { operator } = service.tenant.keys;
    for (const authorization of [operator, `Basic ${operator}`, `Bearer ${operator}x`, 'Bearer'])
      expect(
        (await service.call('GET', '/v1/modules', { key: null, headers: { authorization } })).status,
      ).toBe(401);
    expect((await sendAs('operator', 'GET', '/v1/modules')).status).toBe(200);
  });

  test('"Roles: `viewer+` means viewer and above, `operator+` means operator and above."', async () => {
    const statuses = async (method: string, path: string, body?: unknown) => {
      const roles = ['viewer', 'operator', 'super_viewer', 'super_admin', 'node', 'firewall'] as const;
      const answers = await Promise.all(roles.map((role) => sendAs(role, method, path, body)));
      return Object.fromEntries(answers.map(({ status }, index) => [roles[index]!, status]));
    };
    const others = { node: 403, firewall: 403 };
    expect(await statuses('GET', '/v1/settings')).toEqual({
      ...{ viewer: 200, operator: 200, super_viewer: 200, super_admin: 200, ...others },
    });
    expect(await statuses('PATCH', '/v1/settings', { deploy_freeze: false })).toEqual({
      ...{ viewer: 403, operator: 200, super_viewer: 403, super_admin: 200, ...others },
    });
  });

  const LISTS = [
    ...COLLECTIONS.map(({ path }) => path),
    ...['/v1/revisions', '/v1/revisions/{revision}/prefixes', '/v1/jobs', '/v1/audit'],
    ...['/v1/runtime-logs/files', '/v1/runtime-logs/cleanup-audit'],
    ...['/v1/maintenance/policies', '/v1/firewall/clients', '/v1/firewall/rules'],
  ];
  test.for(LISTS)(
    'GET `%s`: "List operations take query parameters `cursor` (string) and `limit` (integer). Responses often carry `items` (array), `next_cursor` (string) and `has_more` (boolean)."',
    async (path) => {
      writeFileSync(join(service.logs, 'second.log'), '');
      mkdirSync(join(service.logs, 'directory.log'), { recursive: true });
      const { super_admin: key } = service.tenant.keys;
      const list = withIds(path);
      const whole = (await service.call('GET', `${list}?limit=500`, { key })).body;
      expect(whole).toMatchObject({ has_more: false, next_cursor: null });
      const items: unknown[] = [];
      let cursor = '';
      do {
        const page = (await service.call('GET', `${list}?limit=3${cursor}`, { key })).body;
        expect((page.items as unknown[]).length).toBeLessThanOrEqual(3);
        items.push(...(page.items as unknown[]));
        expect(page.has_more).toBe(page.next_cursor !== null);
        cursor = page.next_cursor === null ? '' : `&cursor=${encodeURIComponent(page.next_cursor as string)}`;
      } while (cursor !== '');
      expect(items).toEqual(whole.items);
    },
  );

  test('"Mutations that can be repeated accept the header `Idempotency-Key`."', async () => {
    const repeat = (method: string, path: string, body: unknown) => {
      const headers = { 'Idempotency-Key': `${method}-once` };
      return service.call(method, path, { headers, ...(body === undefined ? {} : { body }) });
    };
    const create = { name: 'once', type: 'DOMAINS' };
    const made = await repeat('POST', '/v1/modules', create);
    const path = `/v1/modules/${String(made.body.id)}`;
    expect((await repeat('POST', '/v1/modules', create)).body).toEqual(made.body);
    for (const [method, body] of [
      ['PATCH', { description: 'changed once' }],
      ['DELETE', undefined],
    ] as const) {
      const first = await repeat(method, path, body);
      const second = await repeat(method, path, body);
      expect(second).toMatchObject({ status: first.status, body: first.body });
      expect(second.headers.get('idempotency-replayed')).toBe('true');
    }
  });

  test('"Errors use the format in part 7."', async () => {
    const { headers, body } = await sendAs('operator', 'GET', '/v1/modules/x');
    expect(headers.get('content-type')).toBe('application/problem+json');
    expect(body).toMatchObject({ status: 404, code: 'not_found' });
  });
});

describe('Modules and entries', () => {
  test('GET `/v1/modules`: "list; filters by module type and by enabled status"', async () => {
    const off = await service.make('/v1/modules', { name: 'off', type: 'DOMAINS', enabled: false });
    const found = async (query: string) =>
      ((await read(`/v1/modules?${query}`)).items as Body[]).map(({ id }) => id);
    expect(await found('type=DOMAINS')).toEqual([ids['module of names'], off.id]);
    expect(await found('type=DOMAINS&enabled=true')).toEqual([ids['module of names']]);
    expect(await found('enabled=false')).toEqual([off.id]);
    expect(await found('type=IP_RANGES')).toEqual([ids['module of ranges']]);
  });

  test.for([
    ['cdn-sources', 'module', 'CDN source', { enabled: false }],
    ['as-entries', 'module of networks', 'AS entry', { note: 'x' }],
    ['domain-entries', 'module of names', 'domain entry', { note: 'x' }],
    ['ip-range-entries', 'module of ranges', 'IP range entry', { note: 'x' }],
  ] as const)(
    '"GET, POST, PATCH, DELETE `/v1/modules/{module_id}/%s` (and item routes)": PATCH and DELETE of the collection too',
    async ([entries, module, entry, patch]) => {
      const path = `/v1/modules/${ids[module]}/${entries}`;
      const choice = { ids: [ids[entry]] };
      await expectRefused(['node', 'viewer'], 'PATCH', path, { ...choice, patch });
      expect((await service.call('PATCH', path, { body: { ...choice, patch } })).status).toBe(200);
      expect(await read(`${path}/${ids[entry]}`)).toMatchObject(patch);
      await expectRefused(['node', 'viewer'], 'DELETE', path, choice);
      expect((await service.call('DELETE', path, { body: choice })).status).toBe(200);
      expect((await service.call('GET', `${path}/${ids[entry]}`)).status).toBe(404);
    },
  );

  test('POST `/v1/modules/{module_id}/refresh`: "start a refresh"', async () => {
    const path = `/v1/modules/${ids['module of ranges']}/refresh`;
    await expectRefused(['node', 'viewer'], 'POST', path);
    const { status, headers, body } = await sendAs('operator', 'POST', path);
    expect({ status, type: body.type }).toEqual({ status: 202, type: 'module_refresh' });
    expect(headers.get('location')).toBe(`/v1/jobs/${String(body.id)}`);
  });

  test('GET `/v1/router-lists/catalog`: "aggregated catalog of modules, domain entries, ASNs, IP ranges and communities"', async () => {
    const path = '/v1/router-lists/catalog';
    await service.make(`/v1/modules/${ids['module of networks']}/as-entries`, { asn: 3333 });
    await service.make(`/v1/modules/${ids['module of names']}/domain-entries`, { domain: 'a.example.net' });
    await service.make(`/v1/modules/${ids['module of ranges']}/ip-range-entries`, { cidr: '9.9.9.0/24' });
    await expectRefused(['node'], 'GET', path);
    expect((await sendAs('viewer', 'GET', path)).body).toMatchObject({
      modules: expect.arrayContaining([expect.objectContaining({ id: ids.module })]) as unknown[],
      domain_entries: [{ domain: 'a.example.net' }],
      as_entries: [{ asn: 3333 }],
      ip_range_entries: [{ cidr: '9.9.9.0/24' }],
      communities: [{ community: '65000:100', title: 'Clouds' }],
    });
  });
});

describe('API keys and session', () => {
  test('GET `/v1/auth/session`: "returns tenant and role of the calling key"', async () => {
    for (const role of ['viewer', 'operator', 'node', 'super_admin'] as const)
      expect((await sendAs(role, 'GET', '/v1/auth/session')).body).toMatchObject({
        tenant: { id: service.tenant.id },
        role,
      });
  });

  test('POST `/v1/api-keys/{id}/rotate`: "rotate"', async () => {
    const path = `/v1/api-keys/${ids['API key']}/rotate`;
    await expectRefused(['node', 'viewer'], 'POST', path, {});
    const { status, body } = await sendAs('operator', 'POST', path, {});
    expect({ status, secret: body.secret }).toEqual({ status: 200, secret: expect.any(String) as string });
  });
});

describe('Peers and speakers', () => {
  test('`/v1/peers/{id}`: "write operations start `peer_reconcile`"', async () => {
    const before = ((await read('/v1/jobs?type=peer_reconcile&limit=500')).items as Body[]).length;
    await service.call('PATCH', `/v1/peers/${ids.peer}`, { body: { description: 'changed' } });
    const jobs = (await read('/v1/jobs?type=peer_reconcile&limit=500')).items as Body[];
    // A peer's job that waits serves those who ask for another.
    expect(jobs.length).toBeGreaterThanOrEqual(Math.max(1, before));
    expect(jobs[0]).toMatchObject({ resource: { type: 'peer' } });
  });

  test('`/v1/speakers`: "GET accepts a `live` query parameter that adds live speaker and BGP session status"', async () => {
    for (const { live } of (await read('/v1/speakers?live=true')).items as Body[])
      expect(live).toMatchObject({ sessions: expect.any(Array) as unknown[] });
    for (const speaker of (await read('/v1/speakers')).items as Body[])
      expect(speaker).not.toHaveProperty('live');
  });

  test('DELETE speaker resource: "removes a speaker; authorization is checked"', async () => {
    const { id } = await service.make('/v1/speakers', { name: 'removed', local_asn: 64512 });
    const path = `/v1/speakers/${id}`;
    await expectRefused(['viewer', 'node'], 'DELETE', path);
    expect((await service.call('DELETE', path, { key: service.other.keys.operator })).status).toBe(404);
    expect((await sendAs('operator', 'DELETE', path)).status).toBe(204);
    expect((await sendAs('operator', 'GET', path)).status).toBe(404);
  });

  test('GET `/v1/router/status`: "status of the local routing daemon"', async () => {
    await expectRefused(['node'], 'GET', '/v1/router/status');
    const { status, body } = await sendAs('viewer', 'GET', '/v1/router/status');
    expect(status).toBe(200);
    expect(body).not.toEqual({});
  });
});
