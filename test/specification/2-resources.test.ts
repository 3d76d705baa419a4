/** Part 2 of the specification, "Resources and their fields", row by row: the titles quote the row and what it says. */
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { JOB_TYPES } from '../../src/api/activity/jobs.ts';
import { collect } from '../http/collect.ts';
import { makeFixtures, type Fixtures } from '../http/fixtures.ts';
import { startService, type Body, type TestService } from '../http/service.ts';

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const aTimestamp = expect.stringMatching(TIMESTAMP) as string;
const aString = expect.any(String) as string;

let service: TestService;
let ids: Fixtures;
beforeAll(async () => {
  service = await startService();
  ids = await makeFixtures(service, service.tenant);
});
afterAll(() => service.close());

const read = async (path: string): Promise<Body> => (await service.call('GET', path)).body;
const itemsOf = async (path: string): Promise<Body[]> => (await read(path)).items as Body[];

test('"Identifiers are opaque strings in path parameters (`module_id`, `id`, `speaker_id`, `revision_id`, `revision_a`, `revision_b`, `job_id`, `filename`)."', async () => {
  const { paths } = await read('/v1/openapi.json');
  const named = Object.keys(paths as Body).flatMap((path) => path.match(/(?<=\{)\w+(?=\})/g) ?? []);
  expect([...new Set(named)]).toEqual(
    expect.arrayContaining([
      ...['module_id', 'id', 'speaker_id', 'revision_id', 'revision_a', 'revision_b', 'job_id', 'filename'],
    ]),
  );
  for (const path of ['/v1/modules', '/v1/speakers', '/v1/revisions', '/v1/jobs'])
    for (const { id } of await itemsOf(path)) expect(id).toEqual(aString);
});

/** A field as a row of the page has it. */
interface Field {
  /** The resource and what the row says of the field, word for word. */
  readonly row: string;
  readonly says: string;
  /** The resource's path, with the nouns of the fixtures in braces. */
  readonly at: string;
  readonly field: string;
  /** What it is after creation without it. */
  readonly fresh: unknown;
  /** What it may be set to, where it may be; nouns in braces are ids. */
  readonly written?: unknown;
}

const NAMES = '/v1/modules/{module of names}';
const PEER =
  'connected speaker data: `connected_speaker_id`, `connected_speaker_label`, `session_on_speakers`, `established_on_speakers`, `session_mismatch`';
const FIELDS: readonly Field[] = [
  {
    ...{ row: 'Module', says: 'enabled (boolean; list filter)', at: '/v1/modules/{module}' },
    ...{ field: 'enabled', fresh: true, written: false },
  },
  {
    ...{ row: 'Module', says: '`last_refreshed_at` (timestamp of last successful update)' },
    ...{ at: '/v1/modules/{module}', field: 'last_refreshed_at', fresh: null },
  },
  {
    ...{ row: 'Module', says: '`doh_profile_ids` (array of DoH profile ids, for domain modules)' },
    ...{ at: NAMES, field: 'doh_profile_ids', fresh: [], written: ['{DoH profile}'] },
  },
  {
    ...{ row: 'Module', says: '`doh_profile_id` (single id, legacy, still accepted for compatibility)' },
    ...{ at: NAMES, field: 'doh_profile_id', fresh: null, written: '{DoH profile}' },
  },
  {
    ...{ row: 'Module', says: '`doh_resolver_policy` (policy object for domain resolution)' },
    ...{ at: NAMES, field: 'doh_resolver_policy', fresh: null, written: { strategy: 'union' } },
  },
  {
    ...{ row: 'CDN source', says: '`last_refreshed_at` (timestamp of last successful update)' },
    ...{ at: '/v1/modules/{module}/cdn-sources/{CDN source}', field: 'last_refreshed_at', fresh: null },
  },
  {
    ...{ row: 'DoH profile', says: '`name` (optional display name)' },
    ...{ at: '/v1/doh-profiles/{DoH profile}', field: 'name', fresh: 'dns.example.net', written: 'Resolver' },
  },
  {
    ...{ row: 'API key', says: 'has a last-used timestamp' },
    ...{ at: '/v1/api-keys/{API key}', field: 'last_used_at', fresh: null },
  },
  ...(
    [
      ['connected_speaker_id', null],
      ['connected_speaker_label', null],
      ['session_on_speakers', []],
      ['established_on_speakers', []],
    ] as const
  ).map(([field, fresh]) => ({
    ...{ row: 'Peer', says: PEER, at: '/v1/peers/{peer}', field, fresh },
  })),
  {
    ...{ row: 'Speaker', says: '`policies_json` parameter carries local IP and ASN overrides' },
    ...{ at: '/v1/speakers/{speaker}', field: 'policies_json', fresh: {} },
    written: { local_ip: '192.0.2.1', local_asn: 64513 },
  },
];

