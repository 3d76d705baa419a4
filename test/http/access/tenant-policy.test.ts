import { randomBytes } from 'node:crypto';
import { Compile } from 'typebox/compile';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TenantEvent } from '../../../src/api/activity/events.ts';
import { CLOSED_POLICY, OPEN_POLICY } from '../../../src/api/access/tenant-policy.ts';
import { readEvents } from '../../../src/store/events.ts';
import { startService, type Answered, type Body, type TestService } from '../service.ts';

let service: TestService;
let admin: string;
beforeAll(async () => {
  service = await startService();
  admin = service.tenant.keys.super_admin;
});
afterAll(() => service.close());

interface Made {
  readonly id: string;
  /** Of its operator. */
  readonly key: string;
}

async function makeTenant(policy?: Body): Promise<Made> {
  const slug = `t-${randomBytes(4).toString('hex')}`;
  const body = { name: 'Acme', slug, ...(policy === undefined ? {} : { policy }) };
  const { id, api_key } = await service.make('/v1/tenants', body, admin);
  return { id, key: (api_key as { secret: string }).secret };
}

const change = (id: string, policy: Body, headers: Record<string, string> = {}) =>
  service.call('PATCH', `/v1/tenants/${id}`, { key: admin, body: { policy }, headers });
const read = async (id: string) => (await service.call('GET', `/v1/tenants/${id}`, { key: admin })).body;

/** What an answer refuses. */
const refusal = ({ status, body }: Answered) => ({
  status,
  code: body.code,
  pointers: (body.errors as { pointer: string }[] | undefined)?.map(({ pointer }) => pointer),
});
const outside = (...pointers: string[]) => ({ status: 409, code: 'tenant_policy', pointers });

describe('the policy of a tenant', () => {
  test('begins closed, and the tenant reads its own', async () => {
    const { id, key } = await makeTenant();
    expect((await read(id)).policy).toEqual(CLOSED_POLICY);
    expect((await service.call('GET', '/v1/auth/session', { key })).body.policy).toEqual(CLOSED_POLICY);
  });

  test('is given in canonical text; what a change does not name stays', async () => {
    const { id, key } = await makeTenant({
      allowed_prefixes: ['198.51.100.7', '2001:DB8::/32'],
      allowed_communities: ['65010:*', 'BLACKHOLE'],
    });
    const first = { ...CLOSED_POLICY, allowed_prefixes: ['198.51.100.7/32', '2001:db8::/32'] };
    expect((await read(id)).policy).toEqual({ ...first, allowed_communities: ['65010:*', 'blackhole'] });
    const changed = await change(id, { allowed_communities: null, may_loosen_guards: true });
    const second = { ...first, allowed_communities: null, may_loosen_guards: true };
    expect(changed.body.policy).toEqual(second);
    expect((await service.call('GET', '/v1/auth/session', { key })).body.policy).toEqual(second);
  });

  test('reports the tenant of each change, as an event', async () => {
    const { id } = await makeTenant();
    await change(id, { allowed_local_asns: [65010] });
    await service.call('PATCH', `/v1/tenants/${id}`, { key: admin, body: { name: 'Other name' } });
    await service.call('POST', `/v1/tenants/${id}/stop`, { key: admin });
    const events = await service.database.db.inTenant(id, (tx) => readEvents(tx, 0, 100));
    const reported = events.filter(({ kind }) => kind === 'tenant').map(({ data }) => data);
    const schema = Compile(TenantEvent);
    expect(reported.every((data) => schema.Check(data))).toBe(true);
    const policy = { ...CLOSED_POLICY, allowed_local_asns: [65010] };
    expect(reported).toMatchObject([
      { id, status: 'active', policy },
      { id, status: 'stopped', policy },
    ]);
  });

  test('422 with a pointer to each fault', async () => {
    const { id } = await makeTenant();
    const refused = await change(id, {
      allowed_prefixes: ['192.0.2.0/24', '192.0.2.1/24', '192.0.2.0/24 '],
      allowed_communities: ['65010:*', '*:1', '65010'],
      allowed_local_asns: [65010, 23456],
      allowed_peer_networks: ['router.example'],
    });
    expect(refusal(refused)).toEqual({
      status: 422,
      code: 'validation_failed',
      pointers: [
        '/policy/allowed_communities/1',
        '/policy/allowed_communities/2',
        '/policy/allowed_local_asns/1',
        '/policy/allowed_peer_networks/0',
        '/policy/allowed_prefixes/1',
        '/policy/allowed_prefixes/2',
      ],
    });
    expect((await read(id)).policy).toEqual(CLOSED_POLICY);
  });

  test('412 when the tenant was changed since', async () => {
    const { id } = await makeTenant();
    const tag = (await service.call('GET', `/v1/tenants/${id}`, { key: admin })).headers.get('etag')!;
    expect((await change(id, { allowed_local_asns: [65010] }, { 'if-match': tag })).status).toBe(200);
    expect((await change(id, { allowed_local_asns: [65011] }, { 'if-match': tag })).status).toBe(412);
    expect((await read(id)).policy).toMatchObject({ allowed_local_asns: [65010] });
  });

  test('403: operators of the tenant do not change it, nor do they see others', async () => {
    const { id, key } = await makeTenant();
    const body = { policy: OPEN_POLICY };
    expect((await service.call('PATCH', `/v1/tenants/${id}`, { key, body })).status).toBe(403);
    expect((await service.call('GET', `/v1/tenants/${id}`, { key })).status).toBe(403);
  });
});

