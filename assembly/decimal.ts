/** Numbers up to 255 as decimal digits, in the first two kilobytes of memory. */

/** The digits of 0 to 255 and a dot, as the four bytes of a number; and how many bytes they are. */
const NUMBERS: usize = 0x0000;
const WIDTHS: usize = 0x0400;

export function prepareDecimals(): void {
  for (let value: u32 = 0; value < 256; value++) {
    const start = NUMBERS + (value << 2);
    let at = start;
    if (value > 99) store<u8>(at++, 0x30 + value / 100);
    if (value > 9) store<u8>(at++, 0x30 + ((value / 10) % 10));
    store<u8>(at++, 0x30 + (value % 10));
    store<u8>(at++, 0x2e);
    store<u8>(WIDTHS + value, <u8>(at - start));
  }
}

/** Writes a number and a dot. Returns the place behind; the last of the four bytes may run over into what is written next. */
export function writeDecimal(at: usize, value: u32): usize {
  store<u32>(at, load<u32>(NUMBERS + (value << 2)));
  return at + load<u8>(WIDTHS + value);
}
