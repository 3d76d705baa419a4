import { join } from 'node:path';
import { defaultNextHop, families, familyOf } from '../daemon.ts';
import type { Announcement, DaemonOptions, Family, Neighbor } from '../daemon.ts';

export interface FrrDaemonOptions extends DaemonOptions {
  /** More lines for the end of the configuration. */
  extraConfig?: string;
  /** The socket of a zebra (zebra.ts); default: none, so that no route reaches the kernel. */
  zebra?: string;
  /** No BGP instance of its own: `localAsn`, `neighbors` and `announce` mean nothing then. */
  bare?: boolean;
}

/** FRR's configuration for bgpd alone, without zebra: no route reaches the kernel. */
export function renderFrrConfig(options: FrrDaemonOptions, directory: string): string {
  const { bare = false, extraConfig = '' } = options;
  return [
    'frr defaults traditional',
    `log file ${join(directory, 'frr.log')} debugging`,
    'debug bgp neighbor-events',
    ...(bare ? [] : renderInstance(options)),
    extraConfig,
    '',
  ].join('\n');
}

function renderInstance(options: DaemonOptions): string[] {
  const { nextHopIpv4 = defaultNextHop.ipv4, nextHopIpv6 = defaultNextHop.ipv6, announce = [] } = options;
  return [
    // Only what the daemon originates goes out, as from every other daemon of this folder.
    'bgp as-path access-list own permit ^$',
    'route-map own-ipv4 permit 10',
    ' match as-path own',
    ` set ip next-hop ${nextHopIpv4}`,
    'route-map own-ipv6 permit 10',
    ' match as-path own',
    ` set ipv6 next-hop global ${nextHopIpv6}`,
    ...announce.flatMap(renderRouteMap),
    `router bgp ${options.localAsn}`,
    ` bgp router-id ${options.routerId}`,
    ' no bgp ebgp-requires-policy',
    ' no bgp default ipv4-unicast',
    ' no bgp network import-check',
    ...options.neighbors.flatMap((neighbor) => renderNeighbor(neighbor, options)),
    ...(['ipv4', 'ipv6'] as const).flatMap((family) => renderFamily(family, options.neighbors, announce)),
  ];
}

function renderRouteMap({ communities = [], largeCommunities = [] }: Announcement, index: number): string[] {
  return [
    `route-map announce-${index} permit 10`,
    ...(communities.length > 0 ? [` set community ${communities.join(' ')}`] : []),
    ...(largeCommunities.length > 0 ? [` set large-community ${largeCommunities.join(' ')}`] : []),
  ];
}

function renderNeighbor(neighbor: Neighbor, { listen, localAsn }: DaemonOptions): string[] {
  const { address, asn, port, passive, gracefulRestart = 'aware', holdTime = 90 } = neighbor;
  const restart = gracefulRestart === 'aware' ? '-helper' : gracefulRestart ? '' : '-disable';
  const statement = (text: string): string => ` neighbor ${address} ${text}`;
  return [
    statement(`remote-as ${asn}`),
    statement(`port ${port}`),
    statement(`update-source ${listen.address}`),
    ...(asn === localAsn ? [] : [statement('ebgp-multihop 255'), statement('disable-connected-check')]),
    statement(`timers ${Math.floor(holdTime / 3)} ${holdTime}`),
    statement('timers connect 1'),
    statement('advertisement-interval 0'),
    statement(`graceful-restart${restart}`),
    ...(passive ? [statement('passive')] : []),
  ];
}

function renderFamily(
  family: Family,
  neighbors: readonly Neighbor[],
  announce: readonly Announcement[],
): string[] {
  const activated = neighbors.filter((neighbor) => families(neighbor).includes(family));
  const networks = announce.map(({ prefix }, index) => ({ prefix, index }));
  return [
    ` address-family ${family} unicast`,
    ...activated.flatMap(({ address }) => [
      `  neighbor ${address} activate`,
      `  neighbor ${address} route-map own-${family} out`,
    ]),
    ...networks
      .filter(({ prefix }) => familyOf(prefix) === family)
      .map(({ prefix, index }) => `  network ${prefix} route-map announce-${index}`),
    ' exit-address-family',
  ];
}
