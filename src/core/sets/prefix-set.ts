/**
 * Sets of addresses, as the fewest prefixes that cover them exactly. A builder takes prefixes in any order; the set it builds never
 * changes, and operations on sets make new ones in one walk over both.
 */
import { type Family, bitsOf, widthOf } from '../address.ts';
import { compareWords, covers, hasHostBits, setHostBits, stepOver } from '../bits.ts';
import { CompiledCover } from './compiled-cover.ts';
import type { Aggregator } from './cover.ts';
import { Ipv4Cover } from './ipv4-cover.ts';
import { PrefixBuffer } from '../prefix-buffer.ts';
import type { PrefixList } from '../prefix.ts';
import { sortOrder } from '../sort-order.ts';
import type { LineTaker } from '../text/line-taker.ts';
import { hasWebAssembly } from '../web-assembly.ts';

export { prefixesOf } from '../prefix.ts';

/**
 * A minimal set: prefixes ascending by address, none inside another, no two that are halves of one. Equal sets therefore have equal
 * columns. Only this file creates them.
 */
export type PrefixSet = PrefixList;

export function emptySet(family: Family): PrefixSet {
  return { family, size: 0, words: new Uint32Array(0), lengths: new Uint8Array(0) };
}

/** From this many prefixes on, the bitmaps of {@link Ipv4Cover} are faster than sorting, although a walk over them has a fixed cost. */
const MANY = 8192;

/** Collects prefixes, ranges and sets of one family; {@link PrefixSetBuilder.build} gives their minimal cover. */
export class PrefixSetBuilder {
  /** Prefixes added since they were last moved into {@link #cover}. */
  readonly #collected: PrefixBuffer;
  #cover: Aggregator | null = null;

  constructor(family: Family) {
    this.#collected = new PrefixBuffer(family);
  }

  /** Adds the prefix of `length` bits at `words[0]`. Throws RangeError for a length out of bounds or host bits set. */
  add(words: ArrayLike<number>, length: number): void {
    const { width, family } = this.#collected;
    if (!(length >= 0 && length <= width * 32)) {
      throw new RangeError(`Length ${length} is out of bounds for ${family}`);
    }
    if (hasHostBits(words, 0, length, width)) throw new RangeError(`Host bits are set behind bit ${length}`);
    this.#collected.push(words, 0, length);
    this.#handOver();
  }

