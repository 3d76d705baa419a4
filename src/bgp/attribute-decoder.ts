/**
 * Path attributes as received. Errors are handled as RFC 7606 requires: most make the routes of the UPDATE withdrawn, some drop the
 * attribute, and only those after which nothing in the message can be trusted end the session.
 */
import { AttributeFlag, AttributeType, SegmentType } from './attributes.ts';
import { BgpError, ErrorCode, UpdateSubcode } from './notification.ts';
import { readU16, readU32 } from './octets.ts';

export interface PathSegment {
  readonly type: number;
  readonly asns: readonly number[];
}

export interface PathAttributes {
  /** 0 IGP, 1 EGP, 2 INCOMPLETE. */
  readonly origin: number | null;
  readonly asPath: readonly PathSegment[] | null;
  /** NEXT_HOP of the IPv4 prefixes in the message's own field, as one word. */
  readonly nextHop: number | null;
  readonly multiExitDiscriminator: number | null;
  readonly localPreference: number | null;
  readonly communities: readonly number[];
  readonly largeCommunities: readonly (readonly [number, number, number])[];
  /** Values of MP_REACH_NLRI and MP_UNREACH_NLRI, undecoded. */
  readonly mpReach: Uint8Array | null;
  readonly mpUnreach: Uint8Array | null;
}

export interface DecodedAttributes {
  readonly attributes: PathAttributes;
  /** Why the announced routes are to be treated as withdrawn, or null. */
  readonly fault: string | null;
}

export interface ReceiverContext {
  readonly external: boolean;
  readonly fourOctetAs: boolean;
}

/** Whether an attribute is well-known (transitive, not optional) or optional: the two flag bits it must have. */
const WELL_KNOWN = AttributeFlag.transitive;
const OPTIONAL_TRANSITIVE = AttributeFlag.optional | AttributeFlag.transitive;
const FLAGS: Readonly<Record<number, number>> = {
  [AttributeType.origin]: WELL_KNOWN,
  [AttributeType.asPath]: WELL_KNOWN,
  [AttributeType.nextHop]: WELL_KNOWN,
  [AttributeType.multiExitDiscriminator]: AttributeFlag.optional,
  [AttributeType.localPreference]: WELL_KNOWN,
  [AttributeType.atomicAggregate]: WELL_KNOWN,
  [AttributeType.aggregator]: OPTIONAL_TRANSITIVE,
  [AttributeType.communities]: OPTIONAL_TRANSITIVE,
  [AttributeType.mpReach]: AttributeFlag.optional,
  [AttributeType.mpUnreach]: AttributeFlag.optional,
  [AttributeType.as4Path]: OPTIONAL_TRANSITIVE,
  [AttributeType.as4Aggregator]: OPTIONAL_TRANSITIVE,
  [AttributeType.largeCommunities]: OPTIONAL_TRANSITIVE,
};

/** @throws BgpError UPDATE Message Error where RFC 7606 keeps the session reset. */
export function decodeAttributes(octets: Uint8Array, receiver: ReceiverContext): DecodedAttributes {
  const { values, fault } = splitAttributes(octets);
  let problem = fault;
  const fail = (reason: string): null => {
    problem ??= reason;
    return null;
  };
  const fixed = (type: number, length: number, name: string): Uint8Array | null => {
    const value = values.get(type);
    if (value === undefined) return null;
    return value.length === length ? value : fail(`${name} of ${value.length} octets`);
  };
  const number = (type: number, name: string): number | null => {
    const value = fixed(type, 4, name);
    return value === null ? null : readU32(value, 0);
  };

  const origin = fixed(AttributeType.origin, 1, 'ORIGIN')?.[0] ?? null;
  if (origin !== null && origin > 2) fail(`ORIGIN ${origin}`);
  const pathOctets = values.get(AttributeType.asPath);
  const path = pathOctets === undefined ? null : decodePath(pathOctets, receiver.fourOctetAs);
  if (pathOctets !== undefined && path === null) fail('malformed AS_PATH');
  // LOCAL_PREF from another autonomous system is discarded unread (RFC 7606 section 7.5).
  const localPreference = receiver.external ? null : number(AttributeType.localPreference, 'LOCAL_PREF');
  const communities = wordList(values.get(AttributeType.communities), 4);
  const large = wordList(values.get(AttributeType.largeCommunities), 12);
  if (communities === null || large === null) fail('community list of impossible length');

  const attributes: PathAttributes = {
    origin,
    asPath: receiver.fourOctetAs ? path : withAs4Path(path, values.get(AttributeType.as4Path)),
    nextHop: number(AttributeType.nextHop, 'NEXT_HOP'),
    multiExitDiscriminator: number(AttributeType.multiExitDiscriminator, 'MULTI_EXIT_DISC'),
    localPreference,
    communities: communities ?? [],
    largeCommunities: triples(large ?? []),
    mpReach: values.get(AttributeType.mpReach) ?? null,
    mpUnreach: values.get(AttributeType.mpUnreach) ?? null,
  };
  return { attributes, fault: problem };
}

