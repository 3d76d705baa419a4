/** Rows of several tables in one order, so that one search looks an address up in all of them. */
import { type Family, widthOf } from '../address.ts';
import type { PrefixRows } from './prefix-table.ts';
import { sortOrder } from '../sort-order.ts';

/**
 * All rows of all parts, sorted by address, then length, then part: a prefix occurs once for each part that has it. Labels become those of
 * the part plus `firstLabels[part]`. O(n) after a radix sort.
 */
export function mergeRows(
  family: Family,
  parts: readonly PrefixRows[],
  firstLabels: ArrayLike<number>,
): PrefixRows {
  const joined = joinRows(family, parts, firstLabels);
  // Equal rows keep their order, which is that of the parts.
  const order = sortOrder({ ...joined, width: widthOf(family) });
  return order === null ? joined : inOrder(joined, order);
}

function joinRows(family: Family, parts: readonly PrefixRows[], firstLabels: ArrayLike<number>): PrefixRows {
  const width = widthOf(family);
  const joined = emptyRows(
    family,
    parts.reduce((sum, { size }) => sum + size, 0),
  );
  let at = 0;
  parts.forEach(({ size, words, lengths, labels }, part) => {
    joined.words.set(words.subarray(0, size * width), at * width);
    joined.lengths.set(lengths.subarray(0, size), at);
    for (let row = 0; row < size; row++) joined.labels[at + row] = labels[row]! + firstLabels[part]!;
    at += size;
  });
  return joined;
}

function inOrder(rows: PrefixRows, order: Uint32Array): PrefixRows {
  const width = widthOf(rows.family);
  const sorted = emptyRows(rows.family, rows.size);
  for (let row = 0; row < rows.size; row++) {
    const from = order[row]!;
    for (let w = 0; w < width; w++) sorted.words[row * width + w] = rows.words[from * width + w]!;
    sorted.lengths[row] = rows.lengths[from]!;
    sorted.labels[row] = rows.labels[from]!;
  }
  return sorted;
}

function emptyRows(family: Family, size: number): PrefixRows {
  const words = new Uint32Array(size * widthOf(family));
  return { family, size, words, lengths: new Uint8Array(size), labels: new Uint32Array(size) };
}
