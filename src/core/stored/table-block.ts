/**
 * One block of a stored table: rows of one family in columns, with the labels they use, so that a block means the same in every table and
 * revisions can share it. Before it is packed:
 *
 *     family      1 byte: 4 or 6
 *     rows        number (base 128, as all numbers here)
 *     labels      number of them; each its length in bytes and UTF-8; ascending
 *     label sets  number of them; each its size and its labels, as steps from one label to the next; ascending
 *     lengths     1 byte a row
 *     sets        number of the label set, a row; absent when there is only one set
 *     steps       distance from the row before, in prefixes of this row's length
 */
import type { Family } from '../address.ts';
import { clearHostBits, compareWords } from '../bits.ts';
import { ByteReader, ByteWriter } from './byte-stream.ts';
import { compiledSteps } from '../sets/compiled-steps.ts';
import { MAX_LABEL_CHARACTERS, compareLabelSets, compareLabels } from '../tables/label-sets.ts';
import type { PrefixList } from '../prefix.ts';
import type { PrefixRows } from '../tables/prefix-table.ts';

/** Rows of one block with its own label sets. */
export interface Block {
  readonly labelSets: readonly (readonly string[])[];
  readonly rows: PrefixRows;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The usual size of a block, so that it is written without growing. */
const FORESEEN_BYTES = 1024;
const FORESEEN_ROW_BYTES: Readonly<Record<Family, number>> = { ipv4: 4, ipv6: 8 };

/** Bytes of rows `from` to `to` (not included) of a table, before they are packed. */
export function encodeBlock(
  labelSets: readonly (readonly string[])[],
  rows: PrefixRows,
  from: number,
  to: number,
): Uint8Array {
  const writer = new ByteWriter(FORESEEN_BYTES + (to - from) * FORESEEN_ROW_BYTES[rows.family]);
  writer.byte(rows.family === 'ipv4' ? 4 : 6);
  writer.varint(to - from);

  const usedSets = usedIn(rows.labels, from, to);
  const labels = [...new Set(usedSets.flatMap((set) => labelSets[set]!))].sort(compareLabels);
  const rankOf = new Map(labels.map((label, rank) => [label, rank]));
  writer.varint(labels.length);
  for (const label of labels) {
    const bytes = encoder.encode(label);
    writer.varint(bytes.length);
    writer.append(bytes);
  }
  writer.varint(usedSets.length);
  for (const set of usedSets) {
    writer.varint(labelSets[set]!.length);
    let next = 0;
    for (const label of labelSets[set]!) {
      const rank = rankOf.get(label)!;
      writer.varint(rank - next);
      next = rank + 1;
    }
  }

  writer.append(rows.lengths.subarray(from, to));
  if (usedSets.length > 1) {
    const placeOf = new Map(usedSets.map((set, place) => [set, place]));
    for (let i = from; i < to; i++) writer.varint(placeOf.get(rows.labels[i]!)!);
  }
  if (rows.family === 'ipv4') writeSteps(writer, rows, from, to);
  else writeWideSteps(writer, rows, from, to);
  return writer.written();
}

/** Ascending. */
function usedIn(labels: Uint32Array, from: number, to: number): number[] {
  const used = new Set<number>();
  let last = -1;
  for (let i = from; i < to; i++) {
    // Neighbours mostly have the same labels.
    if (labels[i] !== last) used.add((last = labels[i]!));
  }
  return [...used].sort((a, b) => a - b);
}

function writeSteps(writer: ByteWriter, { words, lengths }: PrefixList, from: number, to: number): void {
  let before = 0;
  for (let i = from; i < to; i++) {
    const word = words[i]!;
    const length = lengths[i]!;
    // JavaScript ignores a shift by 32; the prefix of length 0 has no step.
    if (length > 0) writer.varint((word >>> (32 - length)) - (before >>> (32 - length)));
    before = word;
  }
}

function writeWideSteps(writer: ByteWriter, { words, lengths }: PrefixList, from: number, to: number): void {
  const step = new Uint32Array(4);
  const before = new Uint32Array(4);
  for (let i = from; i < to; i++) {
    const length = lengths[i]!;
    const at = i * 4;
    clearHostBits(before, 0, length, 4);
    let borrow = 0;
    for (let w = 3; w >= 0; w--) {
      const difference = words[at + w]! - before[w]! - borrow;
      borrow = difference < 0 ? 1 : 0;
      step[w] = difference;
      before[w] = words[at + w]!;
    }
    shiftRight(step, 128 - length);
    if (length > 0) writer.wideVarint(step);
  }
}

/** Thrown by {@link decodeBlock}, besides ByteStreamError; both messages continue "the block". */
export class BlockError extends Error {
  override readonly name = 'BlockError';
}

/** Reads the bytes of a block, of which the lengths column remains a view. Memory stays within a small multiple of their number. */
export function decodeBlock(bytes: Uint8Array): Block {
  const reader = new ByteReader(bytes);
  const familyByte = reader.byte();
  if (familyByte !== 4 && familyByte !== 6) throw new BlockError(`is of no known family (${familyByte})`);
  const family: Family = familyByte === 4 ? 'ipv4' : 'ipv6';
  const count = reader.varint();
  if (count === 0) throw new BlockError('holds no rows');
  const labelSets = readLabelSets(reader, count);
  const lengths = reader.take(count);
  const labels = readSetColumn(reader, count, labelSets.length);
  const rows = family === 'ipv4' ? readIpv4(reader, lengths) : readWideSteps(reader, lengths);
  if (reader.left > 0) throw new BlockError('has bytes behind its end');
  return { labelSets, rows: { ...rows, labels } };
}

function readLabelSets(reader: ByteReader, rows: number): string[][] {
  const labels: string[] = [];
  const labelCount = reader.varint();
  while (labels.length < labelCount) {
    const bytes = reader.take(reader.varint());
    let label: string;
    try {
      label = decoder.decode(bytes);
    } catch {
      throw new BlockError('has a label that is not UTF-8');
    }
    if (labels.length > 0 && compareLabels(labels.at(-1)!, label) >= 0)
      throw new BlockError('has labels out of order');
    labels.push(label);
  }
  const used = new Uint8Array(labelCount);
  const labelSets: string[][] = [];
  let characters = 0;
  const setCount = reader.varint();
  if (setCount === 0 || setCount > rows) throw new BlockError('has a wrong number of label sets');
  while (labelSets.length < setCount) {
    const size = reader.varint();
    const labelSet: string[] = [];
    for (let rank = -1; labelSet.length < size;) {
      rank += 1 + reader.varint();
      if (rank >= labelCount) throw new BlockError('names a label that it does not have');
      used[rank] = 1;
      labelSet.push(labels[rank]!);
      characters += labels[rank]!.length;
    }
    if (characters > MAX_LABEL_CHARACTERS) {
      throw new BlockError(`has label sets that hold more than ${MAX_LABEL_CHARACTERS} characters`);
    }
    if (labelSets.length > 0 && compareLabelSets(labelSets.at(-1)!, labelSet) >= 0) {
      throw new BlockError('has label sets out of order');
    }
    labelSets.push(labelSet);
  }
  if (used.includes(0)) throw new BlockError('has a label that no row uses');
  return labelSets;
}

/** The shared column of every block with one label set: columns that were read are never modified. */
const NO_CHOICE = new Uint32Array(32_768);

function readSetColumn(reader: ByteReader, count: number, setCount: number): Uint32Array {
  if (setCount === 1)
    return count <= NO_CHOICE.length ? NO_CHOICE.subarray(0, count) : new Uint32Array(count);
  const used = new Uint8Array(setCount);
  const column = reader.varints(count);
  for (let i = 0; i < count; i++) {
    const set = column[i]!;
    if (set >= setCount) throw new BlockError('names a label set that it does not have');
    used[set] = 1;
  }
  if (used.includes(0)) throw new BlockError('has a label set that no row uses');
  return column;
}

const OUT_OF_ORDER = 'has rows out of order';
const PAST_THE_END = 'has an address past the end of its family';

/** The number of prefixes of each length. */
const PREFIXES = Float64Array.from({ length: 33 }, (_, length) => 2 ** length);

function readIpv4(reader: ByteReader, lengths: Uint8Array): PrefixList {
  const compiled = compiledSteps(lengths, reader.rest());
  if (compiled === null) return readSteps(reader, lengths);
  reader.take(compiled.taken);
  return { family: 'ipv4', size: lengths.length, words: compiled.words, lengths };
}

/** The plain implementation: the reference of tests for {@link compiledSteps}, and the one that says what is wrong. */
export function readSteps(reader: ByteReader, lengths: Uint8Array): PrefixList {
  const size = lengths.length;
  // The prefix of length 0 has no step. It can only be the first.
  const first = lengths[0] === 0 ? 1 : 0;
  const steps = reader.varints(size - first);
  const words = new Uint32Array(size);
  let before = 0;
  for (let i = first; i < size; i++) {
    const length = lengths[i]!;
    if (length > 32) throw new BlockError(`has an IPv4 prefix of length ${length}`);
    if (length === 0) throw new BlockError(OUT_OF_ORDER);
    const index = (before >>> (32 - length)) + steps[i - first]!;
    if (index >= PREFIXES[length]!) throw new BlockError(PAST_THE_END);
    const word = (index << (32 - length)) >>> 0;
    if (i > 0 && (word < before || (word === before && length <= lengths[i - 1]!))) {
      throw new BlockError(OUT_OF_ORDER);
    }
    words[i] = word;
    before = word;
  }
  return { family: 'ipv4', size, words, lengths };
}

function readWideSteps(reader: ByteReader, lengths: Uint8Array): PrefixList {
  const size = lengths.length;
  const words = new Uint32Array(size * 4);
  const step = new Uint32Array(4);
  for (let i = 0; i < size; i++) {
    const length = lengths[i]!;
    const at = i * 4;
    if (length > 128) throw new BlockError(`has an IPv6 prefix of length ${length}`);
    if (length > 0) {
      reader.wideVarint(step);
      if (!shiftLeft(step, 128 - length)) throw new BlockError(PAST_THE_END);
      let carry = 0;
      for (let w = 3; w >= 0; w--) {
        // Bits of the previous row beyond this row's length do not count.
        const kept = length - w * 32;
        const mask = kept >= 32 ? -1 : kept <= 0 ? 0 : -1 << (32 - kept);
        const before = i === 0 ? 0 : (words[at - 4 + w]! & mask) >>> 0;
        const sum = before + step[w]! + carry;
        carry = sum > 0xffffffff ? 1 : 0;
        words[at + w] = sum;
      }
      if (carry !== 0) throw new BlockError(PAST_THE_END);
    }
    if (i > 0 && (compareWords(words, at - 4, words, at, 4) || lengths[i - 1]! - length) >= 0) {
      throw new BlockError(OUT_OF_ORDER);
    }
  }
  return { family: 'ipv6', size, words, lengths };
}

function shiftRight(words: Uint32Array, count: number): void {
  const skip = count >> 5;
  const bits = count & 31;
  for (let w = 3; w >= 0; w--) {
    const low = w - skip >= 0 ? words[w - skip]! : 0;
    const high = w - skip - 1 >= 0 ? words[w - skip - 1]! : 0;
    words[w] = bits === 0 ? low : (low >>> bits) | (high << (32 - bits));
  }
}

/** False when a set bit is lost. */
function shiftLeft(words: Uint32Array, count: number): boolean {
  const skip = count >> 5;
  const bits = count & 31;
  for (let w = 0; w < skip && w < 4; w++) if (words[w] !== 0) return false;
  if (bits > 0 && skip < 4 && words[skip]! >>> (32 - bits) !== 0) return false;
  for (let w = 0; w < 4; w++) {
    const high = w + skip < 4 ? words[w + skip]! : 0;
    const low = w + skip + 1 < 4 ? words[w + skip + 1]! : 0;
    words[w] = bits === 0 ? high : (high << bits) | (low >>> (32 - bits));
  }
  return true;
}
