/**
 * FRR's configuration for one speaker: a view, which is a routing table that no other neighbour and no kernel sees; in it the feed, where
 * the routes come from, and the peers. Pure. It contains no text of a tenant: names are hashes, everything else is a number, an address, or
 * a password that check.ts accepted.
 */
import { FAMILIES, type Family } from '../../core/address.ts';
import { hostOf, missingNextHop, refuseIdentity } from '../check.ts';
import { addressOf, exportPolicies, RouteCounts } from '../export-policy.ts';
import { feedAddress, feedAsn } from '../feed-session.ts';
import { limitProblem } from '../limited-peers.ts';
import { ownerText, speakerOf } from '../owner.ts';
import type { PeerModel, RoutesModel, SpeakerModel } from '../speaker.ts';
import { refuseFeedAddress, refusePeer } from './check.ts';
import { feedName, nothingName, ownerName, speakerTag } from './names.ts';
import { marksRouteMap, routeMap } from './policy.ts';
import { keyOf, type Statement } from './statements.ts';

export interface FrrPlace {
  /** Where the builtin speaker listens; FRR connects to it for the routes. */
  readonly feed: { readonly address: string; readonly port: number };
  /** The owner of the speakers, where several services share a machine; absent: they have no owner. */
  readonly serviceId?: string;
}

/** A peer as FRR holds it. */
export interface RenderedPeer {
  readonly peerId: string;
  /** The address by which FRR identifies it; null for a peer that FRR does not support. */
  readonly address: string | null;
  /** Routes that it is to be sent. */
  readonly routes: Readonly<Record<Family, number>>;
  /** Why it is not sent everything, and what to do. */
  readonly problem: string | null;
}

export interface Configuration {
  readonly tag: string;
  /** Heading of the view. */
  readonly view: string;
  readonly feedAddress: string;
  /** In an order in which every name is defined before its use, without duplicates. */
  readonly statements: readonly Statement[];
  readonly peers: readonly RenderedPeer[];
  /** Routes of the feed. */
  readonly routes: Readonly<Record<Family, number>>;
}

/** Seconds that FRR keeps the routes of a feed that is down: first the most that graceful restart allows, then that of RFC 9494. */
const STALE_TIME = 4_095;
const LONG_STALE_TIME = 16_777_215;

/** The service is on the same machine, and restarts within a second. */
const FEED_RETRY = 1;
/** FRR's default of two minutes suits the open Internet; our routers should be back within seconds. */
const PEER_RETRY = 10;

/** @throws {RangeError} for an identity that {@link refuseIdentity} refuses */
export function render(
  model: SpeakerModel,
  routes: RoutesModel,
  { feed, serviceId }: FrrPlace,
): Configuration {
  const refusal = refuseIdentity(model);
  if (refusal !== null) throw new RangeError(refusal);
  const tag = speakerTag(model.speakerId);
  const view = `router bgp ${model.localAsn} view ${tag}`;
  const counts = new RouteCounts(routes);
  const policies = new Map(marksRouteMap(tag).map((statement) => [keyOf(statement), statement]));
  const neighbors: Statement[] = [];
  const peers = model.peers.map((peer): RenderedPeer => {
    const none = { peerId: peer.id, address: null, routes: { ipv4: 0, ipv6: 0 } };
    const problem = refusePeer(model, peer) ?? refuseFeedAddress(peer, feed.address);
    if (problem !== null) return { ...none, problem };
    const wanted = exportPolicies(model, peer, routes);
    const missing = peer.families.find((family) => !wanted.some((policy) => policy.family === family));
    if (wanted.length === 0) return { ...none, problem: missingNextHop(peer.families[0]!) };
    const { address, lines } = sessionLines(model, peer);
    neighbors.push(...lines.map((line): Statement => [view, line]));
    const sent = { ipv4: 0, ipv6: 0 };
    for (const policy of wanted) {
      const out = routeMap(tag, policy, routes.barred !== undefined);
      for (const statement of out?.statements ?? []) policies.set(keyOf(statement), statement);
      if (out !== null) sent[policy.family] = counts.exportedBy(policy);
      const family = familyLines(address, { in: nothingName(tag), out: out?.name ?? nothingName(tag) });
      neighbors.push(...family.map((line): Statement => [view, familyHeading(policy.family), line]));
    }
    return {
      ...{ peerId: peer.id, address, routes: sent },
      problem: missing === undefined ? limitProblem(peer, routes) : missingNextHop(missing),
    };
  });
  return {
    ...{ tag, view, feedAddress: feed.address, peers },
    statements: [
      ...ownerStatements(tag, ownerText(serviceId, model.speakerId)),
      [`route-map ${nothingName(tag)} deny 10`],
      ...feedRouteMap(tag, model.localAsn),
      ...policies.values(),
      ...viewStatements(model, view),
      ...feedStatements(model, view, tag, feed),
      ...neighbors,
    ],
    routes: { ipv4: routes.table.ipv4.size, ipv6: routes.table.ipv6.size },
  };
}

