/** Radix sort of columns: it computes the order without moving rows and without a comparison function. */
import { compareWords } from './bits.ts';

/** Columns of one table of prefixes; `ranks` is a last key, below address and length. */
export interface SortColumns {
  readonly size: number;
  readonly width: number;
  readonly words: Uint32Array;
  readonly lengths: Uint8Array;
  readonly ranks?: Uint32Array;
}

/**
 * The order (row indices) that sorts by address, then length, then rank; equal rows keep theirs. Null if the rows are sorted already, which
 * lists written by programs mostly are.
 *
 * Least significant digit first: O(rows x digits); a digit that is the same in all rows costs only one reading pass.
 */
export function sortOrder(columns: SortColumns): Uint32Array | null {
  const { size, width, words, lengths, ranks } = columns;
  if (isSorted(columns)) return null;
  const sorter = new RadixSorter(size);
  if (ranks !== undefined) sorter.byWord(ranks, 1, 0);
  sorter.byByte(lengths);
  for (let w = width - 1; w >= 0; w--) sorter.byWord(words, width, w);
  return sorter.order;
}

function isSorted({ size, width, words, lengths, ranks }: SortColumns): boolean {
  for (let i = 1; i < size; i++) {
    const difference =
      compareWords(words, (i - 1) * width, words, i * width, width) ||
      lengths[i - 1]! - lengths[i]! ||
      (ranks === undefined ? 0 : ranks[i - 1]! - ranks[i]!);
    if (difference > 0) return false;
  }
  return true;
}

class RadixSorter {
  order: Uint32Array;
  #spare: Uint32Array;
  readonly #digitBits: number;

  constructor(size: number) {
    this.order = new Uint32Array(size);
    for (let i = 0; i < size; i++) this.order[i] = i;
    this.#spare = new Uint32Array(size);
    // A wide digit halves the passes, but clearing its counters costs more than a small sort.
    this.#digitBits = size < 20_000 ? 8 : 16;
  }

  byByte(column: Uint8Array): void {
    this.#pass(column, 1, 0, 0, 8);
  }

  byWord(column: Uint32Array, stride: number, offset: number): void {
    for (let shift = 0; shift < 32; shift += this.#digitBits) {
      this.#pass(column, stride, offset, shift, this.#digitBits);
    }
  }

  #pass(column: Uint32Array | Uint8Array, stride: number, offset: number, shift: number, bits: number): void {
    const order = this.order;
    const spare = this.#spare;
    const size = order.length;
    const mask = 2 ** bits - 1;
    const places = new Uint32Array(mask + 1);
    for (let i = 0; i < size; i++) places[(column[i * stride + offset]! >>> shift) & mask]!++;
    const any = (column[offset]! >>> shift) & mask;
    if (places[any] === size) return;
    let place = 0;
    for (let digit = 0; digit <= mask; digit++) {
      const count = places[digit]!;
      places[digit] = place;
      place += count;
    }
    // By index: `for … of` takes six times as long on typed arrays.
    for (let i = 0; i < size; i++) {
      const row = order[i]!;
      spare[places[(column[row * stride + offset]! >>> shift) & mask]!++] = row;
    }
    this.order = spare;
    this.#spare = order;
  }
}
