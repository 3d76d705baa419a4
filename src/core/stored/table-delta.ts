/**
 * A table as its difference from another one: rows that were removed, and rows that are new or have other labels.
 *
 *     base    a---b---c---d---e---f          removed   rows 1 and 4, as steps
 *     table   a-------c-x-d'------f          written   x and d', as a block; d' takes the place of d
 *
 * Before it is packed, for IPv4 and then IPv6: the number of removed rows; each as the step from the one before; the length
 * in bytes of the block of written rows (0: none); the block.
 */
import { FAMILIES, type Family, widthOf } from '../address.ts';
import { compareWords } from '../bits.ts';
import { ByteReader, ByteStreamError, ByteWriter } from './byte-stream.ts';
import { type RowsDiff, diffTables } from '../tables/diff.ts';
import { PrefixBuffer } from '../prefix-buffer.ts';
import type { PrefixRows, PrefixTable } from '../tables/prefix-table.ts';
import { type Block, BlockError, decodeBlock, encodeBlock } from './table-block.ts';
import { MAX_TABLE_ROWS } from './table-cut.ts';
import { LabelSetCollector } from './table-labels.ts';
import { TableCodecError } from './table-manifest.ts';
import { packChecked, unpack } from './table-packing.ts';

/** Size of a delta before it is packed; a larger difference is better stored as a whole table. */
export const MAX_DELTA_BYTES = 16 * 1024 * 1024;

/**
 * What {@link applyDelta} needs to make `table` out of `base`; null if they differ in more than half of their rows, or by more than {@link
 * MAX_DELTA_BYTES}. O(rows).
 */
export function encodeDelta(
  base: PrefixTable,
  table: PrefixTable,
  packed: typeof packChecked = packChecked,
): Uint8Array | null {
  const diff = diffTables(base, table);
  const different = diff.announced + diff.withdrawn + diff.changed;
  if (different * 2 > base.ipv4.size + base.ipv6.size + table.ipv4.size + table.ipv6.size) return null;
  return writeDelta(
    (family) => ({
      removed: diff[family].withdrawn,
      written: { labelSets: table.labelSets, rows: pickRows(table[family], writtenRows(diff[family])) },
    }),
    packed,
  );
}

/** What a delta says of one family. */
export interface DeltaPart {
  /** Rows of the base, ascending. */
  readonly removed: ArrayLike<number> & Iterable<number>;
  readonly written: Block;
}

/** The bytes of a delta; null: they are more than {@link MAX_DELTA_BYTES}. */
export function writeDelta(
  partOf: (family: Family) => DeltaPart,
  packed: typeof packChecked = packChecked,
): Uint8Array | null {
  const writer = new ByteWriter();
  for (const family of FAMILIES) {
    const { removed, written } = partOf(family);
    writer.varint(removed.length);
    let next = 0;
    for (const row of removed) {
      writer.varint(row - next);
      next = row + 1;
    }
    const { labelSets, rows } = written;
    if (rows.size === 0) writer.varint(0);
    else {
      const block = encodeBlock(labelSets, rows, 0, rows.size);
      if (block.length > MAX_DELTA_BYTES) return null;
      writer.varint(block.length);
      writer.append(block);
    }
  }
  return writer.length > MAX_DELTA_BYTES ? null : packed(writer.written());
}

/** Rows of the table after that the delta contains, ascending: announced and changed ones. */
function writtenRows({ announced, changed }: RowsDiff): Uint32Array {
  const rows = new Uint32Array(announced.length + changed.length / 2);
  rows.set(announced);
  for (let i = 1; i < changed.length; i += 2) rows[announced.length + (i >> 1)] = changed[i]!;
  return rows.sort();
}

function pickRows(rows: PrefixRows, picked: Uint32Array): PrefixRows {
  const width = widthOf(rows.family);
  const buffer = new PrefixBuffer(rows.family, picked.length);
  for (const row of picked) buffer.push(rows.words, row * width, rows.lengths[row]!);
  return { ...buffer.toList(), labels: picked.map((row) => rows.labels[row]!) };
}

/**
 * The table that the delta was made for, if `base` is the table that it was made from; callers that must be sure compare content hashes.
 * O(rows). The result is well-formed whatever the source of the bytes. Throws TableCodecError.
 */