/** First, so that everything of the speaker in FRR can be found again. */
function ownerStatements(tag: string, owner: string | null): Statement[] {
  const heading = `route-map ${ownerName(tag)} deny 10`;
  return owner === null ? [] : [[heading], [heading, `description ${owner}`]];
}

/** Ids of the speakers that FRR runs and that belong to the service. */
export function speakersOf(running: readonly Statement[], serviceId: string): string[] {
  return running.flatMap(([head, line]) => {
    const speaker = speakerOf(/^description (.+)$/.exec(line ?? '')?.[1] ?? '', serviceId);
    if (speaker === null) return [];
    return head.startsWith(`route-map ${ownerName(speakerTag(speaker))} `) ? [speaker] : [];
  });
}

function familyHeading(family: Family): string {
  return `address-family ${family} unicast`;
}

/** Routes are imported as if the speaker itself originated them, without the AS number of the feed. */
function feedRouteMap(tag: string, asn: number): Statement[] {
  const heading = `route-map ${feedName(tag)} permit 10`;
  return [[heading], [heading, `set as-path exclude ${feedAsn(asn)}`]];
}

function viewStatements(model: SpeakerModel, view: string): Statement[] {
  return [
    [view],
    [view, `bgp router-id ${addressOf(model.routerId, 'ipv4')}`],
    [view, 'no bgp default ipv4-unicast'],
    [view, `bgp long-lived-graceful-restart stale-time ${LONG_STALE_TIME}`],
    [view, `bgp graceful-restart stalepath-time ${STALE_TIME}`],
    // The next hops forward, not this machine: peers may keep using the routes while FRR restarts.
    [view, 'bgp graceful-restart preserve-fw-state'],
  ];
}

function feedStatements(
  { speakerId, localAsn }: SpeakerModel,
  view: string,
  tag: string,
  feed: FrrPlace['feed'],
): Statement[] {
  const { address, port } = feed;
  const session = [
    `remote-as ${feedAsn(localAsn)}`,
    ...(port === BGP_PORT ? [] : [`port ${port}`]),
    `update-source ${feedAddress(speakerId)}`,
    'timers 30 90',
    `timers connect ${FEED_RETRY}`,
    'graceful-restart-helper',
  ];
  const family = [`route-map ${feedName(tag)} in`, `route-map ${nothingName(tag)} out`, 'activate'];
  const neighbor = (text: string): string => `neighbor ${address} ${text}`;
  return [
    ...session.map((text): Statement => [view, neighbor(text)]),
    ...FAMILIES.flatMap((one) => family.map((text): Statement => [view, familyHeading(one), neighbor(text)])),
  ];
}

const BGP_PORT = 179;

function sessionLines(speaker: SpeakerModel, peer: PeerModel): { address: string; lines: string[] } {
  const address = hostOf(peer)!;
  const local = addressOf(peer.localAddress, address.includes(':') ? 'ipv6' : 'ipv4');
  const isExternal = peer.localAsn !== peer.remoteAsn;
  const lines = [
    `remote-as ${peer.remoteAsn}`,
    // Peers see only the AS number that they are configured for.
    ...(peer.localAsn === speaker.localAsn ? [] : [`local-as ${peer.localAsn} no-prepend replace-as`]),
    ...(peer.port === BGP_PORT ? [] : [`port ${peer.port}`]),
    ...(peer.password === null ? [] : [`password ${peer.password}`]),
    // An eBGP neighbour is directly connected unless configured otherwise; iBGP works over any distance.
    ...(isExternal && peer.multihop !== null && peer.multihop > 1 ? [`ebgp-multihop ${peer.multihop}`] : []),
    ...(local === null ? [] : [`update-source ${local}`]),
    `timers ${Math.floor(peer.holdTime / 3)} ${peer.holdTime}`,
    `timers connect ${PEER_RETRY}`,
    ...(peer.bfd ? ['bfd'] : []),
    `graceful-restart${peer.gracefulRestart ? '' : '-disable'}`,
  ];
  return { address, lines: lines.map((text) => `neighbor ${address} ${text}`) };
}

/** Both directions are always explicit (RFC 8212): nothing is imported, and the route map decides what is exported. */
function familyLines(address: string, maps: { in: string; out: string }): string[] {
  return [`route-map ${maps.in} in`, `route-map ${maps.out} out`, 'next-hop-self force', 'activate'].map(
    (text) => `neighbor ${address} ${text}`,
  );
}
