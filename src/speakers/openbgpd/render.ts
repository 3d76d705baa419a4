/**
 * OpenBGPD's configuration for one speaker: a neighbour and its filters for each peer. It contains no networks: `bgpctl network bulk`
 * announces them, with a mark that the filters match. Pure. It contains no text of a tenant: only numbers, addresses, and passwords that
 * check.ts accepted.
 */
import { createHash } from 'node:crypto';
import { FAMILIES, type Family } from '../../core/address.ts';
import { formatCommunity } from '../../core/community.ts';
import { isBar } from '../bars.ts';
import { hostOf, missingNextHop } from '../check.ts';
import { addressOf, exportPolicies, type ExportPolicy } from '../export-policy.ts';
import { limitProblem } from '../limited-peers.ts';
import { ownerText, speakerOf } from '../owner.ts';
import type { PeerModel, RoutesModel, SpeakerModel } from '../speaker.ts';
import { refusePeer } from './check.ts';
import { ANY_MARK, NO_EXPORT, renderCommunity } from './marks.ts';
import { groupRoutes, type MarkedGroup } from './networks.ts';

/** A peer as OpenBGPD holds it. */
export interface RenderedPeer {
  readonly peerId: string;
  readonly name: string;
  /** The address by which OpenBGPD identifies it; null for a peer that OpenBGPD does not support. */
  readonly address: string | null;
  readonly password: string | null;
  /** Routes that it is to be sent, for each of its families. */
  readonly routes: Readonly<Partial<Record<Family, number>>>;
  /** Why it is not sent everything, and what to do. */
  readonly problem: string | null;
}

export interface Configuration {
  /** Identifies the speaker in the file. */
  readonly tag: string;
  readonly text: string;
  readonly peers: readonly RenderedPeer[];
}

/** What OpenBGPD may run while a new configuration and new routes are applied. */
export interface InPlace {
  readonly text: string;
  /** Marks of the networks that it announces; null: unknown, so all marks with rules in the text. */
  readonly marks: ReadonlySet<string> | null;
}

export interface RenderOptions {
  /** Its networks keep their rules until they are replaced or withdrawn, so that no peer loses a route that stays. */
  readonly inPlace?: InPlace | null;
  /** The owner of the speaker, by which the service finds it. */
  readonly serviceId?: string | undefined;
}

export function render(
  model: SpeakerModel,
  routes: RoutesModel,
  { inPlace = null, serviceId }: RenderOptions = {},
): Configuration {
  const groups = groupRoutes(routes);
  const retired = inPlace === null ? new Map<string, string[]>() : retiredRules(inPlace, groups);
  const heads = new Set(inPlace?.text.match(HEAD));
  const tag = tagOf(model.speakerId);
  const neighbours: string[] = [];
  // No neighbour, including those of the operator, can get a route to our peers by sending it with a mark.
  const filters: string[] = [`match from any set { large-community delete ${ANY_MARK} }`];
  const peers = model.peers.map((peer): RenderedPeer => {
    const { id: peerId, name, password } = peer;
    const none = { peerId, name, password, address: null, routes: {} };
    const problem = refusePeer(model, peer);
    if (problem !== null) return { ...none, problem };
    const policies = exportPolicies(model, peer, routes);
    const missing = peer.families.find((family) => !policies.some((policy) => policy.family === family));
    if (policies.length === 0) return { ...none, problem: missingNextHop(peer.families[0]!) };
    const address = hostOf(peer)!;
    neighbours.push(renderNeighbour(peer, address, policies));
    const isSame = heads.has(headOf(peer, address));
    filters.push(...renderFilters(address, policies, groups, isSame ? (retired.get(address) ?? []) : []));
    return {
      ...none,
      address,
      routes: Object.fromEntries(policies.map((policy) => [policy.family, countExported(policy, groups)])),
      problem: missing === undefined ? limitProblem(peer, routes) : missingNextHop(missing),
    };
  });
  // A peer for which the operator's own rules allow everything still receives none of our routes.
  const last = `deny quick to any large-community ${ANY_MARK}`;
  return {
    tag,
    text: [...headerOf(model.speakerId, serviceId), ...neighbours, ...filters, last, ''].join('\n'),
    peers,
  };
}

const WARNING = '# Rewritten at every apply: changes made here are lost.';

/** The text by which the file names its speaker. */
export function tagOf(speakerId: string): string {
  return createHash('sha256').update(speakerId).digest('hex').slice(0, 16);
}

function headerOf(speakerId: string, serviceId: string | undefined): string[] {
  const owner = ownerText(serviceId, speakerId);
  return [WARNING, `# speaker ${tagOf(speakerId)}`, ...(owner === null ? [] : [`# ${owner}`])];
}

/** The tag in the file; null if it names no speaker. */
export function ownerOf(text: string): string | null {
  return /^# speaker ([0-9a-f]{16})$/m.exec(text)?.[1] ?? null;
}

