/**
 * IPv4 rows out of the columns of a stored block, compiled to WebAssembly, as src/core/stored/table-block.ts explains and does. It distinguishes
 * good columns from bad ones; what is wrong with a bad one is found out there. Few rows a call, so that better code is soon in use.
 */

/** A byte for each length, then the steps. A step may be read over its end. */
export const INPUT: usize = 0x1000;
export const MAX_ROWS: u32 = 0x2000;
/** Addresses. */
export const OUTPUT: usize = 0xe000;

/** The row before: its address and, in the lowest byte, its length. Below every row before the first. */
let last: u64 = 0;

/** Before the first row of a block. */
export function begin(): void {
  last = 0;
}

/** Reads `count` rows out of `size` bytes of steps. Returns how many of these they took, or 0 when something is wrong. */
export function read(count: u32, size: u32): u32 {
  const steps = INPUT + count;
  let at = steps;
  let before = last;
  let faults: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    // Nearly every step is one byte.
    let step = <u64>load<u8>(at++);
    if (step > 0x7f) {
      step &= 0x7f;
      let digit: u64 = 0;
      let place: u64 = 7;
      for (; place <= 28; place += 7) {
        digit = load<u8>(at++);
        step |= (digit & 0x7f) << place;
        if (digit < 0x80) break;
      }
      // Five digits at most, and the highest is zero only where it is the only one.
      if (digit - 1 > 0x7e) return 0;
    }
    const length = <u64>load<u8>(INPUT + i);
    const index = (before >> (40 - length)) + step;
    const row = (index << (40 - length)) | length;
    faults |= u32(length - 1 > 31) | u32(index >> length !== 0) | u32(row <= before);
    store<u32>(OUTPUT + (i << 2), <u32>(row >> 8));
    before = row;
  }
  last = before;
  const taken = <u32>(at - steps);
  return faults !== 0 || taken > size ? 0 : taken;
}
