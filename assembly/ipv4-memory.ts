/** Where things are in the memory of an IPv4 cover, and what its steps share. */

/** By where the dots of an address stand and how long its last octet is: which characters make up the octets, and the least that each may say. */
export const SHAPES: usize = 0x0000;
/** 33 times: the bits of the blocks that a prefix sets in one word of 32, by length. */
export const BLOCK_BITS: usize = 0x0f00;
/** 4096 times, by the places of the dots, a bit each: where its shapes are in {@link SHAPES}, and in the low 4 bits the place of the last octet. */
export const DOTS: usize = 0x1000;
/** Nine vectors that lines are compared and multiplied with. */
export const CONSTANTS: usize = 0x3000;
/** Where some lines end. */
export const LINE_ENDS: usize = 0x3400;
/** Four words without a bit. */
export const NOTHING: usize = 0x3fc0;
/** /12s that there are. */
export const PARTS: u32 = 0x1000;
/** A counter for each /12, then where its members end. */
export const PLACES: usize = 0x4000;
/** A bit for each /24 of one /12: whether it has members in {@link LEAVES}. */
export const HAS_MEMBERS: usize = 0x8000;
/** Where prefixes begin in a /12, and in a leaf; see ipv4-beginnings.ts. */
export const BLOCK_LIST: usize = 0x9000;
export const LEAF_LIST: usize = 0xc000;
/** A byte for each /12: whether a row is in it. */
export const IS_USED: usize = 0xf000;
/** By the last two characters of a prefix: the length that they say; see prepareLengths. */
export const LENGTHS: usize = 0x10000;
/** 256 bits for each /24 of one /12. */
export const LEAVES: usize = 0x20000;
/** What one call takes, until it is put away: addresses, a byte for each length, and then by kind. */
export const ROW_WORDS: usize = 0x40000;
export const ROW_LENGTHS: usize = 0x60000;
export const SUBNETS: usize = 0x70000;
export const SHORTS: usize = 0x98000;
/** Bytes of lines; or rows, addresses and then lengths. Steps of sixteen characters may read over its end. */
export const INPUT: usize = 0xc0000;
export const INPUT_BYTES: u32 = 0x40000;
/** Rows that one call can take: a line has 8 bytes at least. */
export const MAX_ROWS: u32 = 0x8000;
/** A bit for each /24. */
export const BLOCKS: usize = 0x110000;
/**
 * What was taken, call by call: number of hosts, number of subnets, the hosts, the subnets. Both as in src/core/sets/ipv4-cover.ts: the /24 in the upper
 * 24 bits, and the place in it below.
 */
export const RUNS: usize = 0x310000;

/** Makes memory up to `end` usable. */
export function reserve(end: u64): void {
  const missing = <i32>((end + 0xffff) >> 16) - memory.size();
  if (missing > 0 && memory.grow(max(missing, 16)) < 0 && memory.grow(missing) < 0) unreachable();
}
