/** Takes rows, and puts them away by their kind: a bit for each /24 of the shorter ones, the others as runs of members of a /24. */
import {
  BLOCKS,
  BLOCK_BITS,
  INPUT,
  IS_USED,
  MAX_ROWS,
  PARTS,
  RUNS,
  SHORTS,
  SUBNETS,
  reserve,
} from './ipv4-memory';

/** Lines and rows taken so far. */
export let taken: u32 = 0;

/** Where the next run goes. */
export let runsEnd: usize = RUNS;
export let hostCount: u32 = 0;
export let subnetCount: u32 = 0;

for (let length: u32 = 19; length <= 24; length++) {
  store<u32>(BLOCK_BITS + (length << 2), 0xffffffff >> (32 - (1 << (24 - length))));
}

/** Takes `count` rows out of the input: the addresses, then a byte for each length. */
export function takeRows(count: u32): void {
  putAway(INPUT, INPUT + (count << 2), count);
}

/** Puts rows away; `lengths` may be read up to 16 bytes behind the last. */
export function putAway(words: usize, lengths: usize, count: u32): void {
  reserve(<u64>runsEnd + 8 + (MAX_ROWS + 1) * 4);
  const firstHost = runsEnd + 8;
  let host = firstHost;
  let subnet = SUBNETS;
  let short = SHORTS;
  const end = lengths + count;
  while (lengths < end) {
    const some = min(lengths + 16, end);
    if (i8x16.all_true(i8x16.lt_u(v128.load(lengths), i8x16.splat(25)))) {
      for (; lengths < some; lengths++, words += 4) setBlocks(load<u32>(words) | load<u8>(lengths));
      continue;
    }
    // Lengths come in no order that a processor could guess: every kind is written, and what is not counted is written over.
    for (; lengths < some; lengths++, words += 4) {
      const word = load<u32>(words);
      const length = <u32>load<u8>(lengths);
      store<u8>(IS_USED + (word >> 20), 1);
      store<u32>(host, word);
      host += (length >> 5) << 2;
      store<u32>(subnet, (word & ~0xff) | (((word & 0xff) | 0x100) >> (32 - length)));
      subnet += u32(length - 25 < 7) << 2;
      store<u32>(short, word | length);
      short += u32(length < 25) << 2;
    }
  }
  // Apart from the rest, so that a processor is at many of them at once: each may be anywhere in two megabytes.
  for (let at = SHORTS; at < short; at += 4) setBlocks(load<u32>(at));
  const hosts = <u32>(host - firstHost) >> 2;
  const subnets = <u32>(subnet - SUBNETS) >> 2;
  if ((hosts | subnets) !== 0) {
    store<u32>(runsEnd, hosts);
    store<u32>(runsEnd, subnets, 4);
    memory.copy(host, SUBNETS, subnets << 2);
    runsEnd = host + (subnets << 2);
  }
  hostCount += hosts;
  subnetCount += subnets;
  taken += count;
}

/** Sets the bits of a prefix of /24 or shorter, whose length is in the low 8 bits. */
function setBlocks(short: u32): void {
  const length = short & 0xff;
  const at = BLOCKS + ((short >> 13) << 2);
  store<u8>(IS_USED + (short >> 20), 1);
  if (length > 18) {
    store<u32>(at, load<u32>(at) | (load<u32>(BLOCK_BITS + (length << 2)) << (short >> 8)));
    return;
  }
  // Mostly a few words: for these, memory.fill takes longer to be called.
  const end = at + (1 << (21 - length));
  for (let word = at; word < end; word += 8) store<u64>(word, -1);
  if (length < 12) memory.fill(IS_USED + (short >> 20), 1, 1 << (12 - length));
}

/** Forgets all rows, so that another cover can be made. */
export function forget(): void {
  for (let part: u32 = 0; part < PARTS; part++) {
    if (load<u8>(IS_USED + part) !== 0) memory.fill(BLOCKS + (part << 9), 0, 0x200);
  }
  memory.fill(IS_USED, 0, PARTS);
  runsEnd = RUNS;
  hostCount = 0;
  subnetCount = 0;
  taken = 0;
}
