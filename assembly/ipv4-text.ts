/**
 * IPv4 prefixes as text, a prefix a line, compiled to WebAssembly: what src/core/prefix-format.ts does, and is told in there. Few
 * rows a call, so that better code is soon in use; see ipv4-cover.ts.
 */
import { prepareDecimals, writeDecimal } from './decimal';

/** Addresses, then a byte for each length. */
export const INPUT: usize = 0x1000;
export const MAX_ROWS: u32 = 0x2000;
/** Lines of 19 bytes at most. */
export const OUTPUT: usize = 0xc000;

const SLASH: u8 = 0x2f;
const LF: u8 = 0x0a;

prepareDecimals();

/** Writes `count` rows. Returns how many bytes they became. */
export function format(count: u32): u32 {
  const lengths = INPUT + (count << 2);
  let at = OUTPUT;
  for (let i: u32 = 0; i < count; i++) {
    const word = load<u32>(INPUT + (i << 2));
    at = writeDecimal(at, word >> 24);
    at = writeDecimal(at, (word >> 16) & 0xff);
    at = writeDecimal(at, (word >> 8) & 0xff);
    at = writeDecimal(at, word & 0xff);
    store<u8>(at - 1, SLASH);
    at = writeDecimal(at, load<u8>(lengths + i));
    store<u8>(at - 1, LF);
  }
  return <u32>(at - OUTPUT);
}