const withIds = (text: string): string => text.replace(/\{([^{}"]+)\}/g, (_, noun: string) => ids[noun]!);

describe('each field is there, has its type and default, and can be written where it is not of the service', () => {
  const titled = FIELDS.map((field) => [`${field.row}: "${field.says}": \`${field.field}\``, field] as const);
  test.for(titled)('%s', async ([, { at, field, fresh, written }]) => {
    const path = withIds(at);
    expect((await read(path))[field]).toEqual(fresh);
    if (written === undefined) {
      const { status, body } = await service.call('PATCH', path, { body: { [field]: fresh } });
      expect(status).toBe(422);
      expect(body.errors).toMatchObject([{ pointer: `/${field}` }]);
      return;
    }
    const value = JSON.parse(withIds(JSON.stringify(written))) as unknown;
    expect((await service.call('PATCH', path, { body: { [field]: value } })).body[field]).toEqual(value);
    expect((await read(path))[field]).toEqual(value);
    const back = await service.call('PATCH', path, { body: { [field]: fresh } });
    expect(back.body[field]).toEqual(fresh);
    const wrong = await service.call('PATCH', path, { body: { [field]: 12 } });
    expect(wrong.body.errors).toMatchObject([{ pointer: `/${field}` }]);
  });
});

describe('Module', () => {
  test.for(['IP_RANGES', 'DOMAINS', 'AS_PREFIXES'])(
    '"type (values used across the interface: `IP_RANGES`, `DOMAINS`, `AS_PREFIXES`)": %s',
    async (type) => {
      const module = await service.make('/v1/modules', { name: `of type ${type}`, type });
      expect(await read(`/v1/modules/${module.id}`)).toMatchObject({ type });
      const other = { body: { type: 'CDN_SOURCES' } };
      expect((await service.call('PATCH', `/v1/modules/${module.id}`, other)).status).toBe(422);
    },
  );

  test('"`doh_profile_id` (single id, legacy, still accepted for compatibility)": it is the one of `doh_profile_ids`', async () => {
    const module = await service.make('/v1/modules', {
      ...{ name: 'older', type: 'DOMAINS', doh_profile_id: ids['DoH profile'] },
    });
    expect(module).toMatchObject({
      doh_profile_id: ids['DoH profile'],
      doh_profile_ids: [ids['DoH profile']],
    });
  });
});

describe('Entries (children of a module)', () => {
  test('CDN source: "a preview operation fetches a URL and parses CIDR prefixes from it, with JSON parsing able to follow a path to the prefix list"', async () => {
    const list = Buffer.from(JSON.stringify({ data: { list: ['8.8.4.0/24', '8.8.8.0/24'] } }));
    const server = createServer((_, response) => response.end(list));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const body = { url: `http://127.0.0.1:${port}/`, format: 'json', json_path: '$.data.list' };
    const preview = await service.call('POST', '/v1/cdn-sources/preview', { body });
    server.close();
    expect(preview.body).toMatchObject({ prefixes: ['8.8.4.0/24', '8.8.8.0/24'] });
  });

  test('AS entry: "ASN only; it has no prefix field"', async () => {
    const path = `/v1/modules/${ids['module of networks']}/as-entries`;
    const entry = await service.make(path, { asn: 3333 });
    expect(entry.asn).toBe(3333);
    expect(entry).not.toHaveProperty('prefix');
    const withPrefix = await service.call('POST', path, { body: { asn: 3334, prefix: '8.8.8.0/24' } });
    expect(withPrefix.status).toBe(422);
    expect(withPrefix.body.errors).toMatchObject([{ pointer: '/prefix' }]);
  });

  test('Domain entry: "a domain name (FQDN, normalized on matching)"', async () => {
    const path = `/v1/modules/${ids['module of names']}/domain-entries`;
    expect(await service.make(path, { domain: 'API.Bücher.Example.' })).toMatchObject({
      domain: 'api.xn--bcher-kva.example',
    });
    const { matches } = await read(`/v1/lookup?q=${encodeURIComponent('api.BÜCHER.example')}`);
    expect(matches).toMatchObject([{ layer: 'entry', domain: 'api.xn--bcher-kva.example' }]);
  });

  test('IP range entry: "a CIDR range"', async () => {
    const path = `/v1/modules/${ids['module of ranges']}/ip-range-entries`;
    for (const cidr of ['8.8.4.0/24', '2001:4860:4860::/48'])
      expect(await service.make(path, { cidr })).toMatchObject({ cidr });
    expect((await service.call('POST', path, { body: { cidr: '8.8.8.0/33' } })).status).toBe(422);
  });
});

test('Community: "`community` (the community value), `title` (display title); these replace the older names `name` and `kind`"', async () => {
  const given = { community: '65000:200', title: 'Video' };
  const community = await service.make('/v1/communities', given);
  expect(community).toMatchObject(given);
  for (const older of ['name', 'kind']) {
    expect(community).not.toHaveProperty(older);
    const body = { community: '65000:201', title: 'Older', [older]: 'x' };
    const refused = await service.call('POST', '/v1/communities', { body });
    expect(refused.body.errors).toMatchObject([{ pointer: `/${older}` }]);
  }
});

test('Lookup match: "the matching community with `community_id`, value and title; layer `entry` or `snapshot`"', async () => {
  const community_id = ids.community;
  const ranges = await service.make('/v1/modules', { name: 'carried', type: 'IP_RANGES', community_id });
  await service.make(`/v1/modules/${ranges.id}/ip-range-entries`, { cidr: '9.9.9.0/24' });
  await collect(service, ids.module!, { '9.9.9.0/24': [ids['CDN source']!] });
  const { matches } = await read('/v1/lookup?q=9.9.9.9');
  const community = { community_id, value: '65000:100', title: 'Clouds' };
  expect(matches).toMatchObject([
    { layer: 'entry', community },
    { layer: 'snapshot', community },
  ]);
});

describe('API key', () => {
  test('"belongs to a tenant, has a role"', async () => {
    const key = await service.make('/v1/api-keys', { name: 'of a tenant', role: 'viewer' });
    expect(key.role).toBe('viewer');
    const session = await service.call('GET', '/v1/auth/session', { key: key.secret as string });
    expect(session.body).toMatchObject({ tenant: { id: service.tenant.id }, role: 'viewer' });
    const foreign = await service.call('GET', `/v1/api-keys/${key.id}`, { key: service.other.keys.operator });
    expect(foreign.status).toBe(404);
  });

  test('"has a last-used timestamp"', async () => {
    const key = await service.make('/v1/api-keys', { name: 'used', role: 'viewer' });
    await service.call('GET', '/v1/modules', { key: key.secret as string });
    const lastUsed = async () => (await read(`/v1/api-keys/${key.id}`)).last_used_at;
    await expect.poll(lastUsed, { interval: 20 }).toEqual(aTimestamp);
  });

  test('"can be rotated and revoked"', async () => {
    const key = await service.make('/v1/api-keys', { name: 'rotated', role: 'viewer' });
    const rotated = await service.call('POST', `/v1/api-keys/${key.id}/rotate`, { body: {} });
    const statusWith = async (secret: unknown) =>
      (await service.call('GET', '/v1/modules', { key: secret as string })).status;
    expect([await statusWith(key.secret), await statusWith(rotated.body.secret)]).toEqual([401, 200]);
    expect((await service.call('DELETE', `/v1/api-keys/${key.id}`)).status).toBe(204);
    expect(await statusWith(rotated.body.secret)).toBe(401);
  });
});

test('Peer: "`session_mismatch`" is true while a session that should be established is not', async () => {
  expect(await read(`/v1/peers/${ids.peer}`)).toMatchObject({ session_mismatch: true });
  await service.call('PATCH', `/v1/peers/${ids.peer}`, { body: { enabled: false } });
  expect(await read(`/v1/peers/${ids.peer}`)).toMatchObject({ session_mismatch: false });
});

test('Speaker: "response can include live status (speaker status and BGP sessions)"', async () => {
  const path = `/v1/speakers/${ids.speaker}`;
  expect(await read(path)).not.toHaveProperty('live');
  const live = { reachable: expect.any(Boolean) as boolean, sessions: expect.any(Array) as unknown[] };
  expect(await read(`${path}?live=true`)).toMatchObject({ live });
});

test('Revision: "has prefixes; can be previewed, diffed against another revision, rolled back"', async () => {
  const path = `/v1/revisions/${ids.revision}`;
  expect((await itemsOf(`${path}/prefixes`)).map(({ prefix }) => prefix)).toHaveLength(3);
  expect((await service.call('GET', `${path}/preview`)).status).toBe(200);
  const rolledBack = await service.call('POST', `${path}/rollback`, { body: {} });
  expect(rolledBack.status).toBe(201);
  const diff = await read(`${path}/diff/${rolledBack.body.id as string}`);
  expect(diff).toMatchObject({ items: [] });
});

test('Job: "has a job type; known types: `peer_reconcile`, `maintenance_policy_run`"', async () => {
  expect(await read(`/v1/jobs/${ids.job}`)).toMatchObject({ type: 'module_refresh' });
  for (const type of ['peer_reconcile', 'maintenance_policy_run']) expect(JOB_TYPES).toContain(type);
  await service.call('PATCH', `/v1/peers/${ids.peer}`, { body: { description: 'x' } });
  expect(await itemsOf('/v1/jobs?type=peer_reconcile')).not.toEqual([]);
});

describe('Settings: "tenant key/value store"', () => {
  test('"known keys: routing-daemon parameters (including optional BGP source addresses), `revision_retention_minutes`, keys with prefix `runtime_logs_` (auto-cleanup policy: schedule and file size thresholds), arbitrary additional keys": those that are known', async () => {
    const known = ((await read('/v1/settings')).known as Body[]).map(({ key }) => key);
    expect(known).toEqual(
      expect.arrayContaining([
        ...['bgp_source_ipv4', 'bgp_source_ipv6', 'bgp_default_hold_time', 'bgp_restart_time'],
        'revision_retention_minutes',
        ...['runtime_logs_auto_schedule', 'runtime_logs_max_file_bytes', 'runtime_logs_max_total_bytes'],
      ]),
    );
    const { settings } = await read('/v1/settings');
    expect(settings).toMatchObject({ bgp_source_ipv4: null, bgp_source_ipv6: null });
  });

  test('"arbitrary additional keys": of any name, and of this tenant alone', async () => {
    const own = { 'site.Rack-7': { row: 1 } };
    expect((await service.call('PATCH', '/v1/settings', { body: own })).body.settings).toMatchObject(own);
    expect((await read('/v1/settings')).settings).toMatchObject(own);
    const { other } = service;
    const foreign = await service.call('GET', '/v1/settings', { key: other.keys.viewer });
    expect(foreign.body.settings).not.toHaveProperty(['site.Rack-7']);
  });
});

test('Runtime log file: "name, size, modification time"', async () => {
  writeFileSync(join(service.logs, 'bird.log'), 'twelve bytes');
  const { super_admin: key } = service.tenant.keys;
  const { body } = await service.call('GET', '/v1/runtime-logs/files', { key });
  expect(body.items).toContainEqual(
    expect.objectContaining({ name: 'bird.log', size: 12, modified_at: aTimestamp }),
  );
});

describe('Audit record', () => {
  test('"carries `action` and `severity`"', async () => {
    for (const record of await itemsOf('/v1/audit'))
      expect(record).toMatchObject({
        action: expect.stringMatching(/^\w+\.\w+$/) as string,
        severity: expect.stringMatching(/^(info|notice|warning|critical)$/) as string,
      });
  });

  test('"maintenance-policy runs also carry `policy_id`"', async () => {
    await service.call('POST', `/v1/maintenance/policies/${ids['maintenance policy']}/run`);
    expect(await itemsOf('/v1/audit?action=maintenance_policy.run')).toMatchObject([
      { policy_id: ids['maintenance policy'] },
    ]);
  });

  test('"automatic cleanup carries the actor prefix `auto:scheduler`"', async () => {
    const { super_admin: key } = service.tenant.keys;
    await service.call('POST', '/v1/runtime-logs/auto-run', { key });
    const [record] = await itemsOf('/v1/audit?action=runtime_logs.clean');
    expect(record!.actor).toMatch(/^auto:scheduler/);
  });
});
