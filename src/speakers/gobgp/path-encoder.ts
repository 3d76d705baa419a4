/**
 * Routes as the API takes them: Paths whose prefix and attributes are as on the wire (RFC 4271 section 4.3). This is a hot path, for a
 * million routes at once: no object is made for a route, and what routes of equal labels share is encoded once.
 */
import { AttributeFlag, AttributeType, encodeAttribute } from '../../bgp/attributes.ts';
import { AFI, SAFI_UNICAST } from '../../bgp/capability.ts';
import { maxPrefixOctets, writePrefix } from '../../bgp/nlri.ts';
import { concatOctets, u32 } from '../../bgp/octets.ts';
import { widthOf, type Family } from '../../core/address.ts';
import { parseCommunity } from '../../core/community.ts';
import type { PrefixRows, PrefixTable } from '../../core/tables/prefix-table.ts';
import type { FamilyMessage } from './messages.ts';

export function familyMessage(family: Family): FamilyMessage {
  return { afi: AFI[family], safi: SAFI_UNICAST };
}

/** The message with its length in front, as it is embedded in others: afi and safi are its fields 1 and 2. */
export function familyOctets(family: Family): number[] {
  return [4, 0x08, AFI[family], 0x10, SAFI_UNICAST];
}

/** Routes of one request. GoBGP answers no other request meanwhile, which takes a few milliseconds for this number. */
const ROUTES = 1_000;

/** Keys of api.proto's fields: the number, and the wire type of the value. */
const Key = {
  paths: [0x1a],
  isWithdraw: [0x28],
  family: [0x4a],
  nlri: [0xa2, 0x01],
  attribute: [0xaa, 0x01],
};

/** Most octets of keys and lengths in a path. */
const LONGEST_HEAD = 10;

/** Indexes of rows in a table, with the data of the table. */
export interface RouteBatch {
  readonly table: PrefixTable;
  readonly family: Family;
  readonly which: Uint32Array;
}

/** Requests of AddPathStream that add the routes. @param marksOf what routes of a label set carry beside their labels */
export function encodeRoutes(
  batch: RouteBatch,
  marksOf: (set: number) => readonly string[],
): Generator<Buffer> {
  const { family, table } = batch;
  return encodePaths(batch, (set) =>
    attributesOf(family, [...table.labelSets[set]!, ...marksOf(set)]).map((octets) =>
      concatOctets([Uint8Array.of(...Key.attribute), varint(octets.length), octets]),
    ),
  );
}

/** Requests of AddPathStream that withdraw the routes. */
export function encodeWithdrawals(batch: RouteBatch): Generator<Buffer> {
  return encodePaths(batch, () => [Uint8Array.of(...Key.isWithdraw, 1)]);
}

/** @param restOf what the paths of a label set hold beside family and prefix */
function* encodePaths(
  { table, family, which }: RouteBatch,
  restOf: (set: number) => Uint8Array[],
): Generator<Buffer> {
  const rows = table[family];
  const rests: Uint8Array[] = [];
  const familyField = Uint8Array.of(...Key.family, ...familyOctets(family));
  const restAt = (row: number): Uint8Array => {
    const set = rows.labels[row]!;
    return (rests[set] ??= concatOctets([familyField, ...restOf(set)]));
  };
  for (let from = 0; from < which.length; from += ROUTES) {
    const some = which.subarray(from, from + ROUTES);
    const size = some.reduce((sum, row) => sum + restAt(row).length, 0);
    const out = Buffer.alloc(size + some.length * (LONGEST_HEAD + maxPrefixOctets(family)));
    let at = 0;
    for (const row of some) at = writePath(out, at, rows, row, restAt(row));
    yield out.subarray(0, at);
  }
}

function writePath(out: Buffer, start: number, rows: PrefixRows, row: number, rest: Uint8Array): number {
  const prefixOctets = 1 + ((rows.lengths[row]! + 7) >>> 3);
  const head = Key.nlri.length + 1;
  let at = write(out, start, Key.paths);
  at = write(out, at, varint(head + prefixOctets + rest.length));
  at = write(out, at, Key.nlri);
  out[at] = prefixOctets;
  at = writePrefix(out, at + 1, rows, widthOf(rows.family), row);
  return write(out, at, rest);
}

function write(out: Buffer, at: number, octets: ArrayLike<number>): number {
  out.set(octets, at);
  return at + octets.length;
}

/** The next hop is left unspecified: GoBGP replaces it by the session's own address, or by the one that the peer's policy sets. */
function attributesOf(family: Family, texts: readonly string[]): Uint8Array[] {
  const standard: number[] = [];
  const large: number[] = [];
  for (const text of texts) {
    const parsed = parseCommunity(text);
    if (!parsed.ok) continue;
    const community = parsed.value;
    if (community.kind === 'large') large.push(community.asn, community.data1, community.data2);
    else if (community.kind === 'well-known') standard.push(community.value);
    else standard.push(community.asn * 0x10000 + community.value);
  }
  const wellKnown = AttributeFlag.transitive;
  const optional = AttributeFlag.optional | AttributeFlag.transitive;
  return [
    encodeAttribute(wellKnown, AttributeType.origin, Uint8Array.of(0)),
    // GoBGP turns this into MP_REACH_NLRI for IPv6 prefixes.
    encodeAttribute(wellKnown, AttributeType.nextHop, new Uint8Array(4 * widthOf(family))),
    ...(standard.length === 0
      ? []
      : [encodeAttribute(optional, AttributeType.communities, u32(...standard))]),
    ...(large.length === 0 ? [] : [encodeAttribute(optional, AttributeType.largeCommunities, u32(...large))]),
  ];
}

function varint(value: number): Uint8Array {
  const octets: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) octets.push((rest & 0x7f) | 0x80);
  return Uint8Array.of(...octets, rest);
}
