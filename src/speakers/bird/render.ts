/**
 * BIRD's configuration for one speaker: tables of its own, a static protocol for each group of routes, a session for each peer.
 * Pure. Nothing in it is text of a tenant: names are made of hashes, everything else is a number, an address, or a password
 * that check.ts let through.
 */
import { createHash } from 'node:crypto';
import { FAMILIES } from '../../core/address.ts';
import type { PeerModel, RoutesModel, SpeakerModel } from '../speaker.ts';
import { missingNextHop, refuseRouterId } from '../check.ts';
import { refusePeer } from './check.ts';
import type { CommunitySet } from './communities.ts';
import { filterName, feedName, peerName, speakerTag, tableName } from './names.ts';
import { addressOf } from '../export-policy.ts';
import { ownerText, speakerOf } from '../owner.ts';
import { limitProblem } from '../limited-peers.ts';
import { exportPolicies, hears, renderPolicy, type ExportPolicy } from './policy.ts';
import { renderFeed, type FeedEndpoint } from './render-feed.ts';
import { countGroups, groupRoutes, type GroupSize, type RouteGroup } from './route-groups.ts';
import { seal } from './sealed-text.ts';

/** How the routes get into BIRD: by files, over the feed session, or, while one takes the other's place, both. */
export type Way = 'static' | 'feed' | 'both';

export interface RenderOptions {
  /** Absolute path of the directory that is ours. */
  readonly directory: string;
  /** TCP port that BIRD listens on for BGP. */
  readonly port: number;
  /** Listens at the session's own address only, not at every one of the machine. */
  readonly strictBind: boolean;
  /** Where BIRD takes the sessions that routes come in by. */
  readonly feed: FeedEndpoint;
  /** Whose files they are, where several services share a machine; absent: nobody's. */
  readonly serviceId?: string;
}

/** A peer as BIRD holds it. */
export interface RenderedPeer {
  readonly peerId: string;
  /** Name of its protocol; null for a peer that BIRD can't hold. */
  readonly protocol: string | null;
  /** Routes that it is to be sent, both families together. */
  readonly routes: number;
  /** What keeps it from being sent all, and what to do. */
  readonly problem: string | null;
}

export interface Configuration {
  readonly tag: string;
  /** Of everything, routes in files too; BIRD shows it as the description of the protocol named like the tag. */
  readonly hash: string;
  /** The file that BIRD includes. */
  readonly head: string;
  /** One further file each, which the head includes. */
  readonly groups: readonly RouteGroup[];
  /** Protocols that bring the routes into BIRD, and how many each. */
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
    const none = { peerId: peer.id, protocol: null, routes: 0 };
    const problem = refusePeer(peer);
    if (problem !== null) return { ...none, problem };
    const policies = exportPolicies(model, peer, routes);
    const missing = peer.families.find((family) => !policies.some((policy) => policy.family === family));
    if (policies.length === 0) return { ...none, problem: missingNextHop(peer.families[0]!) };
    const protocol = peerName(tag, peer.id);
    sessions.push(renderSession(model, peer, policies, { tag, protocol, filters, options }));
    const count = policies.reduce((sum, policy) => sum + countHeard(policy, sizes), 0);
    return {
      ...{ peerId: peer.id, protocol, routes: count },
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

const WARNING = '# Written anew at every apply: what is changed here is lost.';

function renderOwner(serviceId: string | undefined, speakerId: string): string {
  const owner = ownerText(serviceId, speakerId);
  return owner === null ? '' : `# ${owner}\n`;
}

/** The speaker that a head is of, if the service wrote it. */
export function speakerOfHead(head: string, serviceId: string): string | null {
  return speakerOf(/^# (service .+)$/m.exec(head)?.[1] ?? '', serviceId);
}

function countHeard(policy: ExportPolicy, groups: readonly GroupSize[]): number {
  return groups.reduce((sum, group) => sum + (hears(policy, group) ? group.size : 0), 0);
}

/** Where the file of a group's routes is, by what it holds. */
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
  /** Filters by name, shared by peers that hear the same. */
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
    // BIRD's own times suit the open Internet; routers that were away are to be back within seconds.
    '  connect delay time 1; connect retry time 10; error wait time 2, 30;',
    `  graceful restart ${peer.gracefulRestart ? 'on' : 'off'};`,
    ...(peer.passive ? ['  passive;'] : []),
    // Of what comes by the feed it would keep well-known communities to itself, which the peers are to act on. Said in either way,
    // so that a session outlasts a change of it.
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

/** An eBGP neighbour is on a network of ours unless it is said to be further away; iBGP takes any distance. */
function renderDistance({ multihop, localAsn, remoteAsn }: PeerModel): string[] {
  if (multihop !== null) return [`  multihop ${multihop};`];
  return localAsn === remoteAsn ? [] : ['  direct;'];
}

/** Both directions are said always (RFC 8212): nothing comes in, and out goes what the filter lets through, or nothing. */
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

/** Carries the hash, so that BIRD itself can be asked what it runs. */
function renderMark(tag: string, hash: string): string {
  return [
    `protocol static ${tag} {`,
    `  description "${hash}";`,
    `  ipv4 { table ${tableName(tag, 'ipv4')}; };`,
    '}',
  ].join('\n');
}
