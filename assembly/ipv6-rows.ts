/** The rows of an IPv6 cover, as they come: where they are, and what is known of them before they are sorted. */

/** Counters of one digit, then places. */
export const PLACES: usize = 0x1000;
/** Bytes of lines; or rows, four words of address each and then lengths. Steps of sixteen characters may read over its end. */
export const INPUT: usize = 0x4000;
export const INPUT_BYTES: u32 = 0x40000;
/** Rows that one call can take. */
export const MAX_ROWS: u32 = 0x3000;
/** Rows: the upper and the lower half of the address, and the length. */
export const ROWS: usize = 0x50000;
export const ROW: u32 = 24;

/** Lines and rows taken so far. */
export let taken: u32 = 0;
export let rowsEnd: usize = ROWS;
/** Whether no address is below the one before. */
export let isSorted: bool = true;
/** Bits that some rows have set, and bits that all of them have. */
export let someHigh: u64 = 0;
export let someLow: u64 = 0;
export let allHigh: u64 = -1;
export let allLow: u64 = -1;

let lastHigh: u64 = 0;
let lastLow: u64 = 0;

export function pushRow(high: u64, low: u64, length: u32): void {
  store<u64>(rowsEnd, high);
  store<u64>(rowsEnd, low, 8);
  store<u64>(rowsEnd, length, 16);
  rowsEnd += ROW;
  taken++;
  if (high < lastHigh || (high === lastHigh && low < lastLow)) isSorted = false;
  lastHigh = high;
  lastLow = low;
  someHigh |= high;
  someLow |= low;
  allHigh &= high;
  allLow &= low;
}

/** Takes `count` rows out of the input: the addresses, then a byte for each length. */
export function takeRows(count: u32): void {
  reserve(<u64>rowsEnd + <u64>count * ROW);
  const lengths = INPUT + (count << 4);
  for (let i: u32 = 0; i < count; i++) {
    const at = INPUT + (i << 4);
    pushRow(rotl(load<u64>(at), 32), rotl(load<u64>(at, 8), 32), load<u8>(lengths + i));
  }
}

/** Makes memory up to `end` usable. */
export function reserve(end: u64): void {
  const missing = <i32>((end + 0xffff) >> 16) - memory.size();
  if (missing > 0 && memory.grow(max(missing, 16)) < 0 && memory.grow(missing) < 0) unreachable();
}

/** The rows are in order of their addresses now. */
export function setSorted(): void {
  if (rowsEnd === ROWS) return;
  isSorted = true;
  lastHigh = load<u64>(rowsEnd - ROW);
  lastLow = load<u64>(rowsEnd - ROW, 8);
}

/** Forgets all rows, so that another cover can be made. */
export function forget(): void {
  taken = 0;
  rowsEnd = ROWS;
  isSorted = true;
  someHigh = 0;
  someLow = 0;
  allHigh = -1;
  allLow = -1;
  lastHigh = 0;
  lastLow = 0;
}
