/**
 * IPv4 prefixes as text, a prefix a line, compiled to WebAssembly: what src/core/prefix-format.ts does, which tells how. Few rows
 * a call, so that better code is soon in use; see ipv4-cover.ts.
 */

/** Digits of 0 to 255 and a dot, as the four bytes of a number; and how many bytes they are. */
const NUMBERS: usize = 0x0000;
const WIDTHS: usize = 0x0400;
/** Addresses, then a byte for each length. */
export const INPUT: usize = 0x1000;
export const MAX_ROWS: u32 = 0x2000;
/** Lines of 19 bytes at most. */
export const OUTPUT: usize = 0xc000;

const SLASH: u8 = 0x2f;
const LF: u8 = 0x0a;

prepare();

function prepare(): void {
  for (let value: u32 = 0; value < 256; value++) {
    const hundreds = value / 100;
    const tens = (value / 10) % 10;
    let at = NUMBERS + (value << 2);
    if (hundreds > 0) store<u8>(at++, 0x30 + hundreds);
    if (value > 9) store<u8>(at++, 0x30 + tens);
    store<u8>(at++, 0x30 + (value % 10));
    store<u8>(at++, 0x2e);
    store<u8>(WIDTHS + value, <u8>(at - NUMBERS - (value << 2)));
  }
}

/** Writes `count` rows. Returns how many bytes they became. */
export function format(count: u32): u32 {
  const lengths = INPUT + (count << 2);
  let at = OUTPUT;
  for (let i: u32 = 0; i < count; i++) {
    const word = load<u32>(INPUT + (i << 2));
    at = write(at, word >> 24);
    at = write(at, (word >> 16) & 0xff);
    at = write(at, (word >> 8) & 0xff);
    at = write(at, word & 0xff);
    store<u8>(at - 1, SLASH);
    at = write(at, load<u8>(lengths + i));
    store<u8>(at - 1, LF);
  }
  return <u32>(at - OUTPUT);
}

/** The last of the four bytes may run over into what is written next. */
function write(at: usize, value: u32): usize {
  store<u32>(at, load<u32>(NUMBERS + (value << 2)));
  return at + load<u8>(WIDTHS + value);
}
