/** Lists as text, a prefix a line, written directly into bytes: a hot path of `aggregate`. */
import { type Family, widthOf } from './address.ts';
import { BINARY as IPV4 } from './generated/ipv4-text-binary.ts';
import { BINARY as IPV6 } from './generated/ipv6-text-binary.ts';
import type { PrefixList } from './prefix.ts';
import {
  type WebAssemblyGlobal,
  type WebAssemblyMemory,
  hasWebAssembly,
  instantiate,
} from './web-assembly.ts';

const SLASH = 0x2f;
const LF = 0x0a;
const COLON = 0x3a;

/** `255.255.255.255/32` and a line end; eight groups of four digits, `/128` and a line end. */
const LONGEST_IPV4 = 19;
const LONGEST_IPV6 = 44;
/** A number is written as four bytes at once; the last ones may be overwritten by what follows. */
const SLACK = 4;

/** Rows of a part that {@link linesOf} yields; its text fits into the processor's cache. */
const PART = 8192;

/**
 * Canonical text of a list, each prefix followed by a line end, in parts. Each part is lent: the next part of any list overwrites it.
 * O(size).
 */
export function* linesOf(list: PrefixList): Generator<Uint8Array, void> {
  const { family, size } = list;
  if (size >= PART && hasWebAssembly) {
    const writer = (writers[family] ??= instantiate<TextWriter>(BINARIES[family]));
    for (let from = 0; from < size; from += PART)
      yield partOf(writer, list, from, Math.min(size, from + PART));
    return;
  }
  const bytes = bytesFor(list, Math.min(size, PART));
  for (let from = 0; from < size; from += PART) {
    yield bytes.subarray(0, write(bytes, list, from, Math.min(size, from + PART)));
  }
}

/** Canonical text of prefixes `from` to `to` (not included), each followed by a line end, in its own memory. O(to - from). */
export function formatLines(list: PrefixList, from = 0, to = list.size): Uint8Array {
  const bytes = bytesFor(list, to - from);
  return bytes.subarray(0, write(bytes, list, from, to));
}

function bytesFor({ family }: PrefixList, rows: number): Uint8Array {
  return new Uint8Array(rows * (family === 'ipv4' ? LONGEST_IPV4 : LONGEST_IPV6) + SLACK);
}

function write(bytes: Uint8Array, list: PrefixList, from: number, to: number): number {
  return list.family === 'ipv4' ? writeIpv4(bytes, list, from, to) : writeIpv6(bytes, list, from, to);
}

/** What assembly/ipv4-text.ts and ipv6-text.ts export. */
interface TextWriter {
  readonly memory: WebAssemblyMemory;
  readonly INPUT: WebAssemblyGlobal;
  readonly OUTPUT: WebAssemblyGlobal;
  readonly format: (count: number) => number;
}

const BINARIES = { ipv4: IPV4, ipv6: IPV6 };
const writers: Partial<Record<Family, TextWriter>> = {};

function partOf(
  { memory, INPUT, OUTPUT, format }: TextWriter,
  { family, words, lengths }: PrefixList,
  from: number,
  to: number,
): Uint8Array {
  const width = widthOf(family);
  new Uint32Array(memory.buffer, INPUT.value).set(words.subarray(from * width, to * width));
  new Uint8Array(memory.buffer, INPUT.value + (to - from) * width * 4).set(lengths.subarray(from, to));
  return new Uint8Array(memory.buffer, OUTPUT.value, format(to - from));
}

/** Digits of 0 to 255 and a dot, as the four bytes of a number, the first one lowest; and the number of digits. */
const NUMBERS = new Uint32Array(256);
const DIGITS = new Uint8Array(256);
for (let value = 0; value < 256; value++) {
  const text = String(value);
  DIGITS[value] = text.length;
  [...text, '.'].forEach((character, i) => (NUMBERS[value]! |= character.charCodeAt(0) << (8 * i)));
}

function writeIpv4(bytes: Uint8Array, { words, lengths }: PrefixList, from: number, to: number): number {
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (let i = from; i < to; i++) {
    const word = words[i]!;
    for (let shift = 24; shift >= 0; shift -= 8) {
      const octet = (word >>> shift) & 0xff;
      view.setUint32(at, NUMBERS[octet]!, true);
      at += DIGITS[octet]! + 1;
    }
    const length = lengths[i]!;
    bytes[at - 1] = SLASH;
    view.setUint32(at, NUMBERS[length]!, true);
    at += DIGITS[length]! + 1;
    bytes[at - 1] = LF;
  }
  return at;
}

const GROUPS = new Uint16Array(8);

/** RFC 5952 section 4: no leading zeros, lower case, the longest run of zero groups (two at least; the first of equal ones) as `::`. */
function writeIpv6(bytes: Uint8Array, { words, lengths }: PrefixList, from: number, to: number): number {
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (let i = from; i < to; i++) {
    for (let group = 0; group < 8; group++) {
      const word = words[4 * i + (group >> 1)]!;
      GROUPS[group] = group & 1 ? word : word >>> 16;
    }
    let gapStart = 8;
    let gapLength = 1;
    for (let group = 0; group < 8; group++) {
      const start = group;
      while (group < 8 && GROUPS[group] === 0) group++;
      if (group - start > gapLength) {
        gapStart = start;
        gapLength = group - start;
      }
    }
    for (let group = 0; group < 8; group++) {
      if (group === gapStart) {
        if (group === 0) bytes[at++] = COLON;
        bytes[at++] = COLON;
        group += gapLength - 1;
        continue;
      }
      at = writeHex(bytes, at, GROUPS[group]!);
      if (group < 7) bytes[at++] = COLON;
    }
    const length = lengths[i]!;
    bytes[at++] = SLASH;
    view.setUint32(at, NUMBERS[length]!, true);
    at += DIGITS[length]! + 1;
    bytes[at - 1] = LF;
  }
  return at;
}

function writeHex(bytes: Uint8Array, from: number, group: number): number {
  let at = from;
  for (let shift = group > 0xfff ? 12 : group > 0xff ? 8 : group > 0xf ? 4 : 0; shift >= 0; shift -= 4) {
    const digit = (group >>> shift) & 0xf;
    bytes[at++] = digit < 10 ? 0x30 + digit : 0x57 + digit;
  }
  return at;
}
