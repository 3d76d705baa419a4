/** A list of prefixes that grows: the working memory of everything in this room that makes prefixes. */
import { type Family, widthOf } from './address.ts';
import { sharedBits, stepOver, trailingOnes, trailingZeros } from './bits.ts';
import type { PrefixList } from './prefix.ts';

export class PrefixBuffer implements PrefixList {
  readonly family: Family;
  readonly width: 1 | 4;
  words: Uint32Array;
  lengths: Uint8Array;
  size = 0;

  constructor(family: Family, capacity = 16) {
    this.family = family;
    this.width = widthOf(family);
    this.words = new Uint32Array(capacity * this.width);
    this.lengths = new Uint8Array(capacity);
  }

  /** Appends the prefix whose address begins at `words[at]`. */
  push(words: ArrayLike<number>, at: number, length: number): void {
    if (this.size === this.lengths.length) this.reserve(1);
    const place = this.size * this.width;
    this.words[place] = words[at]!;
    for (let w = 1; w < this.width; w++) this.words[place + w] = words[at + w]!;
    this.lengths[this.size++] = length;
  }

  /** Appends an IPv4 prefix. */
  pushWord(word: number, length: number): void {
    if (this.size === this.lengths.length) this.reserve(1);
    this.words[this.size] = word;
    this.lengths[this.size++] = length;
  }

  pushAll(list: PrefixList): void {
    this.reserve(list.size);
    this.words.set(list.words.subarray(0, list.size * this.width), this.size * this.width);
    this.lengths.set(list.lengths.subarray(0, list.size), this.size);
    this.size += list.size;
  }

  /**
   * Appends the fewest prefixes that cover exactly `first` to `last`, both included, in ascending order. From the lower end on,
   * each is the largest block that both begins there and does not run over the end:
   *
   *     first                                                   last
   *     |/32|--/31--|------/30-----|------------/29-----------|/32|
   */
  pushRange(first: ArrayLike<number>, last: ArrayLike<number>): void {
    const { width } = this;
    const bits = width * 32;
    const at = Uint32Array.from({ length: width }, (_, w) => first[w]!);
    const ones = trailingOnes(last, 0, width);
    for (;;) {
      const shared = sharedBits(at, 0, last, 0, width);
      // After the shared bits `at` has a 0 where `last` has a 1, so a block of one bit more always ends before `last`.
      const fitting = ones >= bits - shared ? shared : shared + 1;
      const length = Math.max(bits - trailingZeros(at, 0, width), fitting);
      this.push(at, 0, length);
      if (length === shared || !stepOver(at, 0, length)) return;
    }
  }

  /** Makes room for `more` prefixes. */
  reserve(more: number): void {
    const needed = this.size + more;
    if (needed <= this.lengths.length) return;
    const capacity = Math.max(needed, this.lengths.length * 2);
    const words = new Uint32Array(capacity * this.width);
    words.set(this.words.subarray(0, this.size * this.width));
    const lengths = new Uint8Array(capacity);
    lengths.set(this.lengths.subarray(0, this.size));
    this.words = words;
    this.lengths = lengths;
  }

  /** The present list, in memory that the next change overwrites. */
  toView(): PrefixList {
    const { family, size } = this;
    return { family, size, words: this.words, lengths: this.lengths };
  }

  /** The present list, in its own memory and no larger than necessary. */
  toList(): PrefixList {
    return {
      family: this.family,
      size: this.size,
      words: this.words.slice(0, this.size * this.width),
      lengths: this.lengths.slice(0, this.size),
    };
  }
}
