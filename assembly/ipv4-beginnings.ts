/**
 * Lists the prefixes that set bits are cut into: words of 64 bits, each bit a block of addresses. The list is made without a branch that
 * depends on single bits, and walked afterwards, so that a processor need not guess where the next one is.
 *
 * A list: for each word what {@link findBeginnings} found; for each word, how many bits shorter its prefix is for the words that it goes on
 * over; then places, two bytes each.
 */
const LOGS: usize = 0x200;
const PLACES: usize = 0x240;
/** Places that are written at once, whether there are so many or not. */
const AT_ONCE: u32 = 8;

/**
 * Finds where prefixes begin in some words (an even number), and which bits of `others` are in none. Returns which words are
 * whole, a bit each; when all 64 are, it is left to the caller what they are part of.
 */
export function findBeginnings(list: usize, bits: usize, others: usize, words: u32): u64 {
  let whole: u64 = 0;
  for (let word: u32 = 0; word < words; word += 2) {
    const set = v128.load(bits + (word << 3));
    const isWhole = i64x2.eq(set, i64x2.splat(-1));
    whole |= (<u64>i64x2.bitmask(isWhole)) << word;
    v128.store(
      list + (word << 3),
      v128.or(beginnings(set), v128.andnot(v128.load(others + (word << 3)), set)),
    );
  }
  if (whole !== 0) joinWhole(list, whole);
  return whole;
}

/**
 * Of the prefixes that set bits are cut into, the first bits:
 *
 *     bits         1111.11111
 *     pairs        1.1...1.1.      every second half of something larger begins nothing
 *     fours        1.......
 *     beginnings   1....11.1.
 */
function beginnings(bits: v128): v128 {
  const pairs = v128.and(v128.and(bits, i64x2.shr_u(bits, 1)), i64x2.splat(0x5555555555555555));
  const fours = v128.and(v128.and(pairs, i64x2.shr_u(pairs, 2)), i64x2.splat(0x1111111111111111));
  const eights = v128.and(v128.and(fours, i64x2.shr_u(fours, 4)), i64x2.splat(0x0101010101010101));
  const sixteens = v128.and(v128.and(eights, i64x2.shr_u(eights, 8)), i64x2.splat(0x0001000100010001));
  const halves = v128.and(v128.and(sixteens, i64x2.shr_u(sixteens, 16)), i64x2.splat(0x0000000100000001));
  const small = v128.or(i64x2.shl(pairs, 1), i64x2.shl(fours, 2));
  const large = v128.or(i64x2.shl(eights, 4), i64x2.shl(sixteens, 8));
  return v128.andnot(bits, v128.or(v128.or(small, large), i64x2.shl(halves, 16)));
}

/** Words that are whole are blocks themselves, which begin and join as bits do. */
function joinWhole(list: usize, whole: u64): void {
  const first = i64x2.extract_lane(beginnings(i64x2.splat(whole)), 0);
  memory.fill(list + LOGS, 0, 64);
  for (let rest = whole; rest !== 0; rest &= rest - 1) {
    const word = <u32>ctz(rest);
    store<u64>(list + (word << 3), (first >> word) & 1);
    store<u8>(list + word, <u8>log(whole, word), LOGS);
  }
}

/** Lists the places that {@link findBeginnings} found. Returns how many they are. */
export function listPlaces(list: usize, words: u32): u32 {
  let next = list + PLACES;
  for (let word: u32 = 0; word < words; word++) {
    let rest = load<u64>(list + (word << 3));
    for (let left = <i32>popcnt(rest); left > 0; left -= AT_ONCE) {
      rest = putFour(next, word << 6, rest);
      rest = putFour(next + 8, word << 6, rest);
      next += min(left, AT_ONCE) << 1;
    }
  }
  return <u32>(next - list - PLACES) >> 1;
}

function putFour(at: usize, first: u32, bits: u64): u64 {
  store<u16>(at, <u16>(first + <u32>ctz(bits)));
  bits &= bits - 1;
  store<u16>(at, <u16>(first + <u32>ctz(bits)), 2);
  bits &= bits - 1;
  store<u16>(at, <u16>(first + <u32>ctz(bits)), 4);
  bits &= bits - 1;
  store<u16>(at, <u16>(first + <u32>ctz(bits)), 6);
  return bits & (bits - 1);
}

/** The `i`th place of the list. */
export function placeAt(list: usize, i: u32): u32 {
  return load<u16>(list + (i << 1), PLACES);
}

/** The logarithm of how many bits the prefix has that begins at that place. `areWhole`: whether any word of the list is whole. */
export function logAt(list: usize, bits: usize, place: u32, areWhole: bool): u32 {
  const word = place >> 6;
  const inWord = log(load<u64>(bits + (word << 3)), place & 63);
  return inWord + (areWhole ? load<u8>(list + word, LOGS) : 0);
}

/** As long as the run of bits allows, and as far as the place is aligned. */
function log(bits: u64, at: u32): u32 {
  const ones = <u32>ctz(~(bits >> at));
  return min(<u32>ctz(at | 64), 31 - clz(ones));
}
