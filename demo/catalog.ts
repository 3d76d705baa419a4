import { basename, join } from 'node:path';
import { createReadStream } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Resolver } from './resolver.ts';
import type { Service } from './service.ts';

export const LISTS = join(import.meta.dirname, 'lists');

/** What the demo sets up: communities, and modules of every type whose routes carry them. */
export const COMMUNITIES = [
  { community: '64500:100', title: 'Cloud provider (JSON)' },
  { community: '64500:200', title: 'Relay egress (CSV) and block list (text)' },
  { community: '64500:300', title: 'Our own ranges' },
  { community: '64500:400', title: 'Networks by AS number' },
  { community: '64500:500', title: 'Shops by domain name' },
] as const;

interface Module {
  readonly name: string;
  readonly type: string;
  readonly community: string;
  /** The last word of the path of its entries. */
  readonly entries: string;
  readonly items: readonly object[];
  /** Further fields of the module. */
  readonly fields?: object;
}

/** @param listServer where {@link serveLists} answers */
const modules = (listServer: string, dohProfileId: string): readonly Module[] => [
  {
    name: 'cloud',
    type: 'CDN_SOURCES',
    community: '64500:100',
    entries: 'cdn-sources',
    items: [
      {
        name: 'IPv4',
        url: `${listServer}/cloud.json`,
        format: 'json',
        json_path: '$.prefixes[*].ip_prefix',
      },
      {
        name: 'IPv6',
        url: `${listServer}/cloud.json`,
        format: 'json',
        json_path: '$.ipv6_prefixes[*].ipv6_prefix',
      },
      { name: 'edge', url: `${listServer}/edge.json`, format: 'json', json_path: '$.addresses[*]' },
    ],
  },
  {
    name: 'relay',
    type: 'CDN_SOURCES',
    community: '64500:200',
    entries: 'cdn-sources',
    items: [{ name: 'egress', url: `${listServer}/relay.csv`, format: 'csv' }],
  },
  {
    name: 'blocklist',
    type: 'CDN_SOURCES',
    community: '64500:200',
    entries: 'cdn-sources',
    items: [{ name: 'list', url: `${listServer}/blocklist.txt`, format: 'text' }],
  },
  {
    name: 'ranges',
    type: 'IP_RANGES',
    community: '64500:300',
    entries: 'ip-range-entries',
    items: ['11.20.0.0/16', '11.21.0.0/16', '11.22.33.44', '2600:77::/32'].map((cidr) => ({ cidr })),
  },
  {
    name: 'networks',
    type: 'AS_PREFIXES',
    community: '64500:400',
    entries: 'as-entries',
    items: [64497, 64500, 65537].map((asn) => ({ asn })),
  },
  {
    name: 'shops',
    type: 'DOMAINS',
    community: '64500:500',
    entries: 'domain-entries',
    items: ['www.books.example', 'www.bikes.example'].map((domain) => ({ domain })),
    fields: { doh_profile_ids: [dohProfileId] },
  },
];

/** @returns how many modules and entries there are now */
export async function createModules(
  service: Service,
  lists: Server,
  resolver: Resolver,
): Promise<{ modules: number; entries: number }> {
  const idOf = new Map<string, string>();
  for (const community of COMMUNITIES)
    idOf.set(community.community, (await service.post<{ id: string }>('/v1/communities', community)).id);
  const profile = { name: 'demo resolver', url: resolver.url };
  const { id: profileId } = await service.post<{ id: string }>('/v1/doh-profiles', profile);
  const all = modules(`http://127.0.0.1:${(lists.address() as AddressInfo).port}`, profileId);
  for (const { name, type, community, entries, items, fields } of all) {
    const body = { name, type, community_id: idOf.get(community)!, ...fields };
    const { id } = await service.post<{ id: string }>('/v1/modules', body);
    await service.post(`/v1/modules/${id}/${entries}`, { items });
  }
  return { modules: all.length, entries: all.reduce((sum, { items }) => sum + items.length, 0) };
}

/** Serves demo/lists on loopback, as a CDN would serve its own. */
export async function serveLists(): Promise<Server> {
  const server = createServer((request, response) => {
    const file = createReadStream(join(LISTS, basename(request.url ?? '')));
    file.on('error', () => response.writeHead(404).end());
    file.on('open', () => file.pipe(response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
