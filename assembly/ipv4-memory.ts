/** Where things are in the memory of an IPv4 cover, and what its steps share. */

/** 256 times: which characters make up the octets of an address, and the least that each octet may say. By lengths of octets. */
export const SHAPES: usize = 0x0000;
/** 33 times: the bits of the blocks that a prefix sets in one word of 32, by length. */
export const BLOCK_BITS: usize = 0x2000;
/** Nine vectors that lines are compared and multiplied with. */
export const CONSTANTS: usize = 0x3000;
/** 4096 counters each, then places: for hosts and subnets, by the low and by the high 12 bits of the /24. */
export const HOSTS_LOW: usize = 0x4000;
export const HOSTS_HIGH: usize = 0x8000;
export const SUBNETS_LOW: usize = 0xc000;
export const SUBNETS_HIGH: usize = 0x10000;
/** The bits of one /24. */
export const LEAF: usize = 0x14000;
/** What one call takes, until it is put away: subnets, and prefixes of /24 and shorter with their length in the low 8 bits. */
export const SUBNETS: usize = 0x20000;
export const SHORTS: usize = 0x48000;
/** Bytes of lines; or rows, addresses and then lengths. Steps of sixteen characters may read over its end. */
export const INPUT: usize = 0x70000;
export const INPUT_BYTES: u32 = 0x40000;
/** Rows that one call can take: a line has 8 bytes at least. */
export const MAX_ROWS: u32 = 0x8000;
/** A bit for each /24. */
export const BLOCKS: usize = 0xc0000;
export const BLOCK_COUNT: u32 = 1 << 24;
/**
 * What was taken, call by call: number of hosts, number of subnets, the hosts, the subnets. Both as in src/core/ipv4-cover.ts: the /24 in the upper
 * 24 bits, and the place in it below.
 */
export const RUNS: usize = 0x2c0000;

/** Sets the bits of a prefix of /24 or shorter, whose length is in the low 8 bits. */
export function setBlocks(short: u32): void {
  const length = short & 0xff;
  const at = BLOCKS + ((short >> 13) << 2);
  if (length < 19) memory.fill(at, 0xff, 1 << (21 - length));
  else store<u32>(at, load<u32>(at) | (load<u32>(BLOCK_BITS + (length << 2)) << ((short >> 8) & 31)));
}

/** Makes memory up to `end` usable. */
export function reserve(end: u64): void {
  const missing = <i32>((end + 0xffff) >> 16) - memory.size();
  if (missing > 0 && memory.grow(max(missing, 16)) < 0 && memory.grow(missing) < 0) unreachable();
}
