/** The part of the oracle that is about readers of a revision: what its peers and its feeds are to have of it. */
import type { Family } from '../../src/core/address.ts';
import { AddressRanges } from '../oracle/address-ranges.ts';
import { aggregate } from '../oracle/aggregate.ts';
import type { FeedModel, PeerModel, RevisionModel, Routes, SpeakerModel } from './model.ts';
import { FAMILIES, parsed } from './oracle.ts';
import { PROTECTED } from './universe.ts';

/** Whether the speaker is to hold a session with the peer. */
export function isServed(peer: PeerModel, speaker: SpeakerModel): boolean {
  return (
    peer.enabled &&
    speaker.enabled &&
    (peer.speakers.length === 0 || peer.speakers.some(({ id }) => id === speaker.id))
  );
}

const NO_EXPORT = '65535:65281';

/** What the peer is to hold from the speaker: prefix to communities, as a router shows them. */
export function receivedBy(peer: PeerModel, speaker: SpeakerModel): Routes {
  const heard = new Map<string, readonly string[]>();
  if (!isServed(peer, speaker) || speaker.applied === null) return heard;
  const { routes, communities: values } = speaker.applied;
  const wanted = peer.communities.map(({ id }) => values.get(id));
  for (const [prefix, communities] of routes) {
    const family = prefix.includes(':') ? 'ipv6' : 'ipv4';
    const carried = wanted.length === 0 ? communities : communities.filter((one) => wanted.includes(one));
    if (!peer.families.includes(family) || (wanted.length > 0 && carried.length === 0)) continue;
    if (family === 'ipv6' && !peer.hasNextHop6) continue;
    heard.set(prefix, [...carried, NO_EXPORT].sort());
  }
  return heard;
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
