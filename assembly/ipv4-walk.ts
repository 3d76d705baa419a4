/**
 * The last step of an IPv4 cover: /12 by /12, the bits of the /24s and of the members of a /24 become prefixes. All 4096 /24s of a /12 have
 * a leaf of 256 bits, whether there is something in it or not, so that members come in any order and none needs a branch.
 */
import { findBeginnings, listPlaces, logAt, placeAt } from './ipv4-beginnings';
import {
  BLOCKS,
  BLOCK_LIST,
  HAS_MEMBERS,
  IS_USED,
  LEAF_LIST,
  LEAVES,
  NOTHING,
  PARTS,
  PLACES,
} from './ipv4-memory';

/** /12s that one step looks at. */
const STEP: u32 = 0x40;

/** Where the cover is: addresses, and a byte for each length. */
export let coverWords: usize = 0;
export let coverLengths: usize = 0;
export let coverSize: u32 = 0;

/** The next /12, and its first member. */
let part: u32 = 0;
let member: usize = 0;
/** Of the /12s before that one, how many are whole without a gap. */
let wholeParts: u32 = 0;

export function beginWalk(members: usize, words: usize, lengths: usize): void {
  coverWords = words;
  coverLengths = lengths;
  coverSize = 0;
  part = 0;
  member = members;
  wholeParts = 0;
}

/** Appends what some /12s add to the cover. True when there are more. */
export function walk(): bool {
  for (let steps = STEP; steps > 0; steps--, part++) {
    if (part === PARTS) {
      appendWhole();
      return false;
    }
    if (load<u8>(IS_USED + part) === 0) {
      if (wholeParts > 0) appendWhole();
      continue;
    }
    const blocks = BLOCKS + (part << 9);
    const firstMember = member;
    gatherMembers(blocks, <usize>load<u32>(PLACES + (part << 2)));
    const whole = findBeginnings(BLOCK_LIST, blocks, HAS_MEMBERS, 64);
    // What a whole /12 is part of is only known at the first that is not.
    if (whole === -1) wholeParts++;
    else {
      appendWhole();
      const count = listPlaces(BLOCK_LIST, 64);
      if (member === firstMember) appendBlocks(blocks, count, whole !== 0);
      else appendBlocksAndMembers(blocks, count, whole !== 0);
    }
    forgetMembers(firstMember);
  }
  return true;
}

/** Sets the bits of the members of a /12. /24s that are whole then become blocks. */
function gatherMembers(blocks: usize, end: usize): void {
  let at = member;
  for (; at < end; at += 4) {
    const code = load<u32>(at);
    const block = code >> 9;
    const unit = clz(code & 0x1ff) - 23;
    const from = (code << unit) & 0xff;
    const leaf = LEAVES + (block << 5);
    const word = leaf + ((from >> 6) << 3);
    const bits = load<u64>(word) | ((<u64>-1 >> (64 - (1 << min(unit, 6)))) << (from & 63));
    store<u64>(word, bits);
    // A /25 is two words.
    if (unit === 7) store<u64>(word, -1, 8);
    setBit(HAS_MEMBERS, block);
    if (bits === -1 && isWhole(leaf)) setBit(blocks, block);
  }
  member = at;
}

function setBit(words: usize, place: u32): void {
  const word = words + ((place >> 6) << 3);
  store<u64>(word, load<u64>(word) | ((<u64>1) << (place & 63)));
}

function isWhole(leaf: usize): bool {
  return (load<u64>(leaf) & load<u64>(leaf, 8) & load<u64>(leaf, 16) & load<u64>(leaf, 24)) === -1;
}

/** Leaves the memory as the next /12 needs it. */
function forgetMembers(first: usize): void {
  if (first === member) return;
  memory.fill(HAS_MEMBERS, 0, PARTS >> 3);
  for (let at = first; at < member; at += 4) {
    const leaf = LEAVES + ((load<u32>(at) >> 9) << 5);
    v128.store(leaf, i64x2.splat(0));
    v128.store(leaf, i64x2.splat(0), 16);
  }
}

/** Appends whole /12s, cut into their largest prefixes. */
function appendWhole(): void {
  for (let at = part - wholeParts; at < part;) {
    const log = min(at === 0 ? 12 : ctz(at), 31 - clz(part - at));
    store<u32>(coverWords + ((<usize>coverSize) << 2), at << 20);
    store<u8>(coverLengths + coverSize, <u8>(12 - log));
    coverSize++;
    at += 1 << log;
  }
  wholeParts = 0;
}

/** Appends the blocks of a /12 that are in the list. */
function appendBlocks(blocks: usize, count: u32, areWhole: bool): void {
  const words = coverWords + ((<usize>coverSize) << 2);
  const lengths = coverLengths + coverSize;
  for (let i: u32 = 0; i < count; i++) {
    const block = placeAt(BLOCK_LIST, i);
    store<u32>(words + (i << 2), (part << 20) | (block << 8));
    store<u8>(lengths + i, <u8>(24 - logAt(BLOCK_LIST, blocks, block, areWhole)));
  }
  coverSize += count;
}

/** Appends the blocks and the members of a /12 that are in the list. */
function appendBlocksAndMembers(blocks: usize, count: u32, areWhole: bool): void {
  const base = part << 20;
  let words = coverWords + ((<usize>coverSize) << 2);
  let lengths = coverLengths + coverSize;
  for (let i: u32 = 0; i < count; i++) {
    const block = placeAt(BLOCK_LIST, i);
    const address = base | (block << 8);
    const isBlock = bool((load<u64>(blocks + ((block >> 6) << 3)) >> (block & 63)) & 1);
    const leaf = LEAVES + (block << 5);
    const some = someWords(leaf);
    const word = <u32>ctz(some) & 3;
    const bits = load<u64>(leaf + (word << 3));
    const first = <u32>ctz(bits);
    const run = bits >> first;
    const size = <u32>popcnt(bits);
    // A single run of bits, as long as a prefix may be and where such a prefix may begin: mostly there is one member only.
    const isOne = ((some & (some - 1)) | ((size | first) & (size - 1))) === 0 && (run & (run + 1)) === 0;
    if (!isBlock && !isOne) {
      const members = appendMembers(address, leaf, words, lengths);
      words += members << 2;
      lengths += members;
      continue;
    }
    const length = select<u32>(24 - logAt(BLOCK_LIST, blocks, block, areWhole), 32 - <u32>ctz(size), isBlock);
    store<u32>(words, address | select<u32>(0, (word << 6) | first, isBlock));
    store<u8>(lengths, <u8>length);
    words += 4;
    lengths++;
  }
  coverSize = <u32>(lengths - coverLengths);
}

/** Which words of a leaf are not zero. */
function someWords(leaf: usize): u32 {
  const none = i64x2.splat(0);
  const low = i64x2.bitmask(i64x2.ne(v128.load(leaf), none));
  return low | (i64x2.bitmask(i64x2.ne(v128.load(leaf, 16), none)) << 2);
}

/** Writes what the members of a /24 are cut into. Returns how many prefixes that are. */
function appendMembers(address: u32, leaf: usize, words: usize, lengths: usize): u32 {
  const whole = findBeginnings(LEAF_LIST, leaf, NOTHING, 4);
  const size = listPlaces(LEAF_LIST, 4);
  for (let i: u32 = 0; i < size; i++) {
    const place = placeAt(LEAF_LIST, i);
    store<u32>(words + (i << 2), address | place);
    store<u8>(lengths + i, <u8>(32 - logAt(LEAF_LIST, leaf, place, whole !== 0)));
  }
  return size;
}