function splitAttributes(octets: Uint8Array): { values: Map<number, Uint8Array>; fault: string | null } {
  const values = new Map<number, Uint8Array>();
  let fault: string | null = null;
  for (let at = 0; at < octets.length;) {
    const flags = octets[at]!;
    const type = octets[at + 1] ?? 0;
    const long = (flags & AttributeFlag.extendedLength) !== 0;
    const valueAt = at + (long ? 4 : 3);
    const end = valueAt + (long ? readU16(octets, at + 2) : octets[at + 2]!);
    // NaN from a truncated header fails the comparison too.
    if (!(valueAt <= octets.length && end <= octets.length)) {
      return { values, fault: fault ?? `attribute ${type} runs past the end of the attributes` };
    }
    const wanted = FLAGS[type];
    const kind = flags & OPTIONAL_TRANSITIVE;
    if (wanted === undefined && (flags & AttributeFlag.optional) === 0) {
      const attribute = octets.slice(at, end);
      throw new BgpError(
        ErrorCode.update,
        UpdateSubcode.unrecognizedWellKnown,
        `attribute ${type}`,
        attribute,
      );
    }
    if (values.has(type)) {
      if (type === AttributeType.mpReach || type === AttributeType.mpUnreach) {
        throw new BgpError(ErrorCode.update, UpdateSubcode.malformedAttributes, `attribute ${type} twice`);
      }
      // Of any other attribute the first counts and the rest is dropped (RFC 7606 section 3 g).
    } else if (wanted !== undefined && kind !== wanted) {
      fault ??= `attribute ${type} with flags 0x${flags.toString(16)}`;
    } else {
      values.set(type, octets.subarray(valueAt, end));
    }
    at = end;
  }
  return { values, fault };
}

/** Segments of a path; null for malformed octets (RFC 7606 section 7.2). */
function decodePath(octets: Uint8Array, fourOctets: boolean): PathSegment[] | null {
  const width = fourOctets ? 4 : 2;
  const segments: PathSegment[] = [];
  for (let at = 0; at < octets.length;) {
    const type = octets[at]!;
    const count = octets[at + 1] ?? 0;
    const end = at + 2 + count * width;
    if (count === 0 || end > octets.length) return null;
    if (type < SegmentType.set || type > SegmentType.confederationSet) return null;
    const asns = Array.from({ length: count }, (_, i) =>
      fourOctets ? readU32(octets, at + 2 + i * 4) : readU16(octets, at + 2 + i * 2),
    );
    segments.push({ type, asns });
    at = end;
  }
  return segments;
}

function pathLength(segments: readonly PathSegment[]): number {
  return segments.reduce((sum, { type, asns }) => sum + (type === SegmentType.sequence ? asns.length : 1), 0);
}

/**
 * Joins the two-octet path with AS4_PATH (RFC 6793 section 4.2.3): as many leading ASes of the short path as the long one
 * lacks, then the long one. A longer or malformed AS4_PATH is ignored.
 */
function withAs4Path(path: PathSegment[] | null, as4: Uint8Array | undefined): PathSegment[] | null {
  const long = as4 === undefined ? null : decodePath(as4, true);
  if (path === null || long === null) return path;
  let missing = pathLength(path) - pathLength(long);
  if (missing < 0) return path;
  const lead: PathSegment[] = [];
  for (const { type, asns } of path) {
    if (missing === 0) break;
    const taken = type === SegmentType.sequence ? asns.slice(0, missing) : asns;
    lead.push({ type, asns: taken });
    missing -= type === SegmentType.sequence ? taken.length : 1;
  }
  return [...lead, ...long];
}

/** Words of a list whose items are `width` octets; null for a length that is not a positive multiple (RFC 7606 section 7.8). */
function wordList(value: Uint8Array | undefined, width: number): number[] | null {
  if (value === undefined) return [];
  if (value.length === 0 || value.length % width !== 0) return null;
  return Array.from({ length: value.length / 4 }, (_, i) => readU32(value, i * 4));
}

function triples(words: readonly number[]): [number, number, number][] {
  return Array.from({ length: words.length / 3 }, (_, i) => [
    words[i * 3]!,
    words[i * 3 + 1]!,
    words[i * 3 + 2]!,
  ]);
}
