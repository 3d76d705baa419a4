/**
 * Takes plain IPv4 lines. What a plain line is, src/core/text/ipv4-lines.ts tells; here sixteen characters are looked at in one step, and
 * nothing is guessed that a processor could guess wrong: first where some lines end, then what each says, with one branch a line.
 */
import {
  CONSTANTS,
  DOTS,
  INPUT,
  LENGTHS,
  LINE_ENDS,
  MAX_ROWS,
  ROW_LENGTHS,
  ROW_WORDS,
  SHAPES,
} from './ipv4-memory';
import { putAway } from './ipv4-rows';

const LF: u8 = 0x0a;
const CR: u8 = 0x0d;
const SLASH: u8 = 0x2f;
const DOT: u8 = 0x2e;

/** Bytes in which line ends are looked for at once: what is found behind a line that is not plain, is found in vain. */
const LINE_ENDS_BYTES: usize = 0x400;

prepareShapes();
prepareLengths();
prepareConstants();

function prepareShapes(): void {
  // Of places that no dots are at, each octet would have to say at least this.
  for (let at: usize = 16; at < 128; at += 32) v128.store(SHAPES + at, i32x4.splat(0x7fffffff));
  let shapes: u32 = 128;
  for (let a: u32 = 1; a <= 3; a++) {
    for (let b: u32 = 1; b <= 3; b++) {
      for (let c: u32 = 1; c <= 3; c++, shapes += 128) {
        const second = a + 1 + b;
        const third = second + 1 + c;
        store<u16>(DOTS + (((1 << a) | (1 << second) | (1 << third)) << 1), <u16>(shapes | (third + 1)));
        for (let d: u32 = 0; d <= 3; d++) {
          const shape = SHAPES + shapes + (d << 5);
          prepareOctet(shape, 0, a);
          prepareOctet(shape + 4, a + 1, b);
          prepareOctet(shape + 8, second + 1, c);
          prepareOctet(shape + 12, third + 1, d);
        }
      }
    }
  }
}

/** Hundreds, tens, nothing, ones; 0x80 picks a zero. */
function prepareOctet(at: usize, start: u32, digits: u32): void {
  store<u8>(at, digits === 3 ? start : 0x80);
  store<u8>(at + 1, digits > 1 ? start + digits - 2 : 0x80);
  store<u8>(at + 2, 0x80);
  store<u8>(at + 3, start + digits - 1);
  store<u32>(at + 16, digits === 0 ? 0x7fffffff : digits === 1 ? 0 : digits === 2 ? 10 : 100);
}

/** In the upper two bits, how many characters say so, with the slash: a list has one way only to say a length. */
function prepareLengths(): void {
  for (let length: u32 = 0; length <= 32; length++) {
    const before: u32 = length < 10 ? SLASH : 0x30 + length / 10;
    const characters: u32 = length < 10 ? 2 : 3;
    store<u8>(LENGTHS + (((0x30 + (length % 10)) << 8) | before), <u8>((characters << 6) | length));
  }
}

/** What whole vectors are compared and multiplied with: kept in registers when it is loaded, made anew each time when it is written out. */
function prepareConstants(): void {
  v128.store(CONSTANTS, i8x16.splat(LF));
  v128.store(CONSTANTS, i8x16.splat(DOT), 16);
  // From here on up to the largest signed number there are ten left: a digit is moved there, and nothing else is.
  v128.store(CONSTANTS, i8x16.splat(0x7f - 0x39), 32);
  v128.store(CONSTANTS, i8x16.splat(0x7f - 10), 48);
  v128.store(CONSTANTS, i8x16.splat(0x30), 64);
  v128.store(CONSTANTS, i16x8.splat(2561), 80);
  v128.store(CONSTANTS, i16x8(10, 1, 10, 1, 10, 1, 10, 1), 96);
  v128.store(CONSTANTS, i32x4.splat(255), 112);
  v128.store(CONSTANTS, i8x16(12, 8, 4, 0, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1), 128);
}

/** Takes plain lines from byte `from` of the input on. Returns the position of the first line that is not plain or not whole. */
export function takeLines(from: u32, to: u32): u32 {
  const end = INPUT + to;
  let at = INPUT + from;
  let rows: u32 = 0;
  while (at < end) {
    const lineEnds = findLineEnds(at, end);
    const read = readLines(at, lineEnds, rows);
    if (read > 0) at = <usize>load<u32>(LINE_ENDS + ((read - 1) << 2)) + 1;
    rows += read;
    if (read < lineEnds || lineEnds === 0) break;
  }
  putAway(ROW_WORDS, ROW_LENGTHS, rows);
  return <u32>(at - INPUT);
}

