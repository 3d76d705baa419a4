/**
 * Address space that is not globally reachable: IANA's special-purpose address registries (RFC 6890, RFC 8190), and what other RFCs exclude
 * from global unicast: multicast, site-local, IPv4-compatible. No announced route should contain it.
 */
import type { Family } from '../address.ts';
import { type Prefix, parsePrefix } from '../prefix.ts';
import { lazily } from '../lazily.ts';
import { covers } from '../bits.ts';
import { type PrefixSet, PrefixSetBuilder, prefixesOf, subtract } from './prefix-set.ts';

export interface SpecialPurpose {
  /** Canonical text of the registered block. */
  readonly prefix: string;
  readonly name: string;
  readonly rfc: string;
}

/** Registered blocks that are not globally reachable, or that the registry does not declare to be. */
const NOT_GLOBAL: readonly (readonly [prefix: string, name: string, rfc: string])[] = [
  ['0.0.0.0/8', 'This network', 'RFC 791'],
  ['0.0.0.0/32', 'This host on this network', 'RFC 1122'],
  ['10.0.0.0/8', 'Private use', 'RFC 1918'],
  ['100.64.0.0/10', 'Shared address space', 'RFC 6598'],
  ['127.0.0.0/8', 'Loopback', 'RFC 1122'],
  ['169.254.0.0/16', 'Link-local', 'RFC 3927'],
  ['172.16.0.0/12', 'Private use', 'RFC 1918'],
  ['192.0.0.0/24', 'IETF protocol assignments', 'RFC 6890'],
  ['192.0.0.0/29', 'IPv4 service continuity', 'RFC 7335'],
  ['192.0.0.8/32', 'IPv4 dummy address', 'RFC 7600'],
  ['192.0.0.170/31', 'NAT64 and DNS64 discovery', 'RFC 8880'],
  ['192.0.2.0/24', 'Documentation (TEST-NET-1)', 'RFC 5737'],
  ['192.88.99.0/24', '6to4 relay anycast, deprecated', 'RFC 7526'],
  ['192.168.0.0/16', 'Private use', 'RFC 1918'],
  ['198.18.0.0/15', 'Benchmarking', 'RFC 2544'],
  ['198.51.100.0/24', 'Documentation (TEST-NET-2)', 'RFC 5737'],
  ['203.0.113.0/24', 'Documentation (TEST-NET-3)', 'RFC 5737'],
  ['224.0.0.0/4', 'Multicast', 'RFC 5771'],
  ['240.0.0.0/4', 'Reserved', 'RFC 1112'],
  ['255.255.255.255/32', 'Limited broadcast', 'RFC 919'],
  ['::/96', 'IPv4-compatible, deprecated', 'RFC 4291'],
  ['::/128', 'Unspecified address', 'RFC 4291'],
  ['::1/128', 'Loopback', 'RFC 4291'],
  ['::ffff:0:0/96', 'IPv4-mapped', 'RFC 4291'],
  ['64:ff9b:1::/48', 'IPv4-IPv6 translation, local use', 'RFC 8215'],
  ['100::/64', 'Discard-only', 'RFC 6666'],
  ['100:0:0:1::/64', 'Dummy prefix', 'RFC 9780'],
  ['2001::/23', 'IETF protocol assignments', 'RFC 2928'],
  ['2001::/32', 'Teredo', 'RFC 4380'],
  ['2001:2::/48', 'Benchmarking', 'RFC 5180'],
  ['2001:10::/28', 'ORCHID, deprecated', 'RFC 4843'],
  ['2001:db8::/32', 'Documentation', 'RFC 3849'],
  ['2002::/16', '6to4', 'RFC 3056'],
  ['3fff::/20', 'Documentation', 'RFC 9637'],
  ['5f00::/16', 'Segment routing (SRv6) SIDs', 'RFC 9602'],
  ['fc00::/7', 'Unique local', 'RFC 4193'],
  ['fe80::/10', 'Link-local', 'RFC 4291'],
  ['fec0::/10', 'Site-local, deprecated', 'RFC 3879'],
  ['ff00::/8', 'Multicast', 'RFC 4291'],
];

/** Registered blocks inside the ones above that are globally reachable nevertheless. */
const GLOBAL: readonly string[] = [
  '192.0.0.9/32', // Port control protocol anycast, RFC 7723
  '192.0.0.10/32', // TURN anycast, RFC 8155
  '2001:1::1/128', // Port control protocol anycast, RFC 7723
  '2001:1::2/128', // TURN anycast, RFC 8155
  '2001:1::3/128', // DNS-SD service registration anycast, RFC 9665
  '2001:3::/32', // AMT, RFC 7450
  '2001:4:112::/48', // AS112, RFC 7535
  '2001:20::/28', // ORCHIDv2, RFC 7343
  '2001:30::/28', // Drone remote ids, RFC 9374
];

interface Block {
  readonly range: Prefix;
  /** Null for a block that is globally reachable. */
  readonly entry: SpecialPurpose | null;
}

/** All blocks, longest first, so that the first one that contains a prefix decides. */
const BLOCKS: readonly Block[] = [
  ...NOT_GLOBAL.map(([prefix, name, rfc]) => ({ range: rangeOf(prefix), entry: { prefix, name, rfc } })),
  ...GLOBAL.map((prefix) => ({ range: rangeOf(prefix), entry: null })),
].sort((a, b) => b.range.length - a.range.length);

const SETS = { ipv4: lazily(() => buildSet('ipv4')), ipv6: lazily(() => buildSet('ipv6')) } as const;

/** The same as values, made once: whole files of prefixes are compared with them. */
const RANGES = {
  ipv4: lazily(() => [...prefixesOf(SETS.ipv4())]),
  ipv6: lazily(() => [...prefixesOf(SETS.ipv6())]),
} as const;

/**
 * The registered block that makes the prefix not globally reachable: the innermost one around it, or, if only several together cover it
 * (224.0.0.0/3 is multicast and reserved), a widest one inside. Null if the innermost block is globally reachable, or if the prefix is
 * wider than the blocks that it overlaps: {@link specialPurposeSet} has the overlap.
 */
export function specialPurpose(prefix: Prefix): SpecialPurpose | null {
  const around = BLOCKS.find(({ range }) => contains(range, prefix));
  if (around !== undefined) return around.entry;
  if (!RANGES[prefix.family]().some((range) => contains(range, prefix))) return null;
  return BLOCKS.findLast((block) => contains(prefix, block.range))?.entry ?? null;
}

/** All addresses of the family that are not globally reachable, as a minimal set. */
export function specialPurposeSet(family: Family): PrefixSet {
  return SETS[family]();
}

function contains(outer: Prefix, inner: Prefix): boolean {
  return (
    outer.family === inner.family &&
    outer.length <= inner.length &&
    covers(outer.words, 0, outer.length, inner.words, 0)
  );
}

function buildSet(family: Family): PrefixSet {
  const notGlobal = new PrefixSetBuilder(family);
  const global = new PrefixSetBuilder(family);
  for (const { range, entry } of BLOCKS) {
    if (range.family === family) (entry === null ? global : notGlobal).add(range.words, range.length);
  }
  return subtract(notGlobal.build(), global.build());
}

function rangeOf(text: string): Prefix {
  // The reader of lists rejects IPv4-mapped text, which is the name of this block.
  if (text === '::ffff:0:0/96') return { family: 'ipv6', words: [0, 0, 0xffff, 0], length: 96 };
  const parsed = parsePrefix(text);
  if (!parsed.ok) throw new Error(parsed.reason);
  return parsed.value;
}
