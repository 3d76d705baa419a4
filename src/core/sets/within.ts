/** Whether a set has addresses of a prefix: all of them, or any. */
import { widthOf } from '../address.ts';
import { compareWords, covers } from '../bits.ts';
import type { Prefix, PrefixList } from '../prefix.ts';
import type { PrefixSet } from './prefix-set.ts';

/**
 * Whether the set contains every address of row `row` of the list. Blocks of a set are minimal and disjoint, so one of them does. O(log n).
 */
export function holdsRow(set: PrefixSet, { words, lengths }: PrefixList, row: number): boolean {
  return holds(set, words, row * widthOf(set.family), lengths[row]!);
}

/** {@link holdsRow} for one prefix, of either family. */
export function holdsPrefix(set: PrefixSet, { family, words, length }: Prefix): boolean {
  return family === set.family && holds(set, words, 0, length);
}

function holds(set: PrefixSet, words: ArrayLike<number>, at: number, length: number): boolean {
  const width = widthOf(set.family);
  let low = 0;
  let high = set.size;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareWords(set.words, middle * width, words, at, width) <= 0) low = middle + 1;
    else high = middle;
  }
  const block = low - 1;
  return (
    block >= 0 &&
    set.lengths[block]! <= length &&
    covers(set.words, block * width, set.lengths[block]!, words, at)
  );
}

/**
 * Whether the row and the set share an address. Blocks are sorted and disjoint: only the last one that begins at or before the row can
 * contain it.
 */
export function meets({ family, words, lengths }: PrefixList, row: number, set: PrefixSet): boolean {
  const width = widthOf(family);
  let low = 0;
  let high = set.size;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareWords(set.words, middle * width, words, row * width, width) <= 0) low = middle + 1;
    else high = middle;
  }
  const before = low - 1;
  if (before >= 0 && covers(set.words, before * width, set.lengths[before]!, words, row * width)) return true;
  // No closure: it is asked of millions of rows.
  for (let block = Math.max(0, before); block <= low && block < set.size; block++)
    if (covers(words, row * width, lengths[row]!, set.words, block * width)) return true;
  return false;
}

/** How many blocks of the set share an address with the other one. O(n + m). */
export function countMeeting(set: PrefixSet, other: PrefixSet): number {
  const width = widthOf(set.family);
  let [count, i, j] = [0, 0, 0];
  while (i < set.size && j < other.size) {
    const [at, place] = [i * width, j * width];
    const isMet =
      covers(set.words, at, set.lengths[i]!, other.words, place) ||
      covers(other.words, place, other.lengths[j]!, set.words, at);
    if (isMet) count++;
    // The next block of the set may meet the same one; the next one of the other may lie in a block that is counted.
    if (isMet || compareWords(set.words, at, other.words, place, width) < 0) i++;
    else j++;
  }
  return count;
}