/** The id of the speaker in the file, if it belongs to the service. */
export function speakerIn(text: string, serviceId: string): string | null {
  const speaker = speakerOf(/^# (service .*)$/m.exec(text)?.[1] ?? '', serviceId);
  return speaker !== null && ownerOf(text) === tagOf(speaker) ? speaker : null;
}

/** The file when OpenBGPD holds no speaker. */
export const NO_SPEAKER = `${WARNING}\n`;

function renderNeighbour(peer: PeerModel, address: string, policies: readonly ExportPolicy[]): string {
  const isIpv6 = address.includes(':');
  const local = addressOf(peer.localAddress, isIpv6 ? 'ipv6' : 'ipv4');
  const isOffered = (family: Family): boolean => policies.some((policy) => policy.family === family);
  return [
    headOf(peer, address),
    `  local-as ${peer.localAsn}`,
    ...(local === null ? [] : [`  local-address ${local}`]),
    `  port ${peer.port}`,
    ...(peer.multihop === null || peer.localAsn === peer.remoteAsn ? [] : [`  multihop ${peer.multihop}`]),
    `  holdtime ${peer.holdTime}`,
    ...(peer.passive ? ['  passive'] : []),
    `  announce IPv4 ${isOffered('ipv4') ? 'unicast' : 'none'}`,
    `  announce IPv6 ${isOffered('ipv6') ? 'unicast' : 'none'}`,
    `  announce restart ${peer.gracefulRestart ? 'yes' : 'no'}`,
    ...(peer.password === null ? [] : [`  tcp md5sig password "${peer.password}"`]),
    '}',
  ].join('\n');
}

/** The lines by which a neighbour is distinguished from another one with its address. */
function headOf({ remoteAsn }: PeerModel, address: string): string {
  return `neighbor ${address} {\n  remote-as ${remoteAsn}`;
}

/** Matches what {@link headOf} writes. */
const HEAD = /^neighbor \S+ \{\n {2}remote-as \d+/gm;

/** Rules for networks that are not in the groups but may still be announced, by the address of their peer. */
function retiredRules({ text, marks }: InPlace, groups: readonly MarkedGroup[]): Map<string, string[]> {
  const known = new Set(groups.map(({ mark }) => mark));
  const rules = new Map<string, string[]>();
  for (const [rule, address, mark] of text.matchAll(RULE)) {
    if (known.has(mark!) || marks?.has(mark!) === false) continue;
    const ofPeer = rules.get(address!);
    if (ofPeer === undefined) rules.set(address!, [rule]);
    else ofPeer.push(rule);
  }
  return rules;
}

/** Matches what {@link renderRule} writes. */
const RULE = /^(?:match|allow quick) to (\S+) inet6? large-community (\S+) set .*$/gm;

/** Nothing is imported (RFC 8212), and only what a rule of ours matches is exported. */
function renderFilters(
  address: string,
  policies: readonly ExportPolicy[],
  groups: readonly MarkedGroup[],
  retired: readonly string[],
): string[] {
  const rules = policies.flatMap((policy) => groups.flatMap((group) => renderRule(address, policy, group)));
  return [`deny quick from ${address}`, ...rules, ...retired, `deny quick to ${address}`];
}

function renderRule(address: string, policy: ExportPolicy, group: MarkedGroup): string[] {
  const nextHop = nextHopOf(policy, group);
  if (nextHop === null) return [];
  const of = `to ${address} ${policy.family === 'ipv4' ? 'inet' : 'inet6'} large-community ${group.mark}`;
  const sent = group.communities.filter(
    (community) => !isBar(community) && isExported(policy, formatCommunity(community)),
  );
  const sets = [
    `large-community delete ${ANY_MARK}`,
    ...sent.map(renderCommunity),
    ...(policy.noExport ? [NO_EXPORT] : []),
    nextHop === 'self' ? 'nexthop self' : 'nexthop no-modify',
  ];
  return [
    // A separate rule, since one rule can't both set a next hop and leave it unchanged.
    ...(nextHop === 'self' ? [] : [`match ${of} set { nexthop ${nextHop} }`]),
    `allow quick ${of} set { ${[...new Set(sets)].join(', ')} }`,
  ];
}

function isExported({ exported }: ExportPolicy, text: string): boolean {
  return exported === null || exported.some((community) => formatCommunity(community) === text);
}

/** Null for routes that are not sent to the peer. */
function nextHopOf(policy: ExportPolicy, { communities }: MarkedGroup): string | null {
  const texts = communities.map(formatCommunity);
  if (policy.bar !== null && texts.includes(formatCommunity(policy.bar))) return null;
  if (policy.exported !== null && !texts.some((text) => isExported(policy, text))) return null;
  const own = policy.nextHops.find(({ of }) => texts.includes(formatCommunity(of)));
  if (own !== undefined) return own.address;
  return policy.otherwise === 'none' ? null : policy.otherwise;
}

function countExported(policy: ExportPolicy, groups: readonly MarkedGroup[]): number {
  return groups.reduce(
    (sum, group) => sum + (nextHopOf(policy, group) === null ? 0 : group.size[policy.family]),
    0,
  );
}

/** Families of the peer, for sessions that have not negotiated any. */
export function familiesOf({ routes }: RenderedPeer): readonly Family[] {
  return FAMILIES.filter((family) => routes[family] !== undefined);
}