describe('what a tenant writes outside of its policy is refused', () => {
  let given: Made;
  const post = (path: string, body: unknown) => service.call('POST', path, { key: given.key, body });
  const patch = (path: string, body: unknown) => service.call('PATCH', path, { key: given.key, body });
  beforeAll(async () => {
    given = await makeTenant({
      allowed_prefixes: ['8.8.8.0/24'],
      allowed_communities: ['65010:*'],
      allowed_local_asns: [65010, 65011],
      allowed_peer_networks: ['203.0.113.0/28'],
      allowed_source_addresses: ['198.51.100.1'],
    });
  });

  test('ranges, one, many and as CSV; what a module excludes is announced by nobody', async () => {
    const module = await service.make('/v1/modules', { name: 'ours', type: 'IP_RANGES' }, given.key);
    const path = `/v1/modules/${module.id}/ip-range-entries`;
    expect(refusal(await post(path, { cidr: '0.0.0.0/0' }))).toEqual(outside('/cidr'));
    const items = [{ cidr: '8.8.8.8/32' }, { cidr: '8.8.4.0/24' }, { cidr: '8.8.0.0/16' }];
    expect(refusal(await post(path, { items }))).toEqual(outside('/items/1/cidr', '/items/2/cidr'));
    const entry = await service.make(path, { cidr: '8.8.8.0/25' }, given.key);
    expect(refusal(await patch(`${path}/${entry.id}`, { cidr: '8.8.4.4/32' }))).toEqual(outside('/cidr'));
    const file = {
      key: given.key,
      body: 'cidr\n8.8.8.9/32\n9.9.9.0/24\n',
      headers: { 'content-type': 'text/csv' },
    };
    const csv = await service.call('POST', `/v1/modules/${module.id}/entries.csv`, file);
    expect(refusal(csv)).toEqual({ status: 422, code: 'validation_failed', pointers: ['line 3'] });
    expect(csv.body.detail).toContain('tenant_policy');
    const exclusions = { name: 'not', type: 'IP_RANGES', purpose: 'exclude' };
    const excluded = await service.make('/v1/modules', exclusions, given.key);
    await service.make(`/v1/modules/${excluded.id}/ip-range-entries`, { cidr: '9.9.9.0/24' }, given.key);
  });

  test('communities and their next hops', async () => {
    const make = (body: Body) => post('/v1/communities', { title: 'x', ...body });
    expect(refusal(await make({ community: '65000:1' }))).toEqual(outside('/community'));
    expect(refusal(await make({ community: 'blackhole' }))).toEqual(outside('/community'));
    const hop = { community: '65010:1', next_hop_ipv4: '192.0.2.77' };
    expect(refusal(await make(hop))).toEqual(outside('/next_hop_ipv4'));
    const made = await make({ ...hop, next_hop_ipv4: '203.0.113.3' });
    expect(made.status).toBe(201);
    const path = `/v1/communities/${String(made.body.id)}`;
    expect(refusal(await patch(path, { community: '65009:1' }))).toEqual(outside('/community'));
  });

  test('speakers: AS numbers and source addresses, overrides too', async () => {
    const make = (body: Body) => post('/v1/speakers', { name: 'edge', local_asn: 65010, ...body });
    expect(refusal(await make({ local_asn: 64512 }))).toEqual(outside('/local_asn'));
    const own = { local_ipv4: '192.0.2.179', local_ipv6: '2001:db8::1' };
    expect(refusal(await make(own))).toEqual(outside('/local_ipv4', '/local_ipv6'));
    const policies_json = { local_asn: 64512, local_ip: '192.0.2.179' };
    expect(refusal(await make({ policies_json }))).toEqual(
      outside('/policies_json/local_asn', '/policies_json/local_ip'),
    );
    const speaker = await make({ local_ipv4: '198.51.100.1' });
    expect(speaker.status).toBe(201);
    const path = `/v1/speakers/${String(speaker.body.id)}`;
    expect(refusal(await patch(path, { local_asn: 64512 }))).toEqual(outside('/local_asn'));
    const address = '203.0.113.5';
    const peer = await service.make('/v1/peers', { name: 'r5', address, remote_asn: 64500 }, given.key);
    const perPeer = { policies_json: { peers: { [peer.id]: { local_asn: 64512 } } } };
    expect(refusal(await patch(path, perPeer))).toEqual(outside(`/policies_json/peers/${peer.id}/local_asn`));
    // The policy is tightened: names still change, and what is disabled is not enabled again.
    await change(given.id, { allowed_local_asns: [65011] });
    expect((await patch(path, { label: 'still here', enabled: false })).status).toBe(200);
    expect(refusal(await patch(path, { enabled: true }))).toEqual(outside('/local_asn'));
    await change(given.id, { allowed_local_asns: [65010, 65011] });
    expect((await patch(path, { enabled: true })).status).toBe(200);
  });

  test('peers and their next hops', async () => {
    const make = (body: Body) => post('/v1/peers', { name: 'router', remote_asn: 64500, ...body });
    expect(refusal(await make({ address: '192.0.2.1' }))).toEqual(outside('/address'));
    const hop = { address: '203.0.113.9', next_hop_ipv6: '2001:db8::9' };
    expect(refusal(await make(hop))).toEqual(outside('/next_hop_ipv6'));
    const made = await make({ address: '203.0.113.9' });
    expect(made.status).toBe(201);
    const path = `/v1/peers/${String(made.body.id)}`;
    expect(refusal(await patch(path, { address: '192.0.2.1' }))).toEqual(outside('/address'));
  });

  test('where sessions come from by a setting', async () => {
    const settings = (body: Body) => patch('/v1/settings', body);
    expect(refusal(await settings({ bgp_source_ipv4: '192.0.2.1' }))).toEqual(outside('/bgp_source_ipv4'));
    expect((await settings({ bgp_source_ipv4: '198.51.100.1' })).status).toBe(200);
  });
});

