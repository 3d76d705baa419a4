/**
 * The minimal cover of many IPv6 prefixes, compiled to WebAssembly: sorted by radix, then appended one by one, as in coverOf of
 * src/core/sets/prefix-set.ts. Why it goes in steps, ipv4-cover.ts tells.
 */
import {
  PLACES,
  ROW,
  ROWS,
  allHigh,
  allLow,
  isSorted,
  reserve,
  rowsEnd,
  setSorted,
  someHigh,
  someLow,
  taken,
} from './ipv6-rows';

export { takeLines } from './ipv6-lines';
export { INPUT, INPUT_BYTES, MAX_ROWS, forget, takeRows, taken } from './ipv6-rows';

/** Rows that one step looks at. */
const STEP: u32 = 0x2000 * ROW;
const DIGIT_BITS: u32 = 11;
const DIGITS: u32 = 1 << DIGIT_BITS;
/** Digits of the whole address, six in each half. */
const DIGITS_OF_ADDRESS: u32 = 12;

/** Where the rows are before a pass of the sort, and where they go. */
let source: usize = 0;
let target: usize = 0;
let size: usize = 0;
let digit: u32 = 0;
let next: usize = 0;
let isCounted: bool = false;

/** Where the cover is: four words a prefix, and a byte for each length. */
export let coverWords: usize = 0;
export let coverLengths: usize = 0;
export let coverSize: u32 = 0;

export function beginBuild(): void {
  size = rowsEnd - ROWS;
  source = ROWS;
  target = rowsEnd;
  // Where rows were sorted to: the cover is made when they are back, and takes less.
  const words = <u64>rowsEnd;
  const lengths = words + ((<u64>taken) << 4);
  reserve(words + size);
  coverWords = <usize>words;
  coverLengths = <usize>lengths;
  coverSize = 0;
  digit = isSorted ? DIGITS_OF_ADDRESS : 0;
  next = 0;
  isCounted = false;
}

/** Some rows of a pass of a radix sort by address, the lowest digit first. True when there are more. */
export function sort(): bool {
  while (digit < DIGITS_OF_ADDRESS && isSame(digit)) digit++;
  if (digit === DIGITS_OF_ADDRESS) {
    // After an odd number of passes.
    if (source !== ROWS) memory.copy(ROWS, source, size);
    setSorted();
    next = 0;
    return false;
  }
  if (next === 0 && !isCounted) memory.fill(PLACES, 0, DIGITS << 2);
  const end = min(size, next + STEP);
  const half: usize = digit < 6 ? 8 : 0;
  const shift = (digit % 6) * DIGIT_BITS;
  if (isCounted) scatter(end, half, shift);
  else count(end, half, shift);
  if (next < size) return true;
  next = 0;
  if (!isCounted) placesOf();
  else {
    digit++;
    const sorted = target;
    target = source;
    source = sorted;
  }
  isCounted = !isCounted;
  return true;
}

/** Whether all rows have the same digit there. */
function isSame(digit: u32): bool {
  const differing = digit < 6 ? someLow ^ allLow : someHigh ^ allHigh;
  return ((differing >> ((digit % 6) * DIGIT_BITS)) & (DIGITS - 1)) === 0;
}

function count(end: usize, half: usize, shift: u32): void {
  for (; next < end; next += ROW) {
    const place = placeOf(load<u64>(source + next + half), shift);
    store<u32>(place, load<u32>(place) + 1);
  }
}

function scatter(end: usize, half: usize, shift: u32): void {
  for (; next < end; next += ROW) {
    const row = source + next;
    const place = placeOf(load<u64>(row + half), shift);
    const to = load<u32>(place);
    store<u32>(place, to + ROW);
    v128.store(to, v128.load(row));
    store<u64>(to, load<u64>(row, 16), 16);
  }
}

function placeOf(half: u64, shift: u32): usize {
  return PLACES + ((<usize>((half >> shift) & (DIGITS - 1))) << 2);
}

/** Counters become the places where the rows that they counted go. */
function placesOf(): void {
  let place = <u32>target;
  for (let at = PLACES; at < PLACES + (DIGITS << 2); at += 4) {
    const rows = load<u32>(at);
    store<u32>(at, place);
    place += rows * ROW;
  }
}

/** The last prefix of the cover. */
let lastHigh: u64 = 0;
let lastLow: u64 = 0;
let lastLength: u32 = 0;

/** Appends some rows to the cover. True when there are more. */
export function walk(): bool {
  const end = min(size, next + STEP);
  for (; next < end; next += ROW) {
    const row = ROWS + next;
    append(load<u64>(row), load<u64>(row, 8), load<u32>(row, 16));
  }
  return next < size;
}

function append(high: u64, low: u64, length: u32): void {
  if (coverSize > 0) {
    if (lastCovers(high, low)) {
      // Of one address, the shorter prefix may come behind the longer one.
      if (high !== lastHigh || low !== lastLow || length >= lastLength) return;
      coverSize--;
    }
  }
  let at = high;
  let atLow = low;
  let bits = length;
  // The other half, if it is there, is the one before; then both become their parent.
  while (coverSize > 0 && bits > 0 && isOtherHalf(at, atLow, bits)) {
    coverSize--;
    bits--;
    at = load<u64>(coverWords + ((<usize>coverSize) << 4));
    atLow = load<u64>(coverWords + ((<usize>coverSize) << 4), 8);
    at = rotl(at, 32);
    atLow = rotl(atLow, 32);
  }
  lastHigh = at;
  lastLow = atLow;
  lastLength = bits;
  const place = coverWords + ((<usize>coverSize) << 4);
  store<u64>(place, rotl(at, 32));
  store<u64>(place, rotl(atLow, 32), 8);
  store<u8>(coverLengths + coverSize, <u8>bits);
  coverSize++;
}

function lastCovers(high: u64, low: u64): bool {
  if (lastLength === 0) return true;
  if (lastLength <= 64) return (high ^ lastHigh) >> (64 - lastLength) === 0;
  return high === lastHigh && (low ^ lastLow) >> (128 - lastLength) === 0;
}

/** Whether the last prefix of the cover and this one of `length` bits differ in the last bit of both only. */
function isOtherHalf(high: u64, low: u64, length: u32): bool {
  const last = coverSize - 1;
  if (load<u8>(coverLengths + last) !== length) return false;
  const place = coverWords + ((<usize>last) << 4);
  const highDifference = rotl(load<u64>(place), 32) ^ high;
  const lowDifference = rotl(load<u64>(place, 8), 32) ^ low;
  if (length > 64) return highDifference === 0 && lowDifference === (<u64>1) << (128 - length);
  return lowDifference === 0 && highDifference === (<u64>1) << (64 - length);
}
