/** Which rows of a table contain an address: all of them, not the innermost alone. */
import { type Address, widthOf } from './address.ts';
import { compareWords, covers } from './bits.ts';
import type { PrefixRows } from './prefix-table.ts';

/**
 * Indices of all rows whose prefix contains the address, innermost first. O(log n + depth of nesting); the first call on some
 * rows is O(n). An address of the other family matches nothing.
 */
export function matchesOf(rows: PrefixRows, address: Address): number[] {
  if (address.family !== rows.family) return [];
  const width = widthOf(rows.family);
  const parents = parentsOf(rows);
  const matches: number[] = [];
  let row = lastAtOrBelow(rows, address.words);
  while (row >= 0 && !covers(rows.words, row * width, rows.lengths[row]!, address.words, 0))
    row = parents[row]!;
  // What contains a containing row contains the address too.
  for (; row >= 0; row = parents[row]!) matches.push(row);
  return matches;
}

/** The last row that begins at or below the address; every row that contains the address is that one or contains it. */
function lastAtOrBelow(rows: PrefixRows, address: readonly number[]): number {
  const width = widthOf(rows.family);
  let low = 0;
  let high = rows.size;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareWords(rows.words, middle * width, address, 0, width) <= 0) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

const parentsByRows = new WeakMap<PrefixRows, Int32Array>();

/** For each row the innermost row around it, or -1. Rows never change, so it is worked out once. */
function parentsOf(rows: PrefixRows): Int32Array {
  let parents = parentsByRows.get(rows);
  if (parents === undefined) {
    const width = widthOf(rows.family);
    parents = new Int32Array(rows.size);
    for (let i = 0; i < rows.size; i++) {
      let around = i - 1;
      while (
        around >= 0 &&
        !covers(rows.words, around * width, rows.lengths[around]!, rows.words, i * width)
      ) {
        around = parents[around]!;
      }
      parents[i] = around;
    }
    parentsByRows.set(rows, parents);
  }
  return parents;
}
