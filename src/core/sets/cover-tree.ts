/**
 * The prefixes of a set as the leaves of a binary tree whose inner nodes are the smallest prefixes around two neighbours. To collapse a
 * node is to cover everything below it with that one prefix: fewer prefixes, but also addresses that are not in the set.
 *
 *     /22              inner 1: overCoverage = the lower /24 of its upper half
 *      |---------|
 *     /23       /24    inner 0 and a leaf
 *      |----|     \
 *     /25  /24     .   leaves: overCoverage of inner 0 = half a /24
 */
import { bitsOf, widthOf } from '../address.ts';
import { sharedBits } from '../bits.ts';
import type { PrefixSet } from './prefix-set.ts';

/** Between two sets: no prefix is around both. */
const NOTHING_SHARED = -1;

/**
 * Addresses are counted in floating point: exact for IPv4, to 53 bits for IPv6. Of several sets, the nodes above whole sets have infinite over-coverage, since
 * one prefix stands for addresses of one set only.
 */
export class CoverTree {
  readonly leafCount: number;
  /** Node numbers: leaves 0 to leafCount - 1 in the order of the set, then the inner nodes; children before parents in `order`. */
  readonly left: Int32Array;
  readonly right: Int32Array;
  readonly parent: Int32Array;
  readonly order: Int32Array;
  /** The prefixes of all sets, one after the other. */
  readonly words: Uint32Array;
  /** Length of each node's prefix; {@link NOTHING_SHARED} above whole sets. */
  readonly lengths: Int16Array;
  /** Over-coverage when the node is collapsed. */
  readonly overCoverage: Float64Array;
  /** Number of leaves below each node, or of collapsed nodes in their place. */
  readonly count: Int32Array;
  /** Present over-coverage below each node. */
  readonly taken: Float64Array;
  readonly collapsed: Uint8Array;
  readonly #bits: number;

  /** The sets are of one family, and each has at least one prefix. O(n). */
  constructor(sets: readonly PrefixSet[]) {
    const { family } = sets[0]!;
    const leaves = sets.reduce((sum, { size }) => sum + size, 0);
    const nodes = 2 * leaves - 1;
    this.leafCount = leaves;
    this.#bits = bitsOf(family);
    this.left = new Int32Array(nodes).fill(-1);
    this.right = new Int32Array(nodes).fill(-1);
    this.parent = new Int32Array(nodes).fill(-1);
    this.order = new Int32Array(leaves - 1);
    this.words = new Uint32Array(leaves * widthOf(family));
    this.lengths = new Int16Array(nodes);
    this.overCoverage = new Float64Array(nodes);
    this.taken = new Float64Array(nodes);
    this.count = new Int32Array(nodes).fill(1, 0, leaves);
    this.collapsed = new Uint8Array(nodes);
    const ends = new Set<number>();
    let at = 0;
    for (const { size, words, lengths } of sets) {
      this.words.set(words.subarray(0, size * widthOf(family)), at * widthOf(family));
      this.lengths.set(lengths.subarray(0, size), at);
      ends.add((at += size) - 1);
    }
    this.#link(widthOf(family), ends);
  }

  get root(): number {
    return this.leafCount === 1 ? 0 : this.order[this.leafCount - 2]!;
  }

  isInner(node: number): boolean {
    return node >= this.leafCount && this.collapsed[node] === 0;
  }

  /** Collapses an inner node: what is below it no longer counts. O(depth). */
  collapse(node: number): void {
    this.collapsed[node] = 1;
    const overCoverage = this.overCoverage[node]! - this.taken[node]!;
    const saved = this.count[node]! - 1;
    for (let above = node; above >= 0; above = this.parent[above]!) {
      this.taken[above]! += overCoverage;
      this.count[above]! -= saved;
    }
  }

  /**
   * The inner node between neighbours i and i + 1 is as long as the bits that these share. A stack holds the nodes on the right edge, short
   * to long; a longer one is complete as soon as a shorter one follows. `ends` are the last leaves of each set.
   */
  #link(width: number, ends: ReadonlySet<number>): void {
    const stack: number[] = [];
    let complete = 0;
    const finish = (last: number): number => {
      const node = stack.pop()!;
      this.right[node] = last;
      this.#measure(node);
      this.order[complete++] = node;
      return node;
    };
    for (let i = 0; i + 1 < this.leafCount; i++) {
      const shared = ends.has(i)
        ? NOTHING_SHARED
        : sharedBits(this.words, i * width, this.words, (i + 1) * width, width);
      let last = i;
      while (stack.length > 0 && this.lengths[stack.at(-1)!]! > shared) last = finish(last);
      const node = this.leafCount + i;
      this.lengths[node] = shared;
      this.left[node] = last;
      stack.push(node);
    }
    let last = this.leafCount - 1;
    while (stack.length > 0) last = finish(last);
  }

  #measure(node: number): void {
    const half = 2 ** (this.#bits - this.lengths[node]! - 1);
    for (const child of [this.left[node]!, this.right[node]!]) {
      this.parent[child] = node;
      this.overCoverage[node]! += this.overCoverage[child]! + half - 2 ** (this.#bits - this.lengths[child]!);
      this.count[node]! += this.count[child]!;
    }
    if (this.lengths[node] === NOTHING_SHARED) this.overCoverage[node] = Infinity;
  }
}
