/**
 * Takes plain IPv4 lines, and rows, apart by length. What a plain line is, src/core/ipv4-lines.ts tells; here sixteen characters are
 * looked at in one step, and nothing is guessed that a processor could guess wrong.
 */
import {
  BLOCK_BITS,
  CONSTANTS,
  INPUT,
  MAX_ROWS,
  RUNS,
  SHAPES,
  SHORTS,
  SUBNETS,
  reserve,
  setBlocks,
} from './ipv4-memory';

const LF: u8 = 0x0a;
const CR: u8 = 0x0d;
const SLASH: u8 = 0x2f;
const DOT: u8 = 0x2e;

/** Lines and rows taken so far. */
export let taken: u32 = 0;

/** Where the next run goes. */
export let runsEnd: usize = RUNS;
export let hostCount: u32 = 0;
export let subnetCount: u32 = 0;
/** Where {@link distribute} goes on writing. */
let nextHost: usize = 0;
let nextSubnet: usize = 0;
let nextShort: usize = 0;

prepare();

function prepare(): void {
  for (let lengths: u32 = 0; lengths < 256; lengths++) {
    const shape = SHAPES + ((<usize>lengths) << 5);
    let start: u32 = 0;
    for (let part: u32 = 0; part < 4; part++) {
      const digits = (lengths >> (part << 1)) & 3;
      const at = shape + (part << 2);
      // Hundreds, tens, nothing, ones; 0x80 picks a zero.
      store<u8>(at, digits === 3 ? start : 0x80);
      store<u8>(at + 1, digits > 1 ? start + digits - 2 : 0x80);
      store<u8>(at + 2, 0x80);
      store<u8>(at + 3, start + digits - 1);
      store<u32>(at + 16, digits === 0 ? 0x7fffffff : digits === 1 ? 0 : digits === 2 ? 10 : 100);
      start += digits + 1;
    }
  }
  storeConstants();
  for (let length: u32 = 19; length <= 24; length++) {
    const count = 1 << (24 - length);
    store<u32>(BLOCK_BITS + (length << 2), count === 32 ? 0xffffffff : (1 << count) - 1);
  }
}

/** What whole vectors are compared and multiplied with: kept in registers when it is loaded, made anew each time when it is written out. */
function storeConstants(): void {
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
  begin();
  const end = INPUT + to;
  let at = INPUT + from;
  let lines: u32 = 0;
  const lf = v128.load(CONSTANTS);
  const dot = v128.load(CONSTANTS, 16);
  const toTheTop = v128.load(CONSTANTS, 32);
  const belowTheTop = v128.load(CONSTANTS, 48);
  const zero = v128.load(CONSTANTS, 64);
  const tensOfBoth = v128.load(CONSTANTS, 80);
  const tensAndOnes = v128.load(CONSTANTS, 96);
  const most = v128.load(CONSTANTS, 112);
  const order = v128.load(CONSTANTS, 128);
  while (at < end) {
    const text = v128.load(at);
    const lineEnds =
      i8x16.bitmask(i8x16.eq(text, lf)) | (i8x16.bitmask(i8x16.eq(v128.load(at, 16), lf)) << 16);
    const lineEnd = ctz(lineEnds);
    if (lineEnds === 0 || at + lineEnd >= end) break;

    const areDigits = i8x16.gt_s(i8x16.add(text, toTheTop), belowTheTop);
    const first = i8x16.bitmask(areDigits) ^ 0xffff;
    const second = first & (first - 1);
    const third = second & (second - 1);
    const fourth = third & (third - 1);
    const dots = i8x16.bitmask(i8x16.eq(text, dot));
    const a = ctz(first);
    const b = ctz(second) - a - 1;
    const c = ctz(third) - ctz(second) - 1;
    const behind = ctz(fourth);
    const d = behind - ctz(third) - 1;
    if (((first ^ fourth) & ~dots) !== 0 || (a | b | c | d) > 3) break;

    const shape = SHAPES + ((<usize>(a | (b << 2) | (c << 4) | (d << 6))) << 5);
    // Hundreds and tens become tens, in one multiplication for all octets; then tens and ones one number.
    const tens = i16x8.shr_u(
      i16x8.mul(i8x16.swizzle(i8x16.sub(text, zero), v128.load(shape)), tensOfBoth),
      8,
    );
    const octets = i32x4.dot_i16x8_s(tens, tensAndOnes);
    const wrong = v128.or(i32x4.gt_s(octets, most), i32x4.gt_s(v128.load(shape, 16), octets));
    if (v128.any_true(wrong)) break;
    const bytes = i8x16.swizzle(octets, order);
    const word = i32x4.extract_lane(bytes, 0);

    const valueEnd = lineEnd - u32(load<u8>(at + lineEnd - 1) === CR);
    let length: u32 = 32;
    if (behind !== valueEnd) {
      if (load<u8>(at + behind) !== SLASH) break;
      const ones = <u32>load<u8>(at + valueEnd - 1) - 0x30;
      const count = valueEnd - behind - 1;
      if (ones > 9 || count - 1 > 1) break;
      length = ones;
      if (count === 2) {
        const ten = <u32>load<u8>(at + behind + 1) - 0x30;
        if (ten - 1 > 2) break;
        length += ten * 10;
      }
      if (length > 32 || <u32>((<u64>word) << length) !== 0) break;
    }
    distribute(word, length);
    at += lineEnd + 1;
    lines++;
  }
  finish(lines);
  return <u32>(at - INPUT);
}

/** Takes `count` rows out of the input: the addresses, then a byte for each length. */
export function takeRows(count: u32): void {
  begin();
  const lengths = INPUT + (count << 2);
  for (let i: u32 = 0; i < count; i++) distribute(load<u32>(INPUT + (i << 2)), load<u8>(lengths + i));
  finish(count);
}

function begin(): void {
  nextHost = runsEnd + 8;
  nextSubnet = SUBNETS;
  nextShort = SHORTS;
  reserve(<u64>nextHost + (MAX_ROWS + 1) * 4);
}

/** Lengths come in no order that a processor could guess: every kind is written, and what is not counted is written over. */
function distribute(word: u32, length: u32): void {
  store<u32>(nextHost, word);
  nextHost += (length >> 5) << 2;
  store<u32>(nextSubnet, (word & ~0xff) | (((word & 0xff) | 0x100) >> (32 - length)));
  nextSubnet += u32(length - 25 < 7) << 2;
  store<u32>(nextShort, word | length);
  nextShort += u32(length < 25) << 2;
}

function finish(rows: u32): void {
  const hosts = (<u32>(nextHost - runsEnd - 8)) >> 2;
  const subnets = (<u32>(nextSubnet - SUBNETS)) >> 2;
  if ((hosts | subnets) !== 0) {
    store<u32>(runsEnd, hosts);
    store<u32>(runsEnd, subnets, 4);
    memory.copy(nextHost, SUBNETS, subnets << 2);
    runsEnd = nextHost + (subnets << 2);
  }
  for (let at = SHORTS; at < nextShort; at += 4) setBlocks(load<u32>(at));
  hostCount += hosts;
  subnetCount += subnets;
  taken += rows;
}

/** All runs have become one, sorted. */
export function joinRuns(): void {
  if (hostCount + subnetCount === 0) return;
  store<u32>(RUNS, hostCount);
  store<u32>(RUNS, subnetCount, 4);
  runsEnd = RUNS + 8 + ((<usize>hostCount + subnetCount) << 2);
}
