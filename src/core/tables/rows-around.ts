/** Rows of a table that share addresses with a prefix. */
import { widthOf } from '../address.ts';
import { clearHostBits, compareWords, covers } from '../bits.ts';
import { type Prefix, prefixAt } from '../prefix.ts';
import type { PrefixRows, PrefixTable } from './prefix-table.ts';

export interface LabelledPrefix {
  readonly prefix: Prefix;
  readonly labels: readonly string[];
}

/**
 * The rows that contain the prefix, equal it or are inside it, by length and then by address; null if there are more than `most`. O(length
 * x log n + rows found), without the index of lookups.
 */
export function rowsAround(
  table: PrefixTable,
  { family, words, length }: Prefix,
  most: number,
): LabelledPrefix[] | null {
  const rows = table[family];
  const width = widthOf(family);
  const found: LabelledPrefix[] = [];
  const take = (row: number): void => {
    found.push({ prefix: prefixAt(rows, row), labels: table.labelSets[rows.labels[row]!]! });
  };
  for (let bits = 0; bits < length; bits++) {
    const network = [...words];
    clearHostBits(network, 0, bits, width);
    const row = firstRowFrom(rows, network, bits);
    const isIt = row < rows.size && rows.lengths[row] === bits;
    if (isIt && compareWords(rows.words, row * width, network, 0, width) === 0) take(row);
  }
  for (let row = firstRowFrom(rows, words, length); row < rows.size; row++) {
    if (!covers(words, 0, length, rows.words, row * width)) break;
    if (found.length === most) return null;
    take(row);
  }
  return found.length > most ? null : found;
}

/** Indices of the first `most` rows that lie inside the prefix and are longer, by address. O(log n + rows found). */
export function rowsInside(rows: PrefixRows, prefix: Prefix, most: number): number[] {
  if (rows.family !== prefix.family) return [];
  const { words, length } = prefix;
  const width = widthOf(rows.family);
  const found: number[] = [];
  for (let row = firstRowFrom(rows, words, length + 1); row < rows.size && found.length < most; row++) {
    if (!covers(words, 0, length, rows.words, row * width)) break;
    found.push(row);
  }
  return found;
}

/** The first row that is not below this prefix; how many rows there are when all are. */
function firstRowFrom(rows: PrefixRows, words: readonly number[], length: number): number {
  const width = widthOf(rows.family);
  let [low, high] = [0, rows.size];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const order = compareWords(rows.words, middle * width, words, 0, width) || rows.lengths[middle]! - length;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
