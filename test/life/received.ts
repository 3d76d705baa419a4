/** The part of the oracle that is about readers of a revision: what its peers and its feeds are to have of it. */
import type { Family } from '../../src/core/address.ts';
import { AddressRanges } from '../oracle/address-ranges.ts';
import { aggregate } from '../oracle/aggregate.ts';
import type {
  CommunityModel,
  FeedModel,
  NextHop,
  PeerModel,
  RevisionModel,
  Routes,
  SpeakerModel,
} from './model.ts';
import { FAMILIES, parsed } from './prefixes.ts';
import { isBlackholed, PROTECTED } from './universe.ts';

/** Whether the speaker is to hold a session with the peer. */
export function isServed(peer: PeerModel, speaker: SpeakerModel): boolean {
  return (
    peer.enabled &&
    speaker.enabled &&
    (peer.speakers.length === 0 || peer.speakers.some(({ id }) => id === speaker.id))
  );
}

const NO_EXPORT = '65535:65281';

/** How a next hop stands among the communities of a route. */
export const VIA = 'via ';

/**
 * What the peer is to hold from the speaker, whatever its limit: prefix to communities and next hop, as a router shows them.
 * @param known what communities are now
 */
export function receivedBy(peer: PeerModel, speaker: SpeakerModel, known: readonly CommunityModel[]): Routes {
  const heard = new Map<string, readonly string[]>();
  if (!isServed(peer, speaker) || speaker.applied === null) return heard;
  const { routes, communities: values } = speaker.applied;
  const wanted = peer.communities.map(({ id }) => values.get(id));
  const hops = new Map(known.map(({ id, nextHop }) => [values.get(id), nextHop]));
  for (const [prefix, communities] of routes) {
    const family = prefix.includes(':') ? 'ipv6' : 'ipv4';
    const carried = wanted.length === 0 ? communities : communities.filter((one) => wanted.includes(one));
    if (!peer.families.includes(family) || (wanted.length > 0 && carried.length === 0)) continue;
    const own = family === 'ipv4' ? speaker.address : null;
    const via = nextHopOf(family, carried, hops, peer) ?? own;
    if (via !== null) heard.set(prefix, [...carried.map(shownByRouter), NO_EXPORT, VIA + via].sort());
  }
  return heard;
}

/** A community that the API gives a name to, by its numbers. */
function shownByRouter(community: string): string {
  return isBlackholed(community) ? '65535:666' : community;
}

/** That of a blackhole before that of the peer, and that of any other community only where the peer has none. */
function nextHopOf(
  family: Family,
  carried: readonly string[],
  hops: ReadonlyMap<string | undefined, NextHop>,
  peer: PeerModel,
): string | null {
  const of = (some: readonly string[]): string | null =>
    some.map((value) => hops.get(value)?.[family] ?? null).find((one) => one !== null) ?? null;
  return of(carried.filter(isBlackholed)) ?? peer.nextHop[family] ?? of([...carried].sort());
}

/** Whether the peer is to be sent all of these. */
export function isUnderLimit({ most }: PeerModel, routes: Routes): boolean {
  return most === null || routes.size <= most;
}

/**
 * Whether a peer over its limit may have this: either what is left of what it had, or no more than the limit, and a cover of all that it is to be
 * sent, which has nothing that is protected.
 */
export function isLimited({ most, whenTooMany }: PeerModel, found: Routes, wanted: Routes): boolean {
  const rangesOf = (family: Family, routes: Routes): AddressRanges =>
    AddressRanges.of(ofFamily(family, [...routes.keys()]).map(parsed));
  const isAll = (some: Routes, others: Routes): boolean =>
    FAMILIES.every((family) => rangesOf(family, some).subtract(rangesOf(family, others)).ranges.length === 0);
  const isOf = ([prefix, carried]: readonly [string, readonly string[]]): boolean =>
    wanted.get(prefix)?.join() === carried.join();
  // Also more than that: what it had before its limit was lowered.
  if ([...found].every(isOf)) return true;
  if (found.size > (most ?? found.size)) return false;
  const shielded = AddressRanges.of([parsed(PROTECTED)]);
  const isClear = rangesOf('ipv4', found).intersect(shielded).ranges.length === 0;
  // Where no cover is allowed it keeps what is left of the one that it had.
  return whenTooMany === 'fit' && (isAll(found, wanted) || (isClear && isAll(wanted, found)));
}

/** What a feed has of the revision: the fewest prefixes for the addresses of its routes, in the order of text. */
export function servedBy(
  { communities }: FeedModel,
  { routes, communities: values }: RevisionModel,
): string[] {
  const wanted = communities.map(({ id }) => values.get(id));
  const drawn = Array.from(routes).flatMap(([prefix, carried]) =>
    communities.length === 0 || carried.some((one) => wanted.includes(one)) ? [prefix] : [],
  );
  const isIpv6 = (prefix: string): boolean => prefix.includes(':');
  const both = [aggregate(drawn.filter((one) => !isIpv6(one))), aggregate(drawn.filter(isIpv6))];
  return both.flat().sort();
}

/** Whether the feed may have as many prefixes as these. */
export function isWithin({ most }: FeedModel, rows: readonly string[]): boolean {
  return FAMILIES.every((family) => ofFamily(family, rows).length <= (most ?? rows.length));
}

/** Whether these lines cover all of the rows, with no more prefixes than the feed may have, and nothing that is protected. */
export function isFitted(feed: FeedModel, lines: readonly string[], rows: readonly string[]): boolean {
  const rangesOf = (family: Family, some: readonly string[]): AddressRanges =>
    AddressRanges.of(ofFamily(family, some).map(parsed));
  const shielded = rangesOf('ipv4', [PROTECTED]);
  return (
    isWithin(feed, lines) &&
    rangesOf('ipv4', lines).intersect(shielded).ranges.length === 0 &&
    FAMILIES.every((family) => rangesOf(family, rows).subtract(rangesOf(family, lines)).ranges.length === 0)
  );
}

function ofFamily(family: Family, some: readonly string[]): string[] {
  return some.filter((text) => (text.includes(':') ? 'ipv6' : 'ipv4') === family);
}

/** The routes that hold the address, the shortest prefix first. */
export function routesAround(routes: Routes, address: string): string[] {
  const { family, first } = parsed(address);
  return [...routes.keys()]
    .filter((prefix) => parsed(prefix).family === family && parsed(prefix).contains(first))
    .sort((a, b) => parsed(a).length - parsed(b).length);
}
