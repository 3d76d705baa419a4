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

/** Addresses are counted in floating point: exact for IPv4, to 53 bits for IPv6. */
export class CoverTree {
  readonly leafCount: number;
  /** Node numbers: leaves 0 to leafCount - 1 in the order of the set, then the inner nodes; children before parents in `order`. */
  readonly left: Int32Array;
  readonly right: Int32Array;
  readonly parent: Int32Array;
  readonly order: Int32Array;
  /** Length of each node's prefix. */
  readonly lengths: Uint8Array;
  /** Over-coverage when the node is collapsed. */
  readonly overCoverage: Float64Array;
  /** Number of leaves below each node, or of collapsed nodes in their place. */
  readonly count: Int32Array;
  /** Present over-coverage below each node. */
  readonly taken: Float64Array;
  readonly collapsed: Uint8Array;
  readonly #bits: number;

  /** `set` has at least one prefix. O(n). */
  constructor(set: PrefixSet) {
    const leaves = set.size;
    const nodes = 2 * leaves - 1;
    this.leafCount = leaves;
    this.#bits = bitsOf(set.family);
    this.left = new Int32Array(nodes).fill(-1);
    this.right = new Int32Array(nodes).fill(-1);
    this.parent = new Int32Array(nodes).fill(-1);
    this.order = new Int32Array(leaves - 1);
    this.lengths = new Uint8Array(nodes);
    this.lengths.set(set.lengths);
    this.overCoverage = new Float64Array(nodes);
    this.taken = new Float64Array(nodes);
    this.count = new Int32Array(nodes).fill(1, 0, leaves);
    this.collapsed = new Uint8Array(nodes);
    this.#link(set);
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
   * to long; a longer one is complete as soon as a shorter one follows.
   */
  #link(set: PrefixSet): void {
    const width = widthOf(set.family);
    const stack: number[] = [];
    let complete = 0;
    const finish = (last: number): number => {
      const node = stack.pop()!;
      this.right[node] = last;
      this.#measure(node);
      this.order[complete++] = node;
      return node;
    };
    for (let i = 0; i + 1 < set.size; i++) {
      const shared = sharedBits(set.words, i * width, set.words, (i + 1) * width, width);
      let last = i;
      while (stack.length > 0 && this.lengths[stack.at(-1)!]! > shared) last = finish(last);
      const node = this.leafCount + i;
      this.lengths[node] = shared;
      this.left[node] = last;
      stack.push(node);
    }
    let last = set.size - 1;
    while (stack.length > 0) last = finish(last);
  }

  #measure(node: number): void {
    const half = 2 ** (this.#bits - this.lengths[node]! - 1);
    for (const child of [this.left[node]!, this.right[node]!]) {
      this.parent[child] = node;
      this.overCoverage[node]! += this.overCoverage[child]! + half - 2 ** (this.#bits - this.lengths[child]!);
      this.count[node]! += this.count[child]!;
    }
  }
}
