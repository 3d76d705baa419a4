/**
 * BIRD's configuration for one speaker: its own tables, a static protocol for each group of routes, a session for each peer. Pure. It
 * contains no text of a tenant: names are hashes, everything else is a number, an address, or a password that check.ts accepted.
 */
import { createHash } from 'node:crypto';
import { FAMILIES } from '../../../core/address.ts';
import type { PeerModel, RoutesModel, SpeakerModel } from '../../speaker.ts';
import { missingNextHop, refuseRouterId } from '../../check.ts';
import { refusePeer } from './check.ts';
import type { CommunitySet } from './communities.ts';
import { filterName, feedName, peerName, speakerTag, tableName } from './names.ts';
import { addressOf } from '../../export-policy.ts';
import { ownerText, speakerOf } from '../../owner.ts';
import { limitProblem } from '../../limited-peers.ts';
import { exportPolicies, exportsGroup, renderPolicy, type ExportPolicy } from './policy.ts';
import { renderFeed, type FeedEndpoint } from './render-feed.ts';
import { countGroups, groupRoutes, type GroupSize, type RouteGroup } from './route-groups.ts';
import { seal } from './sealed-text.ts';

/** How routes are delivered to BIRD: in files, over the feed session, or, during a change from one to the other, both. */
export type Way = 'static' | 'feed' | 'both';

export interface RenderOptions {
  /** Absolute path of the directory that is ours. */
  readonly directory: string;
  /** TCP port on which BIRD listens for BGP. */
  readonly port: number;
  /** BIRD listens only on the session's own address, not on every address of the machine. */
  readonly strictBind: boolean;
  /** Where BIRD accepts the route injection sessions. */
  readonly feed: FeedEndpoint;
  /** The owner of the files, where several services share a machine; absent: they have no owner. */
  readonly serviceId?: string;
}

/** A peer as BIRD holds it. */
export interface RenderedPeer {
  readonly peerId: string;
  /** Name of its protocol; null for a peer that BIRD does not support. */
  readonly protocol: string | null;
  /** Routes that it is to be sent, both families together. */
  readonly routes: number;
  /** Why it is not sent everything, and what to do. */
  readonly problem: string | null;
  /** What is wrong, and what to do, where BIRD has no socket to listen at for its session. */
  readonly withoutSocket: string;
}

export interface Configuration {
  readonly tag: string;
  /** Hash of everything, including routes in files; BIRD shows it as the description of the protocol named like the tag. */
  readonly hash: string;
  /** The file that BIRD includes. */
  readonly head: string;
  /** One file each, which the head includes. */
  readonly groups: readonly RouteGroup[];
  /** Protocols that deliver routes to BIRD, with their numbers of routes. */
  readonly imports: readonly { readonly protocol: string; readonly routes: number }[];
  readonly peers: readonly RenderedPeer[];
}

/** @throws {RangeError} for an identity that {@link refuseRouterId} refuses */
export function render(
  model: SpeakerModel,
  routes: RoutesModel,
  options: RenderOptions,
  way: Way = model.birdRoutes ?? 'static',
): Configuration {
  const refusal = refuseRouterId(model);
  if (refusal !== null) throw new RangeError(refusal);
  const tag = speakerTag(model.speakerId);
  const groups = way === 'feed' ? [] : groupRoutes(tag, routes);
  const sizes = countGroups(tag, routes);
  const filters = new Map<string, string>();
  const sessions: string[] = [];
  const peers = model.peers.map((peer): RenderedPeer => {
    const withoutSocket = socketProblem(peer, options);
    const none = { peerId: peer.id, protocol: null, routes: 0, withoutSocket };
    const problem = refusePeer(peer);
    if (problem !== null) return { ...none, problem };
    const policies = exportPolicies(model, peer, routes);
    const missing = peer.families.find((family) => !policies.some((policy) => policy.family === family));
    if (policies.length === 0) return { ...none, problem: missingNextHop(peer.families[0]!) };
    const protocol = peerName(tag, peer.id);
    sessions.push(renderSession(model, peer, policies, { tag, protocol, filters, options }));
    const count = policies.reduce((sum, policy) => sum + countExported(policy, sizes), 0);
    return {
      ...{ peerId: peer.id, protocol, routes: count, withoutSocket },
      problem: missing === undefined ? limitProblem(peer, routes) : missingNextHop(missing),
    };
  });
  const body = [
    ...FAMILIES.map((family) => `${family} table ${tableName(tag, family)};`),
    ...groups.map((group) => renderGroup(tag, group, options.directory)),
    ...(way === 'static' ? [] : [renderFeed(model.speakerId, options.feed)]),
    ...[...filters].map(([name, statements]) => `filter ${name} {\n${statements}\n}`),
    ...sessions,
  ].join('\n');
  const hash = createHash('sha256').update(body).digest('hex');
  const owner = renderOwner(options.serviceId, model.speakerId);
  const head = seal(`${WARNING}\n${owner}${body}\n${renderMark(tag, hash)}\n`);
  const all = sizes.reduce((sum, { size }) => sum + size, 0);
  const imports = [
    ...groups.map(({ name, prefixes }) => ({ protocol: name, routes: prefixes.size })),
    ...(way === 'static' ? [] : [{ protocol: feedName(tag), routes: all }]),
  ];
  return { tag, hash, head, groups, imports, peers };
}

