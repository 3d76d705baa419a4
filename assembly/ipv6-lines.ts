/**
 * Takes plain IPv6 lines: one prefix or address in hexadecimal groups (RFC 4291 section 2.2, forms 1 and 2) and nothing else. Forms
 * that are rare, as an address with a dotted quad at its end, are left to the reader of src/core/text/prefix-text.ts.
 */
import { INPUT, MAX_ROWS, ROW, pushRow, reserve, rowsEnd } from './ipv6-rows';

const LF: u8 = 0x0a;
const CR: u8 = 0x0d;
const SLASH: u8 = 0x2f;
const COLON: u8 = 0x3a;

/** What the characters of a line say as hexadecimal digits. A group of less than four digits begins up to four bytes before it. */
const DIGITS: usize = 0x0010;

/** Of the characters that {@link scan} looked at, a bit each: which are no hexadecimal digits, and which are line ends. */
let others: u64 = 0;
let lineEnds: u64 = 0;

function scan(at: usize, place: usize): void {
  const text = v128.load(at + place);
  const digits = i8x16.sub(text, i8x16.splat(0x30));
  const letters = i8x16.sub(v128.or(text, i8x16.splat(0x20)), i8x16.splat(0x61));
  const isLetter = i8x16.lt_u(letters, i8x16.splat(6));
  const isDigit = v128.or(i8x16.lt_u(digits, i8x16.splat(10)), isLetter);
  v128.store(DIGITS + place, v128.bitselect(i8x16.add(letters, i8x16.splat(10)), digits, isLetter));
  others |= (<u64>(<u32>i8x16.bitmask(isDigit) ^ 0xffff)) << place;
  lineEnds |= (<u64>(<u32>i8x16.bitmask(i8x16.eq(text, i8x16.splat(LF))))) << place;
}

/** Takes plain lines from byte `from` of the input on. Returns the position of the first line that is not plain or not whole. */
export function takeLines(from: u32, to: u32): u32 {
  const end = INPUT + to;
  let at = INPUT + from;
  reserve(<u64>rowsEnd + MAX_ROWS * ROW);
  for (let rows: u32 = 0; rows < MAX_ROWS && at < end; rows++) {
    others = 0;
    lineEnds = 0;
    scan(at, 0);
    scan(at, 16);
    if (lineEnds === 0) scan(at, 32);
    const lineEnd = <u32>ctz(lineEnds);
    if (lineEnds === 0 || at + lineEnd >= end || !takeLine(at, lineEnd)) break;
    at += lineEnd + 1;
  }
  return <u32>(at - INPUT);
}

function takeLine(at: usize, lineEnd: u32): bool {
  let high: u64 = 0;
  let low: u64 = 0;
  let headHigh: u64 = 0;
  let headLow: u64 = 0;
  let groups: u32 = 0;
  // Groups before "::".
  let gap: u32 = NONE;
  let start: u32 = 0;
  let behind: u32 = 0;
  for (;;) {
    behind = <u32>ctz(others);
    others &= others - 1;
    const isColon = load<u8>(at + behind) === COLON;
    const digits = behind - start;
    if (digits > 4) return false;
    if (digits > 0) {
      if (groups === 8) return false;
      high = (high << 16) | (low >> 48);
      low = (low << 16) | group(behind, digits);
      groups++;
    } else if (!isColon) {
      // Nothing may follow "::" only.
      if (gap !== groups) return false;
    } else if (behind === 0) {
      // A colon at the beginning is the first of two.
      if (load<u8>(at + 1) !== COLON) return false;
    } else {
      if (gap !== NONE) return false;
      gap = groups;
      headHigh = high;
      headLow = low;
      high = 0;
      low = 0;
    }
    if (!isColon) break;
    start = behind + 1;
  }
  if (gap === NONE ? groups !== 8 : groups > 7) return false;
  if (gap !== NONE && gap > 0) {
    const shift = (8 - gap) << 4;
    if (shift >= 64) high |= headLow << (shift - 64);
    else {
      high |= (headHigh << shift) | (headLow >> (64 - shift));
      low |= headLow << shift;
    }
  }
  // IPv4-mapped addresses are refused elsewhere.
  if (high === 0 && low >> 32 === 0xffff) return false;

  const valueEnd = lineEnd - u32(load<u8>(at + lineEnd - 1) === CR);
  let length: u32 = 128;
  if (behind !== valueEnd) {
    if (load<u8>(at + behind) !== SLASH) return false;
    const count = valueEnd - behind - 1;
    if (count - 1 > 2) return false;
    length = 0;
    for (let i: u32 = 1; i <= count; i++) {
      const digit = <u32>load<u8>(at + behind + i) - 0x30;
      if (digit > 9 || (i > 1 && length === 0)) return false;
      length = length * 10 + digit;
    }
    if (length > 128 || hasHostBits(high, low, length)) return false;
  }
  pushRow(high, low, length);
  return true;
}

const NONE: u32 = 0xff;

/** The number that the `count` digits before `behind` say: 1 to 4 of them. */
function group(behind: u32, count: u32): u64 {
  const digits = load<u32>(DIGITS + behind - 4) & (0xffffffff << (32 - (count << 3)));
  const pairs = ((digits << 4) | (digits >> 8)) & 0x00ff00ff;
  return ((pairs << 8) | (pairs >> 16)) & 0xffff;
}

function hasHostBits(high: u64, low: u64, length: u32): bool {
  if (length === 128) return false;
  return length < 64 ? ((high << length) | low) !== 0 : low << (length - 64) !== 0;
}
