/**
 * The fast path for the plainest lists: lines with only one IPv4 prefix or address, without even a blank. Four characters are processed in
 * one step, as the bytes of a number, so that an octet of one digit costs the same as one of three and the processor has no branch to
 * predict. Other lines are left to the reader of `prefix-text.ts`, which is the reference: lines accepted here have the same result there.
 */
import type { PrefixBuffer } from '../prefix-buffer.ts';

const LF = 0x0a;
const CR = 0x0d;
const DOT = 0x2e;
const SLASH = 0x2f;

/** More bytes than a plain line and its end can have, so that no step below reads past the end. */
const LONGEST_LINE = 24;

/**
 * Appends a row for each plain line starting at `from`, until a line is not plain, the bytes are about to end, or there are `limit` rows.
 * Returns the position of the first line that was not read.
 */
export function readPlainLines(view: DataView, from: number, rows: PrefixBuffer, limit: number): number {
  const lastStart = view.byteLength - LONGEST_LINE;
  let { words, lengths, size } = rows;
  let lineStart = from;
  while (lineStart <= lastStart && size < limit) {
    let at = lineStart;
    let word = 0;
    let wrong = 0;
    for (let part = 0; part < 4; part++) {
      const characters = view.getInt32(at);
      const bits = digitBits(characters);
      const octet = decimal(characters, bits);
      at += bits >> 3;
      word = (word << 8) | octet;
      wrong |= octet;
      if (part < 3 && view.getUint8(at++) !== DOT) wrong = -1;
    }
    if (wrong < 0) break;
    let length = 32;
    let next = view.getUint8(at++);
    if (next === SLASH) {
      length = view.getUint8(at++) - 0x30;
      if (length < 0 || length > 9) break;
      const ones = view.getUint8(at) - 0x30;
      if (length >= 1 && length <= 3 && ones >= 0 && ones <= 9) {
        length = length * 10 + ones;
        at++;
      }
      // A shift by 32 would do nothing.
      if (length > 32 || (length < 32 && word << length !== 0)) break;
      next = view.getUint8(at++);
    }
    if (next === CR) next = view.getUint8(at++);
    if (next !== LF) break;
    if (size === lengths.length) {
      rows.size = size;
      rows.reserve(1);
      ({ words, lengths } = rows);
    }
    words[size] = word;
    lengths[size++] = length;
    lineStart = at;
  }
  rows.size = size;
  return lineStart;
}

/**
 * Number of bits in the leading digits of four characters: 0, 8, 16, 24, or 32. The first character is the highest byte.
 *
 *     "47.1"           34 37 2e 31
 *     xor '0000'       04 07 1e 01    a digit is below 10 now
 *     not a digit      .. .. 80 ..    two digits: 16 bits
 */
function digitBits(characters: number): number {
  const digits = characters ^ 0x30303030;
  // Without their highest bits no byte carries into the next when 0x76 is added, which takes 10 and more to 0x80.
  const others = (((digits & 0x7f7f7f7f) + 0x76767676) | digits) & 0x80808080;
  return Math.clz32(others) & 0x38;
}

/** The value of the digits in the first `bits`, from 0 to 255; -1 for more, for a leading zero, and if there is no digit. */
function decimal(characters: number, bits: number): number {
  // One digit a byte, so bytes compare as numbers do: 02 05 05 is 255. No digit and four digits are always beyond that, or below
  // the smallest number of this many digits.
  const number = (characters ^ 0x30303030) >>> (32 - bits);
  const least = (1 << (bits - 8)) & ~1;
  if (number > 0x020505 || number < least) return -1;
  // From base 256 to base 10: 256 - 10, and 65536 - 100 - 256 x 246.
  return number - Math.imul(number >>> 8, 246) - Math.imul(number >>> 16, 2460);
}