/** BIRD listens at the address that a session comes from where it binds strictly and has one, and at all addresses of the family otherwise. */
function socketProblem({ address, localAddress }: PeerModel, { port, strictBind }: RenderOptions): string {
  const [family, member] = address.includes(':') ? ['IPv6', 'local_ipv6'] : ['IPv4', 'local_ipv4'];
  const isOwn = strictBind && localAddress !== null;
  const where = isOwn
    ? `${localAddress} port ${port}`
    : `port ${port} of all ${family} addresses of its machine`;
  const others = 'See that nothing else listens there';
  const remedy = isOwn
    ? `${others}, and that the machine has the address.`
    : strictBind
      ? `Set ${member} of the speaker to the address that it is to call from.`
      : `${others}, or let each session listen at its own address (APP_ROUTER_BIND=own).`;
  return `BIRD cannot listen at ${where}, and so opens no session. ${remedy}`;
}

const WARNING = '# Rewritten at every apply: changes made here are lost.';

function renderOwner(serviceId: string | undefined, speakerId: string): string {
  const owner = ownerText(serviceId, speakerId);
  return owner === null ? '' : `# ${owner}\n`;
}

/** The speaker of a head, if the service wrote it. */
export function speakerOfHead(head: string, serviceId: string): string | null {
  return speakerOf(/^# (service .+)$/m.exec(head)?.[1] ?? '', serviceId);
}

function countExported(policy: ExportPolicy, groups: readonly GroupSize[]): number {
  return groups.reduce((sum, group) => sum + (exportsGroup(policy, group) ? group.size : 0), 0);
}

/** Path of the file with a group's routes, named by its content. */
export function routesPath(directory: string, { hash }: Pick<RouteGroup, 'hash'>): string {
  return `${directory}/routes/${hash}.inc`;
}

function renderGroup(tag: string, group: RouteGroup, directory: string): string {
  const { name, family, communities } = group;
  return [
    `protocol static ${name} {`,
    `  ${family} {`,
    `    table ${tableName(tag, family)};`,
    '    import filter {',
    '      if source = RTS_STATIC then {',
    ...renderAdds(communities).map((statement) => `        ${statement}`),
    '        accept;',
    '      }',
    '      reject;',
    '    };',
    '  };',
    `  include "${routesPath(directory, group)}";`,
    '}',
  ].join('\n');
}

function renderAdds({ standard, large }: CommunitySet): string[] {
  return [
    ...standard.map((tuple) => `bgp_community.add(${tuple});`),
    ...large.map((tuple) => `bgp_large_community.add(${tuple});`),
  ];
}

interface SessionContext {
  readonly tag: string;
  readonly protocol: string;
  /** Filters by name, shared by peers with equal exports. */
  readonly filters: Map<string, string>;
  readonly options: RenderOptions;
}

function renderSession(
  speaker: SpeakerModel,
  peer: PeerModel,
  policies: readonly ExportPolicy[],
  { tag, protocol, filters, options }: SessionContext,
): string {
  const isIpv6 = peer.address.includes(':');
  const family = isIpv6 ? 'ipv6' : 'ipv4';
  const local = addressOf(peer.localAddress, family);
  return [
    `protocol bgp ${protocol} {`,
    `  router id ${addressOf(speaker.routerId, 'ipv4')};`,
    `  local${local === null ? '' : ` ${local}`} port ${options.port} as ${peer.localAsn};`,
    `  neighbor ${addressOf(peer.address, family)} port ${peer.port} as ${peer.remoteAsn};`,
    ...renderDistance(peer),
    ...(options.strictBind && local !== null ? ['  strict bind;'] : []),
    `  hold time ${peer.holdTime};`,
    // BIRD's defaults suit the open Internet; our routers should be back within seconds.
    '  connect delay time 1; connect retry time 10; error wait time 2, 30;',
    `  graceful restart ${peer.gracefulRestart ? 'on' : 'off'};`,
    ...(peer.passive ? ['  passive;'] : []),
    // Otherwise BIRD would act on well-known communities of routes from the feed, which are meant for the peers. Set for both ways, so that
    // a session survives a change of the way.
    '  interpret communities off;',
    ...(peer.bfd ? ['  bfd;'] : []),
    ...(peer.password === null ? [] : [`  password "${peer.password}";`]),
    ...policies.map((policy) => {
      const statements = renderPolicy(policy);
      const name = statements === null ? null : filterName(tag, statements);
      if (statements !== null) filters.set(name!, statements);
      return renderChannel(tag, policy, name);
    }),
    '}',
  ].join('\n');
}

/** An eBGP neighbour is directly connected unless configured otherwise; iBGP works over any distance. */
function renderDistance({ multihop, localAsn, remoteAsn }: PeerModel): string[] {
  if (multihop !== null) return [`  multihop ${multihop};`];
  return localAsn === remoteAsn ? [] : ['  direct;'];
}

/** Both directions are always explicit (RFC 8212): nothing is imported, and the filter decides what is exported. */
function renderChannel(tag: string, policy: ExportPolicy, filter: string | null): string {
  const { family, nextHops, otherwise } = policy;
  // Without an address of the family BIRD would not open the channel, whatever next hop the filter sets.
  const nextHop = otherwise === 'none' ? nextHops[0]!.address : otherwise;
  return [
    `  ${family} {`,
    `    table ${tableName(tag, family)};`,
    '    import none;',
    `    export ${filter === null ? 'none' : `filter ${filter}`};`,
    ...(nextHop === 'self' ? [] : [`    next hop address ${nextHop};`]),
    '  };',
  ].join('\n');
}

/** Contains the hash, so that BIRD itself can be asked what it runs. */
function renderMark(tag: string, hash: string): string {
  return [
    `protocol static ${tag} {`,
    `  description "${hash}";`,
    `  ipv4 { table ${tableName(tag, 'ipv4')}; };`,
    '}',
  ].join('\n');
}
