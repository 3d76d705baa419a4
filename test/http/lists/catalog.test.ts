import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const read = async (key = service.tenant.keys.viewer) =>
  (await service.call('GET', '/v1/router-lists/catalog', { key })).body;

const nothing = {
  modules: [],
  domain_entries: [],
  as_entries: [],
  ip_range_entries: [],
  geofeed_entries: [],
  communities: [],
};

test('200: an empty catalog has every list', async () => {
  expect(await read()).toEqual(nothing);
});

test('200: modules, ranges and communities, the disabled ones too, and nothing of another tenant', async () => {
  const community = await service.make('/v1/communities', { community: '65000:100', title: 'Clouds' });
  const cdn = await service.make('/v1/modules', { name: 'cdn', type: 'CDN_SOURCES', enabled: false });
  const ranges = await service.make('/v1/modules', {
    name: 'ranges',
    type: 'IP_RANGES',
    community_id: community.id,
  });
  const entry = await service.make(`/v1/modules/${ranges.id}/ip-range-entries`, {
    cidr: '8.8.8.0/24',
    enabled: false,
  });
  const networks = await service.make('/v1/modules', { name: 'networks', type: 'AS_PREFIXES' });
  const one = { community_ids: [community.id], expires_at: null };
  const none = { community_ids: [], expires_at: null };
  const network = await service.make(`/v1/modules/${networks.id}/as-entries`, {
    asn: 3333,
    community_id: community.id,
  });
  const { as_entries: asEntries, modules, ...rest } = await read();
  expect(asEntries).toEqual([
    { id: network.id, module_id: networks.id, asn: 3333, enabled: true, community_id: community.id, ...one },
  ]);
  expect((modules as unknown[]).slice(2)).toMatchObject([{ id: networks.id, type: 'AS_PREFIXES' }]);
  expect({ modules: (modules as unknown[]).slice(0, 2), ...rest }).toEqual({
    modules: [
      {
        id: cdn.id,
        name: 'cdn',
        type: 'CDN_SOURCES',
        purpose: 'announce',
        enabled: false,
        community_id: null,
        families: ['ipv4', 'ipv6'],
        last_refreshed_at: null,
        prefix_count: { ipv4: 0, ipv6: 0 },
      },
      {
        id: ranges.id,
        name: 'ranges',
        type: 'IP_RANGES',
        purpose: 'announce',
        enabled: true,
        community_id: community.id,
        families: ['ipv4', 'ipv6'],
        last_refreshed_at: null,
        prefix_count: { ipv4: 0, ipv6: 0 },
      },
    ],
    domain_entries: [],
    ip_range_entries: [
      { id: entry.id, module_id: ranges.id, cidr: '8.8.8.0/24', enabled: false, community_id: null, ...none },
    ],
    geofeed_entries: [],
    communities: [{ id: community.id, community: '65000:100', title: 'Clouds' }],
  });
  expect(await read(service.other.keys.viewer)).toEqual(nothing);
});

test('200: a catalog of many is written page by page, whole for each who reads it at the same time', async () => {
  const module = await service.make('/v1/modules', { name: 'many', type: 'IP_RANGES' });
  const cidrs = Array.from({ length: 7_321 }, (_, number) => `9.${number >> 8}.${number & 255}.0/24`);
  const before = ((await read()).ip_range_entries as unknown[]).length;
  for (const from of [0, 4_000]) {
    const items = cidrs.slice(from, from + 4_000).map((cidr) => ({ cidr }));
    await service.make(`/v1/modules/${module.id}/ip-range-entries`, { items });
  }
  const catalogs = await Promise.all([read(), read(), read()]);
  for (const catalog of catalogs) {
    const ranges = catalog.ip_range_entries as { module_id: string; cidr: string }[];
    expect(ranges.length).toBe(before + cidrs.length);
    expect(ranges.filter(({ module_id: id }) => id === module.id).map(({ cidr }) => cidr)).toEqual(cidrs);
    expect(Object.keys(catalog)).toEqual(Object.keys(nothing).toSorted((a, b) => order(a) - order(b)));
  }
});

function order(list: string): number {
  return [
    'modules',
    'domain_entries',
    'as_entries',
    'ip_range_entries',
    'geofeed_entries',
    'communities',
  ].indexOf(list);
}
