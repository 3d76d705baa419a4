/** Path attributes of the routes we announce (RFC 4271 section 5), encoded once and shared by every route that has them. */
import { AS_TRANS } from './open.ts';
import type { Family } from './message.ts';
import { concatOctets, u16, u32 } from './octets.ts';

export const AttributeType = {
  origin: 1,
  asPath: 2,
  nextHop: 3,
  multiExitDiscriminator: 4,
  localPreference: 5,
  atomicAggregate: 6,
  aggregator: 7,
  communities: 8,
  mpReach: 14,
  mpUnreach: 15,
  as4Path: 17,
  as4Aggregator: 18,
  largeCommunities: 32,
} as const;

export const AttributeFlag = {
  optional: 0x80,
  transitive: 0x40,
  partial: 0x20,
  extendedLength: 0x10,
} as const;

export const SegmentType = { set: 1, sequence: 2, confederationSequence: 3, confederationSet: 4 } as const;

/** Preference that iBGP routes carry: the default every implementation assumes. */
const LOCAL_PREFERENCE = 100;

/** Well-known community of RFC 1997: not to be passed on to other autonomous systems. */
export const NO_EXPORT = 0xffff_ff01;

/** What distinguishes one announced route from another, beside its prefix. */
export interface RouteAttributes {
  /** Next hop of the routes' family, as 1 or 4 words. */
  readonly nextHop: readonly number[];
  /** RFC 1997 values, ascending. */
  readonly communities: readonly number[];
  /** RFC 8092 triples, ascending. */
  readonly largeCommunities: readonly (readonly [number, number, number])[];
}

/** Who announces, and to whom. */
export interface SenderContext {
  readonly localAsn: number;
  /** True for eBGP. */
  readonly external: boolean;
  readonly fourOctetAs: boolean;
}

export interface EncodedAttributes {
  readonly family: Family;
  /** Next hop as octets: IPv6 carries it in MP_REACH_NLRI, in front of the prefixes. */
  readonly nextHop: Uint8Array;
  /** All attributes but MP_REACH_NLRI, in ascending order of type. */
  readonly octets: Uint8Array;
}

export function encodeAttribute(flags: number, type: number, value: Uint8Array): Uint8Array {
  const head =
    value.length > 255
      ? Uint8Array.of(flags | AttributeFlag.extendedLength, type, value.length >>> 8, value.length)
      : Uint8Array.of(flags, type, value.length);
  return concatOctets([head, value]);
}

export function encodeRouteAttributes(
  family: Family,
  attributes: RouteAttributes,
  sender: SenderContext,
): EncodedAttributes {
  const wellKnown = AttributeFlag.transitive;
  const optional = AttributeFlag.optional | AttributeFlag.transitive;
  const nextHop = u32(...attributes.nextHop);
  const parts = [
    encodeAttribute(wellKnown, AttributeType.origin, Uint8Array.of(0)),
    encodeAttribute(wellKnown, AttributeType.asPath, ownPath(sender, sender.fourOctetAs)),
  ];
  if (family === 'ipv4') parts.push(encodeAttribute(wellKnown, AttributeType.nextHop, nextHop));
  if (!sender.external) {
    parts.push(encodeAttribute(wellKnown, AttributeType.localPreference, u32(LOCAL_PREFERENCE)));
  }
  if (attributes.communities.length > 0) {
    parts.push(encodeAttribute(optional, AttributeType.communities, u32(...attributes.communities)));
  }
  if (sender.external && !sender.fourOctetAs && sender.localAsn > 0xffff) {
    // RFC 6793 section 4.2.2: the peer's path says AS_TRANS, the real one travels beside it.
    parts.push(encodeAttribute(optional, AttributeType.as4Path, ownPath(sender, true)));
  }
  if (attributes.largeCommunities.length > 0) {
    const value = u32(...attributes.largeCommunities.flat());
    parts.push(encodeAttribute(optional, AttributeType.largeCommunities, value));
  }
  return { family, nextHop, octets: concatOctets(parts) };
}

/** AS_PATH of a route that originates here: empty within the own AS, otherwise the own number. */
function ownPath({ external, localAsn }: SenderContext, fourOctets: boolean): Uint8Array {
  if (!external) return new Uint8Array(0);
  const asn = fourOctets ? u32(localAsn) : u16(localAsn > 0xffff ? AS_TRANS : localAsn);
  return concatOctets([Uint8Array.of(SegmentType.sequence, 1), asn]);
}
