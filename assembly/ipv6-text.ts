/** IPv6 prefixes as text (RFC 5952 section 4), a prefix a line, compiled to WebAssembly; as ipv4-text.ts does with IPv4. */
import { prepareDecimals, writeDecimal } from './decimal';

/** For each set of groups that are zero, a bit each: where "::" begins, and how many groups it stands for; 8 and 0 for nowhere. */
const GAPS: usize = 0x0800;
/** Four words of address each, then a byte for each length. */
export const INPUT: usize = 0x1000;
export const MAX_ROWS: u32 = 0x2000;
/** Lines of 44 bytes at most. */
export const OUTPUT: usize = 0x24000;

const SLASH: u8 = 0x2f;
const LF: u8 = 0x0a;
const COLON: u8 = 0x3a;

prepareDecimals();
prepareGaps();

/** The longest run of two zeros at least, and the first of equal ones. */
function prepareGaps(): void {
  for (let zeros: u32 = 0; zeros < 256; zeros++) {
    let start: u32 = 8;
    let length: u32 = 1;
    for (let group: u32 = 0; group < 8; group++) {
      const run: u32 = ctz(~(zeros >> group));
      if (run <= length) continue;
      start = group;
      length = run;
    }
    store<u8>(GAPS + (zeros << 1), <u8>start);
    store<u8>(GAPS + (zeros << 1) + 1, start === 8 ? 0 : <u8>length);
  }
}

/** Writes `count` rows. Returns how many bytes they became. */
export function format(count: u32): u32 {
  const lengths = INPUT + (count << 4);
  let at = OUTPUT;
  for (let i: u32 = 0; i < count; i++) {
    const row = INPUT + (i << 4);
    // Of a word in memory, the lower group comes first; so bits of neighbours are exchanged.
    const swapped = i16x8.bitmask(i16x8.eq(v128.load(row), i16x8.splat(0)));
    const zeros = ((swapped & 0x55) << 1) | ((swapped >> 1) & 0x55);
    const gap = <u32>load<u8>(GAPS + (zeros << 1));
    const behindGap = gap + <u32>load<u8>(GAPS + (zeros << 1) + 1);
    for (let group: u32 = 0; group < gap; group++) at = writeGroup(at, groupOf(row, group));
    if (gap === 0) store<u8>(at++, COLON);
    if (behindGap > gap) store<u8>(at++, COLON);
    for (let group = behindGap; group < 8; group++) at = writeGroup(at, groupOf(row, group));
    // Each group has a colon behind; the last one is one too many, but not when "::" is at the end.
    if (behindGap < 8 || gap === 8) at--;
    store<u8>(at, SLASH);
    at = writeDecimal(at + 1, load<u8>(lengths + i));
    store<u8>(at - 1, LF);
  }
  return <u32>(at - OUTPUT);
}

function groupOf(row: usize, group: u32): u32 {
  return load<u16>(row + ((group ^ 1) << 1));
}

/** Writes the digits of a group, without leading zeros, and a colon. */
function writeGroup(at: usize, group: u32): usize {
  const nibbles = ((group & 0xf) << 24) | ((group & 0xf0) << 12) | (group & 0xf00) | (group >> 12);
  // 6 more takes ten and above over 15; letters are 39 behind what would follow the digits.
  const isLetter = ((nibbles + 0x06060606) >> 4) & 0x01010101;
  const digits = (35 - clz(group | 1)) >> 2;
  store<u32>(at, (nibbles + 0x30303030 + isLetter * 39) >> ((4 - digits) << 3));
  store<u8>(at + digits, COLON);
  return at + digits + 1;
}
