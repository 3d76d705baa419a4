/** Rows of a table that have addresses in common with a prefix. */
import { widthOf } from '../address.ts';
import { clearHostBits, compareWords, covers } from '../bits.ts';
import { type Prefix, prefixAt } from '../prefix.ts';
import type { PrefixTable } from './prefix-table.ts';

export interface LabelledPrefix {
  readonly prefix: Prefix;
  readonly labels: readonly string[];
}

/**
 * The rows that contain the prefix, are it or lie inside of it, by length and then by address; null when they are more than `most`.
 * O(length x log n + rows found), without the index that lookups make of a table.
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
  /** The first row that is not below this prefix. */
  const placeOf = (address: readonly number[], bits: number): number => {
    let [low, high] = [0, rows.size];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const order =
        compareWords(rows.words, middle * width, address, 0, width) || rows.lengths[middle]! - bits;
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  for (let bits = 0; bits < length; bits++) {
    const network = [...words];
    clearHostBits(network, 0, bits, width);
    const row = placeOf(network, bits);
    const isIt = row < rows.size && rows.lengths[row] === bits;
    if (isIt && compareWords(rows.words, row * width, network, 0, width) === 0) take(row);
  }
  for (let row = placeOf(words, length); row < rows.size; row++) {
    if (!covers(words, 0, length, rows.words, row * width)) break;
    if (found.length === most) return null;
    take(row);
  }
  return found.length > most ? null : found;
}