/** Finds line ends behind `from`, and puts their places into {@link LINE_ENDS}. Returns how many they are. */
function findLineEnds(from: usize, end: usize): u32 {
  const lf = v128.load(CONSTANTS);
  const last = min(from + LINE_ENDS_BYTES, end);
  let next = LINE_ENDS;
  for (let at = from; at < last; at += 64) {
    const ends =
      <u64>i8x16.bitmask(i8x16.eq(v128.load(at), lf)) |
      ((<u64>i8x16.bitmask(i8x16.eq(v128.load(at, 16), lf))) << 16) |
      ((<u64>i8x16.bitmask(i8x16.eq(v128.load(at, 32), lf))) << 32) |
      ((<u64>i8x16.bitmask(i8x16.eq(v128.load(at, 48), lf))) << 48);
    // Plain lines have 8 bytes at least, so more ends than 8 are behind a line that is not plain. All 8 are written, however many there are.
    const behind = next + (min<usize>(<usize>popcnt(ends), 8) << 2);
    putFour(next + 16, at, putFour(next, at, ends));
    next = behind;
  }
  while (next > LINE_ENDS && <usize>load<u32>(next - 4) >= end) next -= 4;
  return <u32>(next - LINE_ENDS) >> 2;
}

function putFour(to: usize, from: usize, bits: u64): u64 {
  store<u32>(to, from + <usize>ctz(bits));
  bits &= bits - 1;
  store<u32>(to, from + <usize>ctz(bits), 4);
  bits &= bits - 1;
  store<u32>(to, from + <usize>ctz(bits), 8);
  bits &= bits - 1;
  store<u32>(to, from + <usize>ctz(bits), 12);
  return bits & (bits - 1);
}

/** Reads lines that begin there and end as {@link LINE_ENDS} says, into rows from that number on. Returns how many of them are plain. */
function readLines(from: usize, count: u32, rows: u32): u32 {
  let at = from;
  const dot = v128.load(CONSTANTS, 16);
  const toTheTop = v128.load(CONSTANTS, 32);
  const belowTheTop = v128.load(CONSTANTS, 48);
  const zero = v128.load(CONSTANTS, 64);
  const tensOfBoth = v128.load(CONSTANTS, 80);
  const tensAndOnes = v128.load(CONSTANTS, 96);
  const most = v128.load(CONSTANTS, 112);
  const order = v128.load(CONSTANTS, 128);
  const words = ROW_WORDS + (rows << 2);
  const lengths = ROW_LENGTHS + rows;
  let i: u32 = 0;
  for (; i < count; i++) {
    const lineEnd = <usize>load<u32>(LINE_ENDS + (i << 2));
    const text = v128.load(at);
    const areDigits = i8x16.gt_s(i8x16.add(text, toTheTop), belowTheTop);
    const ofLine = (1 << u32(lineEnd - at)) - 1;
    // The last dot is the twelfth character at most.
    const dots = i8x16.bitmask(i8x16.eq(text, dot)) & ofLine & 0xfff;
    const places = <u32>load<u16>(DOTS + (dots << 1));
    const behind = <u32>ctz(i8x16.bitmask(areDigits) ^ 0xffff ^ dots);
    const lastDigits = behind - (places & 0xf);

    const shape = SHAPES + (places & 0xff0) + ((lastDigits & 3) << 5);
    // Hundreds and tens become tens, in one multiplication for all octets; then tens and ones one number.
    const tens = i16x8.shr_u(
      i16x8.mul(i8x16.swizzle(i8x16.sub(text, zero), v128.load(shape)), tensOfBoth),
      8,
    );
    const octets = i32x4.dot_i16x8_s(tens, tensAndOnes);
    const wrong = v128.or(i32x4.gt_s(octets, most), i32x4.gt_s(v128.load(shape, 16), octets));
    const word = i32x4.extract_lane(i8x16.swizzle(octets, order), 0);

    const valueEnd = lineEnd - u32(load<u8>(lineEnd - 1) === CR);
    const field = at + behind;
    const characters = <u32>(valueEnd - field);
    const said = <u32>load<u8>(LENGTHS + <usize>load<u16>(valueEnd - 2));
    const isHost = characters === 0;
    const length = select<u32>(32, said & 0x3f, isHost);
    const wrongField = ((said >> 6) ^ characters) | (load<u8>(field) ^ SLASH);
    const isWrong =
      select<u32>(0, wrongField, isHost) |
      i8x16.bitmask(wrong) |
      (lastDigits & ~3) |
      <u32>((<u64>word) << length);
    if (isWrong !== 0) break;
    store<u32>(words + (i << 2), word);
    store<u8>(lengths + i, <u8>length);
    at = lineEnd + 1;
  }
  return i;
}