  /** Adds every address from `first` to `last`, both included. Throws RangeError when `last` is below `first`. */
  addRange(first: ArrayLike<number>, last: ArrayLike<number>): void {
    if (compareWords(first, 0, last, 0, this.#collected.width) > 0) {
      throw new RangeError('The range ends before it begins');
    }
    this.#collected.pushRange(first, last);
    this.#handOver();
  }

  /** Adds the prefixes of a set, or of any list of this family, minimal or not. */
  addSet(list: PrefixList): void {
    requireFamily(this.#collected.family, list);
    if (list.size < MANY || !this.#addToCover(list)) {
      this.#collected.pushAll(list);
      this.#handOver();
    }
  }

  /** Reads plain lines straight into this set; null if that is not possible. */
  lineTaker(): LineTaker | null {
    this.#cover ??= newCover(this.#collected.family);
    return this.#cover;
  }

  /** The minimal set of everything added. O(n), without comparisons. More can be added and built again. */
  build(): PrefixSet {
    if (this.#cover === null) return coverOf(this.#collected);
    this.#cover.addAll(this.#collected);
    this.#collected.size = 0;
    return this.#cover.build();
  }

  #handOver(): void {
    if (this.#collected.size >= MANY && this.#addToCover(this.#collected)) this.#collected.size = 0;
  }

  #addToCover(list: PrefixList): boolean {
    this.#cover ??= newCover(list.family);
    this.#cover?.addAll(list);
    return this.#cover !== null;
  }
}

/** The fastest aggregator; null: sorting. */
function newCover(family: Family): Aggregator | null {
  if (hasWebAssembly) return new CompiledCover(family);
  return family === 'ipv4' ? new Ipv4Cover() : null;
}

/** The minimal cover by sorting. O(n) after a radix sort. */
export function coverOf({ family, size, words, lengths }: PrefixList): PrefixSet {
  const width = widthOf(family);
  const order = sortOrder({ size, width, words, lengths });
  const cover = new PrefixBuffer(family, Math.max(16, size));
  for (let i = 0; i < size; i++) {
    const row = order === null ? i : order[i]!;
    appendToCover(cover, words, row * width, lengths[row]!);
  }
  return cover.toList();
}

/**
 * Appends a prefix that sorts after (address, then length) all that went into the cover. Two cases change the cover:
 *
 *     inside the last one: nothing new           the other half of the last one: both become their parent,
 *                                                which may be a half in turn
 *       last  |---------------|                    last  |-------|
 *       new       |---|                            new           |-------|
 *       cover |---------------|                    cover |---------------|
 *
 * An earlier prefix of the cover can't contain it: the cover is disjoint and ascending.
 */
function appendToCover(cover: PrefixBuffer, words: Uint32Array, at: number, length: number): void {
  const { width } = cover;
  const last = cover.size - 1;
  if (last >= 0 && covers(cover.words, last * width, cover.lengths[last]!, words, at)) return;
  cover.push(words, at, length);
  while (cover.size > 1 && endsInHalves(cover)) {
    cover.size--;
    cover.lengths[cover.size - 1]!--;
  }
}

/** Whether the last two prefixes differ in their last bit only. */
function endsInHalves({ words, lengths, size, width }: PrefixBuffer): boolean {
  const length = lengths[size - 1]!;
  if (length === 0 || lengths[size - 2] !== length) return false;
  const upper = (size - 1) * width;
  const lower = upper - width;
  const lastBitWord = (length - 1) >> 5;
  for (let w = 0; w < lastBitWord; w++) {
    if (words[lower + w] !== words[upper + w]) return false;
  }
  const difference = (words[lower + lastBitWord]! ^ words[upper + lastBitWord]!) >>> 0;
  return difference === 0x80000000 >>> ((length - 1) & 31);
}

/** Addresses in either set. O(|a| + |b|). */
export function union(a: PrefixSet, b: PrefixSet): PrefixSet {
  requireFamily(a.family, b);
  const width = widthOf(a.family);
  const cover = new PrefixBuffer(a.family, Math.max(16, a.size + b.size));
  let i = 0;
  let j = 0;
  while (i < a.size || j < b.size) {
    const takeA =
      j === b.size ||
      (i < a.size &&
        (compareWords(a.words, i * width, b.words, j * width, width) || a.lengths[i]! - b.lengths[j]!) <= 0);
    if (takeA) appendToCover(cover, a.words, i * width, a.lengths[i++]!);
    else appendToCover(cover, b.words, j * width, b.lengths[j++]!);
  }
  return cover.toList();
}

/**
 * Addresses in both sets. O(|a| + |b|). Of two prefixes that overlap, the longer is the overlap; the result is minimal, since two halves
 * could only come from one set, which is minimal itself.
 */
export function intersect(a: PrefixSet, b: PrefixSet): PrefixSet {
  const overlap = new PrefixBuffer(a.family);
  walkOverlaps(a, b, (words, at, length) => {
    overlap.push(words, at, length);
    return true;
  });
  return overlap.toList();
}

/** Whether an address is in both sets. O(|a| + |b|). */
export function overlaps(a: PrefixSet, b: PrefixSet): boolean {
  return !walkOverlaps(a, b, () => false);
}

/** Calls `visit` with every overlap in ascending order until it returns false. @returns whether it never did */
function walkOverlaps(
  a: PrefixSet,
  b: PrefixSet,
  visit: (words: Uint32Array, at: number, length: number) => boolean,
): boolean {
  requireFamily(a.family, b);
  const width = widthOf(a.family);
  let i = 0;
  let j = 0;
  while (i < a.size && j < b.size) {
    const ai = i * width;
    const bj = j * width;
    const aLength = a.lengths[i]!;
    const bLength = b.lengths[j]!;
    if (aLength >= bLength && covers(b.words, bj, bLength, a.words, ai)) {
      if (!visit(a.words, ai, aLength)) return false;
      i++;
    } else if (covers(a.words, ai, aLength, b.words, bj)) {
      if (!visit(b.words, bj, bLength)) return false;
      j++;
    } else if (compareWords(a.words, ai, b.words, bj, width) < 0) i++;
    else j++;
  }
  return true;
}

/**
 * Addresses of `a` that are not in `b`. O(|a| + |b| x bits). The rest of a prefix is cut into the largest blocks:
 *
 *     a    |-------------------------------|
 *     b             |---|       |-|
 *     out  |-------||   |---|---| |-|------|
 */
export function subtract(a: PrefixSet, b: PrefixSet): PrefixSet {
  requireFamily(a.family, b);
  const width = widthOf(a.family);
  const rest = new PrefixBuffer(a.family, Math.max(16, a.size));
  const from = new Uint32Array(width);
  const to = new Uint32Array(width);
  let j = 0;
  for (let i = 0; i < a.size; i++) {
    const at = i * width;
    const length = a.lengths[i]!;
    while (j < b.size && endsBefore(b, j, a.words, at)) j++;
    if (j === b.size || !meets(b, j, a.words, at, length)) {
      rest.push(a.words, at, length);
      continue;
    }
    if (b.lengths[j]! <= length) continue;
    from.set(a.words.subarray(at, at + width));
    let open = true;
    for (; j < b.size && covers(a.words, at, length, b.words, j * width); j++) {
      const hole = b.words.subarray(j * width, (j + 1) * width);
      if (compareWords(from, 0, hole, 0, width) < 0) {
        to.set(hole);
        decrement(to);
        rest.pushRange(from, to);
      }
      from.set(hole);
      open = stepOver(from, 0, b.lengths[j]!);
    }
    if (open && covers(a.words, at, length, from, 0)) {
      to.set(a.words.subarray(at, at + width));
      setHostBits(to, 0, length, width);
      rest.pushRange(from, to);
    }
  }
  return rest.toList();
}

/** Whether prefix `j` is completely below the address. */
function endsBefore(set: PrefixSet, j: number, words: Uint32Array, at: number): boolean {
  const width = widthOf(set.family);
  return (
    compareWords(set.words, j * width, words, at, width) < 0 &&
    !covers(set.words, j * width, set.lengths[j]!, words, at)
  );
}

function meets(set: PrefixSet, j: number, words: Uint32Array, at: number, length: number): boolean {
  const width = widthOf(set.family);
  return covers(set.words, j * width, Math.min(set.lengths[j]!, length), words, at);
}

/** The address just below; the caller knows that it exists. */
function decrement(words: Uint32Array): void {
  for (let w = words.length - 1; w >= 0; w--) {
    if (words[w]!-- !== 0) return;
  }
}

export function equalSets(a: PrefixSet, b: PrefixSet): boolean {
  if (a.family !== b.family || a.size !== b.size) return false;
  return (
    a.lengths.every((length, i) => length === b.lengths[i]) && a.words.every((word, i) => word === b.words[i])
  );
}

/** Whether the address (with as many words as the family has) is in the set. O(log n). */
export function containsAddress(set: PrefixSet, words: ArrayLike<number>): boolean {
  const width = widthOf(set.family);
  let low = 0;
  let high = set.size;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareWords(set.words, middle * width, words, 0, width) <= 0) low = middle + 1;
    else high = middle;
  }
  return low > 0 && covers(set.words, (low - 1) * width, set.lengths[low - 1]!, words, 0);
}

/** The exact number of addresses in the set. */
export function coveredAddresses(set: PrefixSet): bigint {
  const bits = bitsOf(set.family);
  const perLength = new Array<number>(bits + 1).fill(0);
  for (let i = 0; i < set.size; i++) perLength[set.lengths[i]!]!++;
  return perLength.reduce((sum, count, length) => sum + (BigInt(count) << BigInt(bits - length)), 0n);
}

function requireFamily(family: Family, other: PrefixList): void {
  if (other.family !== family) throw new TypeError(`A list of ${other.family} can't join a set of ${family}`);
}

/** The addresses of the rows, which may overlap. */
export function setOfRows(rows: PrefixList): PrefixSet {
  const builder = new PrefixSetBuilder(rows.family);
  builder.addSet(rows);
  return builder.build();
}