export function applyDelta(base: PrefixTable, bytes: Uint8Array): PrefixTable {
  const content = unpack(bytes, MAX_DELTA_BYTES);
  if (content === null) throw new TableCodecError("The delta can't be unpacked");
  try {
    return readDelta(base, new ByteReader(content));
  } catch (error) {
    if (error instanceof ByteStreamError || error instanceof BlockError) {
      throw new TableCodecError(`The delta ${error.message}`);
    }
    throw error;
  }
}

function readDelta(base: PrefixTable, reader: ByteReader): PrefixTable {
  const labelSets = new LabelSetCollector();
  for (const labels of base.labelSets) labelSets.numberOf(labels);
  const ipv4 = readRows(base.ipv4, reader, labelSets);
  const ipv6 = readRows(base.ipv6, reader, labelSets);
  if (reader.left > 0) throw new BlockError('has bytes behind its end');
  if (ipv4.size + ipv6.size > MAX_TABLE_ROWS) {
    throw new BlockError(`makes a table of ${ipv4.size + ipv6.size} rows, beyond ${MAX_TABLE_ROWS}`);
  }
  return { labelSets: labelSets.finish([ipv4.labels, ipv6.labels]), ipv4, ipv6 };
}

function readRows(base: PrefixRows, reader: ByteReader, labelSets: LabelSetCollector): PrefixRows {
  const removed = readRemoved(base, reader);
  const length = reader.varint();
  if (length === 0) return mergeRows(base, removed, null);
  const { rows, labelSets: sets } = decodeBlock(reader.take(length));
  if (rows.family !== base.family)
    throw new BlockError(`has ${rows.family} rows where ${base.family} belongs`);
  const numbers = sets.map((labels) => labelSets.numberOf(labels));
  return mergeRows(base, removed, { ...rows, labels: rows.labels.map((set) => numbers[set]!) });
}

function readRemoved(base: PrefixRows, reader: ByteReader): Uint32Array {
  const count = reader.varint();
  if (count > base.size) throw new BlockError(`removes ${count} rows of ${base.size}`);
  const removed = new Uint32Array(count);
  let next = 0;
  for (let i = 0; i < count; i++) {
    const row = next + reader.varint();
    if (row >= base.size) throw new BlockError(`removes row ${row} of ${base.size}`);
    removed[i] = row;
    next = row + 1;
  }
  return removed;
}

/** Most rows stay, so they are copied in runs between removed and written ones. */
function mergeRows(base: PrefixRows, removed: Uint32Array, written: PrefixRows | null): PrefixRows {
  const { family } = base;
  const width = widthOf(family);
  const writtenSize = written?.size ?? 0;
  const merged = new PrefixBuffer(family, base.size + writtenSize);
  const labels = new Uint32Array(base.size + writtenSize);
  let at = 0;
  const copyUntil = (end: number): void => {
    labels.set(base.labels.subarray(at, end), merged.size);
    merged.pushAll({
      family,
      size: end - at,
      words: base.words.subarray(at * width, end * width),
      lengths: base.lengths.subarray(at, end),
    });
    at = end;
  };
  let nextRemoved = 0;
  const removeUntil = (end: number): void => {
    for (; nextRemoved < removed.length && removed[nextRemoved]! < end; nextRemoved++) {
      copyUntil(removed[nextRemoved]!);
      at++;
    }
  };
  for (let i = 0; i < writtenSize; i++) {
    const place = placeOf(base, written!, i, at);
    const replaces = place < base.size && compareRows(base, place, written!, i) === 0;
    removeUntil(place);
    if (replaces && removed[nextRemoved] === place) throw new BlockError('removes a row and writes it');
    copyUntil(place);
    labels[merged.size] = written!.labels[i]!;
    merged.push(written!.words, i * width, written!.lengths[i]!);
    if (replaces) at++;
  }
  removeUntil(base.size);
  copyUntil(base.size);
  // It has little unused memory: a copy would take as long as everything above.
  const { size, words, lengths } = merged;
  return {
    family,
    size,
    words: words.subarray(0, size * width),
    lengths: lengths.subarray(0, size),
    labels: labels.subarray(0, size),
  };
}

/** The first row from `from` on that does not sort before row `i` of the other rows. */
function placeOf(rows: PrefixRows, others: PrefixRows, i: number, from: number): number {
  let low = from;
  let high = rows.size;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareRows(rows, middle, others, i) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function compareRows(a: PrefixRows, i: number, b: PrefixRows, j: number): number {
  const width = widthOf(a.family);
  return compareWords(a.words, i * width, b.words, j * width, width) || a.lengths[i]! - b.lengths[j]!;
}