describe('guardrails', () => {
  const set = (key: string, body: Body) => service.call('PATCH', '/v1/settings', { key, body });
  const forbidden = (...pointers: string[]) => ({ status: 403, code: 'guard_loosening_forbidden', pointers });

  test('of a closed tenant are tightened and not loosened', async () => {
    const { key } = await makeTenant();
    expect((await set(key, { guard_max_change_percent: 10, auto_apply: false })).status).toBe(200);
    const loose = { guard_max_change_percent: 50, guard_bogons: 'allow', guard_min_prefix_length_ipv4: 9 };
    expect(refusal(await set(key, loose))).toEqual(forbidden('/guard_max_change_percent', '/guard_bogons'));
    // What null puts back is looser than what is set.
    expect(refusal(await set(key, { guard_max_change_percent: null }))).toEqual(
      forbidden('/guard_max_change_percent'),
    );
    const { settings } = (await service.call('GET', '/v1/settings', { key })).body as { settings: Body };
    expect(settings).toMatchObject({ guard_max_change_percent: 10, guard_min_prefix_length_ipv4: 8 });
  });

  test('are loosened where the policy lets operators, but what only super roles override by these alone', async () => {
    const { id, key } = await makeTenant();
    await change(id, { may_loosen_guards: true });
    expect((await set(key, { guard_max_change_percent: 50 })).status).toBe(200);
    const open = { guard_allow_default_route: true };
    expect(refusal(await set(key, open))).toEqual(forbidden('/guard_allow_default_route'));
    expect(refusal(await set(service.tenant.keys.operator, open))).toEqual(
      forbidden('/guard_allow_default_route'),
    );
    expect((await set(admin, open)).status).toBe(200);
    expect((await set(service.tenant.keys.operator, { guard_allow_default_route: null })).status).toBe(200);
    // From 90 % on it is a default route, whatever it is called.
    const coverage = (percent: number | null) => ({ guard_max_coverage_percent: percent });
    expect((await set(key, coverage(89))).status).toBe(200);
    expect(refusal(await set(key, coverage(90)))).toEqual(forbidden('/guard_max_coverage_percent'));
    expect(refusal(await set(service.tenant.keys.operator, coverage(95)))).toEqual(
      forbidden('/guard_max_coverage_percent'),
    );
    expect((await set(admin, coverage(95))).status).toBe(200);
    expect((await set(service.tenant.keys.operator, coverage(null))).status).toBe(200);
  });
});
