/** An image of a set: the covered share of each of 65,536 equal parts of a prefix. */
import { bitsOf, widthOf } from '../address.ts';
import { compareWords, covers, sixteenBits } from '../bits.ts';
import type { Prefix } from '../prefix.ts';
import type { PrefixSet } from './prefix-set.ts';

/** Bits of an address that choose a cell. */
export const CELL_BITS = 16;
export const CELLS = 2 ** CELL_BITS;

/** The cell is completely covered. */
const WHOLE = 255;

/** Whether the prefix can be divided into that many parts. */
export function hasCells({ family, length }: Prefix): boolean {
  return length + CELL_BITS <= bitsOf(family);
}

/**
 * A byte for each part of `within`, by address: 0 for an empty part, 255 for one that is completely covered, 1 to 254 for the share in
 * between. Drawn along a Hilbert curve of order 8, parts that are near by address are near in the image. O(log n + rows inside).
 * @param within of the set's family, with {@link hasCells}
 */
export function coverageCells(set: PrefixSet, within: Prefix): Uint8Array {
  const width = widthOf(set.family);
  const cells = new Uint8Array(CELLS);
  const shares = new Float64Array(CELLS);
  const cellLength = within.length + CELL_BITS;
  const first = firstFrom(set, within);
  if (first > 0 && holds(set, first - 1, within)) return cells.fill(WHOLE);
  for (let row = first; row < set.size; row++) {
    const at = row * width;
    const length = set.lengths[row]!;
    if (holds(set, row, within)) return cells.fill(WHOLE);
    if (!covers(within.words, 0, within.length, set.words, at)) break;
    const cell = sixteenBits(set.words, at, within.length);
    if (length <= cellLength) cells.fill(WHOLE, cell, cell + 2 ** (cellLength - length));
    else shares[cell]! += 2 ** (cellLength - length);
  }
  // The parts of a minimal set never fill a whole cell.
  for (let cell = 0; cell < CELLS; cell++) if (shares[cell]! > 0) cells[cell] = byteOf(shares[cell]!);
  return cells;
}

function byteOf(share: number): number {
  return Math.min(WHOLE - 1, Math.max(1, Math.round(share * WHOLE)));
}

function holds({ family, words, lengths }: PrefixSet, row: number, within: Prefix): boolean {
  return (
    lengths[row]! <= within.length && covers(words, row * widthOf(family), lengths[row]!, within.words, 0)
  );
}

/** The first row that begins at or after the prefix; only the one before it can reach into the prefix. */
function firstFrom({ words, size, family }: PrefixSet, within: Prefix): number {
  const width = widthOf(family);
  let low = 0;
  let high = size;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareWords(words, middle * width, within.words, 0, width) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
