/** Part 4 of the specification, "Endpoints": the conventions, the public routes, and every resource that is made, read, changed and deleted. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Role } from '../../src/api/access/permissions.ts';
import type { Body } from '../http/service.ts';
import { startFilledService, type FilledService } from './roles.ts';

let service: FilledService;
beforeAll(async () => {
  service = await startFilledService();
});
afterAll(() => service.close());

const withIds = (path: string): string =>
  path.replace(/\{([^{}]+)\}/g, (_, noun: string) => service.ids[noun]!);
const read = async (path: string): Promise<Body> => (await service.call('GET', path)).body;

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
    const { status, body } = await service.callAs(null, 'GET', path);
    expect(status).toBe(200);
    expect(body).toMatchObject(shown);
  });

  test('GET `/metrics`: "metrics in a text exposition format for a metrics scraper, at the server root, outside `/v1`"', async () => {
    const { status, headers, text } = await service.callAs(null, 'GET', '/metrics');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^text\/plain; version=/);
    expect(text).toMatch(/^# HELP \w+ .+\n# TYPE \w+ (counter|gauge|histogram)\n/m);
    expect((await service.callAs('operator', 'GET', '/v1/metrics')).status).toBe(404);
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
      await service.expectRefused(['node', 'viewer'], 'POST', withIds(path), create);
      const { status, headers, body } = await service.callAs('operator', 'POST', withIds(path), create);
      expect(status).toBe(201);
      expect(body).toMatchObject(create);
      item = `${withIds(path)}/${String(body.id)}`;
      expect(headers.get('location')).toBe(item);
      made = body;
    });

    test(`GET, ${reads}+: "list"`, async () => {
      await service.expectRefused(beneath, 'GET', withIds(path));
      const { status, body } = await service.callAs(reads, 'GET', withIds(path));
      expect(status).toBe(200);
      expect(body.items).toContainEqual(expect.objectContaining({ id: made.id }));
    });

    test(`GET item, ${reads}+: "read"`, async () => {
      await service.expectRefused(beneath, 'GET', item);
      const { status, body } = await service.callAs(reads, 'GET', item);
      expect(status).toBe(200);
      expect(body).toMatchObject(create);
    });

    test('PATCH item, operator+: "change"', async () => {
      await service.expectRefused(['node', 'viewer'], 'PATCH', item, change);
      const { status, body } = await service.callAs('operator', 'PATCH', item, change);
      expect(status).toBe(200);
      expect(body).toMatchObject(change);
      expect(await read(item)).toMatchObject(change);
    });

    test('DELETE item, operator+: "delete"', async () => {
      await service.expectRefused(['node', 'viewer'], 'DELETE', item);
      expect((await service.callAs('operator', 'DELETE', item)).status).toBe(204);
      const { status, body } = await service.callAs('operator', 'GET', item);
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
    expect((await service.callAs('operator', 'GET', '/v1/modules')).status).toBe(200);
  });

  test('"Roles: `viewer+` means viewer and above, `operator+` means operator and above."', async () => {
    const statuses = async (method: string, path: string, body?: unknown) => {
      const roles = ['viewer', 'operator', 'super_viewer', 'super_admin', 'node', 'firewall'] as const;
      const answers = await Promise.all(roles.map((role) => service.callAs(role, method, path, body)));
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
    const { headers, body } = await service.callAs('operator', 'GET', '/v1/modules/x');
    expect(headers.get('content-type')).toBe('application/problem+json');
    expect(body).toMatchObject({ status: 404, code: 'not_found' });
  });
});
