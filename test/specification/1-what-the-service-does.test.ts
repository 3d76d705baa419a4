/** Part 1 of the specification, "What the service does", point by point, on a service whose jobs run: the titles quote it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { a, replyTo, startDohServer, type DohServer } from '../sources/doh/server.ts';
import { NOW, ripestatBody } from '../sources/asn/servers.ts';
import type { Answered, Body } from '../http/service.ts';
import { startLivingService, type LivingService } from './living-service.ts';

let service: LivingService;
let resolver: DohServer;
let profile: string;
beforeAll(async () => {
  service = await startLivingService();
  resolver = await startDohServer();
  resolver.answer = (asked) => replyTo(asked, asked.type === 'A' ? [a(asked.name, '9.9.9.9')] : []);
  service.texts.set('/list', '8.8.8.0/24\n');
  service.texts.set('/ripestat', ripestatBody(3333, { '193.0.0.0/21': [NOW] }));
  profile = (await service.make('/v1/doh-profiles', { url: resolver.url })).id;
  await service.call('PATCH', '/v1/settings', { body: { auto_apply: false } });
});
afterAll(async () => {
  await resolver.close();
  await service.close();
});

const post = (path: string, body?: object): Promise<Answered> =>
  service.call('POST', path, body === undefined ? {} : { body });
const latestPrefixes = async (): Promise<unknown[]> =>
  (await service.itemsOf('/v1/revisions/latest/prefixes')).map(({ prefix }) => prefix);

test('"Multi-tenant HTTP API with JSON bodies. The tenant is always taken from the API key used for the request."', async () => {
  const made = await service.make('/v1/communities', { community: '65000:1', title: 'Ours' });
  const path = `/v1/communities/${made.id}`;
  const ours = await service.call('GET', path);
  expect(ours.headers.get('content-type')).toMatch(/^application\/json/);
  const { operator: key } = service.other.keys;
  expect((await service.call('GET', path, { key })).status).toBe(404);
  expect((await service.call('GET', '/v1/communities', { key })).body.items).toEqual([]);
});

describe('modules', () => {
  const KINDS = [
    [
      'CDN sources',
      'CDN_SOURCES',
      'cdn-sources',
      () => ({ name: 's', url: `${service.origin}/list` }),
      '8.8.8.0/24',
    ],
    ['AS numbers', 'AS_PREFIXES', 'as-entries', () => ({ asn: 3333 }), '193.0.0.0/21'],
    ['domains', 'DOMAINS', 'domain-entries', () => ({ domain: 'www.example.net' }), '9.9.9.9/32'],
    ['IP ranges', 'IP_RANGES', 'ip-range-entries', () => ({ cidr: '1.1.1.0/24' }), '1.1.1.0/24'],
  ] as const;

  test.for(KINDS)(
    '"It manages route-list **modules**. A module is a set of entries of one kind: CDN sources, AS numbers, domains or IP ranges. Refreshing a module collects prefixes.": %s',
    async ([kind, type, entries, entry, prefix]) => {
      const more = type === 'DOMAINS' ? { doh_profile_ids: [profile] } : {};
      const module = await service.make('/v1/modules', { name: kind, type, ...more });
      const path = `/v1/modules/${module.id}`;
      await service.make(`${path}/${entries}`, entry());
      for (const [, , others, other] of KINDS.filter(([, of]) => of !== type))
        expect((await post(`${path}/${others}`, other())).status, others).toBe(409);
      const { body: job } = await post(`${path}/refresh`);
      expect(await service.ended(job.id)).toMatchObject({ state: 'succeeded' });
      const { matches } = await service.read(`/v1/lookup?q=${prefix.replace(/\/.*/, '')}`);
      expect(matches).toContainEqual(expect.objectContaining({ layer: 'snapshot', prefix }));
    },
  );

  test('"A refresh aggregates the prefixes of all enabled modules of the tenant into a new **revision**."', async () => {
    await service.idle();
    expect((await latestPrefixes()).sort()).toEqual(KINDS.map(([, , , , prefix]) => prefix).sort());
    const [range] = await service.itemsOf('/v1/modules?type=IP_RANGES');
    await service.make(`/v1/modules/${String(range!.id)}/ip-range-entries`, { cidr: '1.1.0.0/24' });
    const { number } = await service.read('/v1/revisions/latest');
    await service.ended((await post(`/v1/modules/${String(range!.id)}/refresh`)).body.id);
    await service.idle();
    expect((await service.read('/v1/revisions/latest')).number).toBeGreaterThan(Number(number));
    expect(await latestPrefixes()).toContain('1.1.0.0/23');
  });
});

test('"Revisions can be listed, inspected (prefixes, preview), compared (diff), rolled back and pruned."', async () => {
  const [newest] = await service.itemsOf('/v1/revisions');
  const oldest = (await service.itemsOf('/v1/revisions?sort=created_at'))[0]!;
  const path = `/v1/revisions/${String(newest!.id)}`;
  expect(await service.itemsOf(`${path}/prefixes`)).not.toEqual([]);
  expect((await service.call('GET', `${path}/preview`)).status).toBe(200);
  const diff = await service.itemsOf(`/v1/revisions/${String(oldest.id)}/diff/${String(newest!.id)}`);
  expect(diff).toContainEqual(expect.objectContaining({ prefix: '1.1.0.0/23', change: 'announced' }));
  expect((await post(`${path}/rollback`, {})).body).toMatchObject({ rollback_of: newest!.id });
  const { body: job } = await post('/v1/revisions/prune');
  expect(await service.ended(job.id)).toMatchObject({ type: 'revision_prune', state: 'succeeded' });
});

test('"Revisions are applied to **speakers** (BGP routing daemons): to all speakers, to one speaker, or pulled by node agents as a per-speaker bundle."', async () => {
  const make = (name: string) => service.make('/v1/speakers', { name, local_asn: 64512 });
  const made = [await make('first'), await make('second')];
  await service.idle();
  const appliedTo = async ({ body }: Answered): Promise<unknown[]> => {
    const { result } = await service.ended(body.id);
    return (result as { speakers: Body[] }).speakers.map(({ speaker_id: id, status }) => [id, status]);
  };
  const all = await appliedTo(await post('/v1/apply', {}));
  expect(all).toHaveLength(2);
  for (const { id } of made) expect(all).toContainEqual([id, expect.stringMatching(/^(applied|unchanged)$/)]);
  expect(await appliedTo(await post(`/v1/speakers/${made[0]!.id}/apply`, {}))).toHaveLength(1);
  const { id } = await service.make('/v1/speakers', { name: 'node', mode: 'agent', local_asn: 64512 });
  const { token } = await service.make(`/v1/speakers/${id}/enrollment-tokens`, {});
  const body = { hostname: 'edge-1', version: '1', daemon: 'builtin' };
  const enrolled = await service.make('/v1/nodes/enroll', body, token as string);
  const { secret: key } = enrolled.api_key as { secret: string };
  await post(`/v1/speakers/${id}/apply`, {});
  const latest = async () =>
    (await service.call('GET', `/v1/speakers/${id}/revisions/latest`, { key })).body.bundle;
  await expect.poll(latest, { interval: 50 }).toBeDefined();
  const { url } = (await latest()) as { url: string };
  expect((await service.call('GET', url, { key })).status).toBe(200);
});

test('"The bundle signing public key is published by an endpoint."', async () => {
  expect(await service.itemsOf('/v1/bundles/signing-key')).toMatchObject([
    { public_key_pem: expect.stringContaining('BEGIN PUBLIC KEY') as string },
  ]);
});

test('"It manages BGP **peers** and speakers, **communities** (attached to matches), and DoH profiles (used to resolve domain entries)."', async () => {
  await service.make('/v1/peers', { name: 'router', address: '192.0.2.2', remote_asn: 64500 });
  const clouds = await service.make('/v1/communities', { community: '65000:2', title: 'Clouds' });
  const [ranges] = await service.itemsOf('/v1/modules?type=IP_RANGES');
  const body = { community_id: clouds.id };
  await service.call('PATCH', `/v1/modules/${String(ranges!.id)}`, { body });
  const { matches } = await service.read('/v1/lookup?q=1.1.1.1');
  for (const match of matches as Body[]) expect(match.community).toMatchObject({ value: '65000:2' });
  expect(resolver.asked.map(({ name }) => name)).toContain('www.example.net');
});

test('"**Jobs** run asynchronous work (module refresh, peer reconciliation, maintenance policy runs, apply). Jobs can be listed and cancelled."', async () => {
  const policy = await service.make('/v1/maintenance/policies', { name: 'jobs', kind: 'job_prune' });
  await post(`/v1/maintenance/policies/${policy.id}/run`);
  const types = (await service.itemsOf('/v1/jobs?limit=500')).map(({ type }) => type);
  expect(types).toEqual(
    expect.arrayContaining(['module_refresh', 'peer_reconcile', 'maintenance_policy_run', 'apply']),
  );
  service.texts.set('/list', null);
  const [cdn] = await service.itemsOf('/v1/modules?type=CDN_SOURCES');
  const { body: job } = await post(`/v1/modules/${String(cdn!.id)}/refresh`);
  expect((await post(`/v1/jobs/${String(job.id)}/cancel`)).status).toBe(202);
  expect(await service.ended(job.id)).toMatchObject({ state: 'cancelled' });
});

test('"**Lookup**: checks whether an IP address or an FQDN is contained in the lists."', async () => {
  const kindsOf = async (q: string): Promise<unknown[]> =>
    ((await service.read(`/v1/lookup?q=${q}`)).matches as Body[]).map(({ layer }) => layer);
  expect(await kindsOf('1.1.1.1')).toContain('entry');
  expect(await kindsOf('www.example.net')).toContain('entry');
  expect([await kindsOf('203.0.113.1'), await kindsOf('other.example.net')]).toEqual([[], []]);
});

describe('"Other functions: tenant settings (key/value), API keys with roles, runtime log file access and cleanup, a local audit journal of CRUD changes, PostgreSQL monitoring and maintenance, firewall blocklist clients and rules, CSV import/export of module entries, preview of a CDN source."', () => {
  test.for([
    ['tenant settings (key/value)', '/v1/settings'],
    ['API keys with roles', '/v1/api-keys'],
    ['runtime log file access and cleanup', '/v1/runtime-logs/files'],
    ['a local audit journal of CRUD changes', '/v1/audit'],
    ['PostgreSQL monitoring and maintenance', '/v1/postgres/metrics'],
    ['firewall blocklist clients and rules', '/v1/firewall/rules'],
  ] as const)('%s: `%s`', async ([, path]) => {
    const { super_admin: key } = service.tenant.keys;
    expect((await service.call('GET', path, { key })).status).toBe(200);
  });

  test('CSV import/export of module entries, preview of a CDN source', async () => {
    const [ranges] = await service.itemsOf('/v1/modules?type=IP_RANGES');
    const path = `/v1/modules/${String(ranges!.id)}/entries.csv`;
    const { text } = await service.call('GET', path);
    const headers = { 'content-type': 'text/csv' };
    const again = await service.call('POST', `${path}?mode=replace`, { headers, body: text });
    expect(again.status, again.text).toBe(200);
    expect((await service.call('GET', path)).text).toBe(text);
    service.texts.set('/list', '8.8.8.0/24\n');
    const { body: preview } = await post('/v1/cdn-sources/preview', { url: `${service.origin}/list` });
    expect(preview).toMatchObject({ prefixes: ['8.8.8.0/24'] });
  });
});

test('"Three routes are public (health, readiness, version). A metrics route sits at the server root."', async () => {
  for (const path of ['/v1/health', '/v1/ready', '/v1/version', '/metrics'])
    expect((await service.call('GET', path, { key: null })).status, path).toBe(200);
  expect((await service.call('GET', '/v1/modules', { key: null })).status).toBe(401);
});
