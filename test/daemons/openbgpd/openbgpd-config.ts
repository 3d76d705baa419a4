import { join } from 'node:path';
import { defaultNextHop, families, familyOf } from '../daemon.ts';
import type { Announcement, DaemonOptions, Neighbor } from '../daemon.ts';

export interface OpenbgpdOptions extends DaemonOptions {
  /** Text that goes before the filters of its configuration, such as an `include`. */
  readonly extraConfig?: string;
}

/** OpenBGPD's configuration. It reads the kernel's routes to judge next hops, and writes none (`fib-update no`). */
export function renderOpenbgpdConfig(options: OpenbgpdOptions, directory: string): string {
  return [
    `AS ${options.localAsn}`,
    `router-id ${options.routerId}`,
    `listen on ${options.listen.address} port ${options.listen.port}`,
    `socket "${join(directory, 'ctl')}"`,
    'fib-update no',
    'connect-retry 1',
    // Any route of the machine may lead to a next hop; the default is to trust none that goes over the default route.
    'nexthop qualify via default',
    ...(options.announce ?? []).map((announcement) => renderNetwork(announcement, options)),
    ...options.neighbors.map((neighbor) => renderNeighbor(neighbor, options)),
    ...(options.extraConfig === undefined ? [] : [options.extraConfig]),
    'allow from any',
    // Only what the daemon originates goes out, as from every daemon of this folder.
    'deny to any',
    'allow to any community 64511:64511',
    'match to any set { community delete 64511:64511, nexthop no-modify }',
    '',
  ].join('\n');
}

function renderNetwork(announcement: Announcement, options: OpenbgpdOptions): string {
  const { prefix, communities = [], largeCommunities = [] } = announcement;
  const { nextHopIpv4 = defaultNextHop.ipv4, nextHopIpv6 = defaultNextHop.ipv6 } = options;
  const sets = [
    `nexthop ${familyOf(prefix) === 'ipv4' ? nextHopIpv4 : nextHopIpv6}`,
    'community 64511:64511',
    ...communities.map((value) => `community ${value}`),
    ...largeCommunities.map((value) => `large-community ${value}`),
  ];
  return `network ${prefix} set { ${sets.join(', ')} }`;
}

function renderNeighbor(neighbor: Neighbor, { listen, localAsn }: OpenbgpdOptions): string {
  const { address, port, asn, passive, holdTime = 90, gracefulRestart = 'aware' } = neighbor;
  const offered = families(neighbor);
  const announces = (family: 'ipv4' | 'ipv6'): string =>
    `announce ${family === 'ipv4' ? 'IPv4' : 'IPv6'} ${offered.includes(family) ? 'unicast' : 'none'}`;
  return [
    `neighbor ${address} {`,
    `  remote-as ${asn}`,
    `  local-address ${listen.address}`,
    `  port ${port}`,
    `  holdtime ${holdTime}`,
    `  ${announces('ipv4')}`,
    `  ${announces('ipv6')}`,
    `  announce restart ${gracefulRestart === false ? 'no' : 'yes'}`,
    ...(asn === localAsn ? [] : ['  multihop 255']),
    ...(passive ? ['  passive'] : []),
    '}',
  ].join('\n');
}
