/** Part 4 of the specification, "Lookup", sentence by sentence: the titles quote it. */
import { createServer, type AddressInfo, type Server } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Lookup, LookupMatch } from '../../src/api/lookup/lookup.ts';
import { collect } from '../http/collect.ts';
import { startService, type TestService } from '../http/service.ts';

let service: TestService;
let resolver: Server;
let connections = 0;
let community: string;
const made: Record<string, { readonly id: string }> = {};

beforeAll(async () => {
  service = await startService();
  resolver = createServer((socket) => {
    connections++;
    socket.destroy();
  });
  await new Promise<void>((resolve) => resolver.listen(0, '127.0.0.1', resolve));
  const { port } = resolver.address() as AddressInfo;
  community = (await service.make('/v1/communities', { community: '65000:100', title: 'Clouds' })).id;
  made.profile = await service.make('/v1/doh-profiles', {
    url: `https://127.0.0.1:${port}/dns-query`,
  });
  const module = async (name: string, type: string, more: object = {}) => {
    made[name] = await service.make('/v1/modules', { name, type, community_id: community, ...more });
    return `/v1/modules/${made[name].id}`;
  };
  const ranges = await module('ranges', 'IP_RANGES');
  await service.make(`${ranges}/ip-range-entries`, { cidr: '8.8.8.0/24' });
  const names = await module('names', 'DOMAINS', { doh_profile_ids: [made.profile.id] });
  made.name = await service.make(`${names}/domain-entries`, { domain: 'www.example.net' });
  const networks = await module('networks', 'AS_PREFIXES');
  made.as = await service.make(`${networks}/as-entries`, { asn: 3333 });
  const cdn = await module('cdn', 'CDN_SOURCES');
  made.source = await service.make(`${cdn}/cdn-sources`, { name: 's', url: 'https://example.net/list' });
  await collect(service, made.names!.id, { '8.8.8.8/32': [made.name.id], '9.9.9.9/32': [made.name.id] });
  await collect(service, made.networks!.id, { '8.8.0.0/16': [made.as.id] });
  await collect(service, made.cdn!.id, { '8.0.0.0/9': [made.source.id] });
});
afterAll(async () => {
  resolver.close();
  await service.close();
});

async function lookUp(q: string): Promise<Lookup> {
  const { viewer: key } = service.tenant.keys;
  const { status, body } = await service.call('GET', `/v1/lookup?q=${encodeURIComponent(q)}`, { key });
  expect(status).toBe(200);
  return body as unknown as Lookup;
}

const inLayer = ({ matches }: Lookup, layer: string): LookupMatch[] =>
  matches.filter((match) => match.layer === layer);

test('"`GET /v1/lookup` with query parameter `q` (an IP address or an FQDN); role viewer+."', async () => {
  expect(await lookUp('8.8.8.8')).toMatchObject({ query: '8.8.8.8', kind: 'ip' });
  expect(await lookUp('www.example.net')).toMatchObject({ query: 'www.example.net', kind: 'fqdn' });
  const statusOf = async (query: string, key: string | null) =>
    (await service.call('GET', `/v1/lookup${query}`, { key })).status;
  const { viewer, operator, node } = service.tenant.keys;
  expect(await statusOf('?q=8.8.8.8', operator)).toBe(200);
  expect(await statusOf('?q=8.8.8.8', node)).toBe(403);
  expect(await statusOf('?q=8.8.8.8', null)).toBe(401);
  expect([await statusOf('', viewer), await statusOf('?q=no+name', viewer)]).toEqual([422, 422]);
});

test('"Layer `entry`: for `IP_RANGES` modules the CIDR containment test"', async () => {
  const range = { module: { name: 'ranges', type: 'IP_RANGES' }, prefix: '8.8.8.0/24' };
  expect(inLayer(await lookUp('8.8.8.0'), 'entry')).toMatchObject([range]);
  expect(inLayer(await lookUp('8.8.8.255'), 'entry')).toMatchObject([range]);
  expect(inLayer(await lookUp('8.8.9.0'), 'entry')).toEqual([]);
});

test('"for `DOMAINS` modules the normalized FQDN"', async () => {
  for (const spelling of ['www.example.net', 'WWW.Example.NET.'])
    expect(inLayer(await lookUp(spelling), 'entry')).toMatchObject([
      { module: { name: 'names', type: 'DOMAINS' }, domain: 'www.example.net' },
    ]);
  expect((await lookUp('example.net')).matches).toEqual([]);
});

test('"Layer `snapshot`: the materialized per-module prefix snapshot. For an IP, containment is tested across all modules"', async () => {
  const found = inLayer(await lookUp('8.8.8.8'), 'snapshot');
  expect(found.map(({ module, prefix, source }) => [module.name, prefix, source]).sort()).toEqual([
    ['cdn', '8.0.0.0/9', 'cdn'],
    ['names', '8.8.8.8/32', 'domain'],
    ['networks', '8.8.0.0/16', 'as'],
  ]);
});

test('"for a domain, the snapshot rows with `source=domain` of matching `DOMAINS` modules are used"', async () => {
  const found = inLayer(await lookUp('www.example.net'), 'snapshot');
  expect(found).toMatchObject([
    { module: { name: 'names' }, prefix: '8.8.8.8/32', source: 'domain' },
    { module: { name: 'names' }, prefix: '9.9.9.9/32', source: 'domain' },
  ]);
});

test('"Each match includes the community (`community_id`, value, title)."', async () => {
  const carried = { community_id: community, value: '65000:100', title: 'Clouds' };
  for (const q of ['8.8.8.8', 'www.example.net']) {
    const { matches } = await lookUp(q);
    expect(matches.length).toBeGreaterThan(1);
    for (const match of matches) expect(match.community).toEqual(carried);
  }
});

test('"No live DoH resolution is performed."', async () => {
  await lookUp('www.example.net');
  await lookUp('unknown.example.net');
  expect(connections).toBe(0);
  // The same resolver is asked when somebody tests it.
  await service.call('POST', `/v1/doh-profiles/${made.profile!.id}/test`, {
    body: { domain: 'example.net' },
  });
  expect(connections).toBeGreaterThan(0);
});
