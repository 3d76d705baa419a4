import { join } from 'node:path';
import { defaultNextHop, families, familyOf } from '../daemon.ts';
import type { Announcement, DaemonOptions, Family, NamedNeighbor } from '../daemon.ts';

export interface BirdOptions extends DaemonOptions {
  /** Keeps every UPDATE received, for `updates()`; default true. Costs the disk what the peer sends. */
  recordUpdates?: boolean;
  /** Writes every change of a route to the log, for `routeChanges()`; default false, since it is slow. */
  logRoutes?: boolean;
  /** More statements for the end of the configuration. */
  extraConfig?: string;
  /** More of its environment, such as a library that is loaded before its own. */
  env?: NodeJS.ProcessEnv;
}

/** BIRD's configuration: no kernel protocol, so it touches no routing table but its own. */
export function renderBirdConfig(
  options: Omit<BirdOptions, 'neighbors'> & { neighbors: readonly NamedNeighbor[] },
  directory: string,
): string {
  const lines = [
    `log "${join(directory, 'bird.log')}" all;`,
    `router id ${options.routerId};`,
    `debug protocols { states, events };`,
    ...(options.logRoutes ? ['debug channels { routes };'] : []),
    ...(options.recordUpdates
      ? [`mrtdump "${join(directory, 'updates.mrt')}";`, 'mrtdump protocols { messages };']
      : []),
    'protocol device {}',
    ...(['ipv4', 'ipv6'] as const).map((family) => renderStatic(options.announce ?? [], family)),
    ...options.neighbors.map((neighbor) => renderNeighbor(options, neighbor)),
    options.extraConfig ?? '',
  ];
  return lines.join('\n') + '\n';
}

function renderStatic(announce: readonly Announcement[], family: Family): string {
  const tuple = (value: string): string => `(${value.replaceAll(':', ',')})`;
  const routes = announce
    .filter(({ prefix }) => familyOf(prefix) === family)
    .map(({ prefix, communities = [], largeCommunities = [] }) => {
      const adds = [
        ...communities.map((value) => `bgp_community.add(${tuple(value)});`),
        ...largeCommunities.map((value) => `bgp_large_community.add(${tuple(value)});`),
      ];
      return `  route ${prefix} blackhole { ${adds.join(' ')} };`;
    });
  return [`protocol static announce_${family} { ${family};`, ...routes, '}'].join('\n');
}

function renderNeighbor(options: Omit<BirdOptions, 'neighbors'>, neighbor: NamedNeighbor): string {
  const { listen, localAsn, nextHopIpv4 = defaultNextHop.ipv4, nextHopIpv6 = defaultNextHop.ipv6 } = options;
  const { gracefulRestart = 'aware' } = neighbor;
  const channels = families(neighbor).map((family) => {
    const nextHop = family === 'ipv4' ? nextHopIpv4 : nextHopIpv6;
    const { importLimit, importLimitAction = 'restart' } = neighbor;
    const limit =
      importLimit === undefined ? '' : ` import limit ${importLimit} action ${importLimitAction};`;
    return `  ${family} { import all;${limit} export where source = RTS_STATIC; next hop address ${nextHop}; };`;
  });
  return [
    `protocol bgp ${neighbor.name} {`,
    `  local ${listen.address} port ${listen.port} as ${localAsn};`,
    `  neighbor ${neighbor.address} port ${neighbor.port} as ${neighbor.asn};`,
    // Daemons of one machine share its addresses: each listens on its own only, and none is "directly connected".
    '  strict bind; multihop;',
    '  connect delay time 0; connect retry time 1; error wait time 1, 2;',
    `  hold time ${neighbor.holdTime ?? 90};`,
    `  graceful restart ${gracefulRestart === 'aware' ? 'aware' : gracefulRestart ? 'on' : 'off'};`,
    ...(neighbor.passive ? ['  passive;'] : []),
    ...(neighbor.extendedMessages ? ['  enable extended messages;'] : []),
    ...channels,
    '}',
  ].join('\n');
}
