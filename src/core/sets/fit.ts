/**
 * Aggregation with tolerance, for routers with small tables: at most a given number of prefixes that cover the set with the least
 * over-coverage, which is the number of covered addresses that are not in the set.
 *
 * For a small set the result is optimal: over the tree of `cover-tree.ts`, for each node and each number of prefixes to save below it, the
 * least over-coverage is computed (a knapsack on a tree). For large sets, the node with the least over-coverage per saved prefix is
 * collapsed repeatedly; each intermediate set is the best of its size. Only the last step may save more than necessary, so the optimum is
 * searched once more among the nodes below it.
 */
import { CoverTree } from './cover-tree.ts';
import {
  type PrefixSet,
  PrefixSetBuilder,
  containsAddress,
  coveredAddresses,
  emptySet,
  subtract,
} from './prefix-set.ts';
import { widthOf } from '../address.ts';
import { clearHostBits, compareWords, sharedBits } from '../bits.ts';

export interface FittedSet {
  readonly set: PrefixSet;
  /** Addresses that `set` covers and the original set does not. */
  readonly overCoverage: bigint;
  /** Whether less over-coverage is impossible (IPv6: up to rounding beyond 53 bits). */
  readonly optimal: boolean;
}

/** Limits of the exact computation: steps of its inner loop, and places in its tables. */
export interface ExactBounds {
  readonly steps: number;
  readonly places: number;
}

/** About a tenth of a second, and at most 100 MB. */
const USUAL_BOUNDS: ExactBounds = { steps: 2 ** 26, places: 2 ** 23 };

/**
 * A set of at most `max` prefixes that covers `set` and nothing of `forbidden` beside it. O(n log n), and a bounded amount of work for the
 * exact computation. Throws RangeError for a `max` below 1, and {@link CannotFit} if no such set exists.
 */
export function fitSet(
  set: PrefixSet,
  max: number,
  bounds = USUAL_BOUNDS,
  forbidden: PrefixSet | null = null,
): FittedSet {
  if (!(max >= 1)) throw new RangeError(`A set can't be fitted into ${max} prefixes`);
  if (set.size <= max) return { set, overCoverage: 0n, optimal: true };
  const { sets, overCoverage, optimal } = fitSets([{ set, forbidden }], max, bounds);
  return { set: sets[0]!, overCoverage, optimal };
}

export interface SetToFit {
  readonly set: PrefixSet;
  /** Addresses that may not be covered beside it; null: all others may be. */
  readonly forbidden: PrefixSet | null;
  /** Length of the shortest prefix to be made; default 0. */
  readonly shortest?: number;
}

export interface FittedSets {
  /** In the order given. */
  readonly sets: readonly PrefixSet[];
  /** Of each set, added up. */
  readonly overCoverage: bigint;
  readonly optimal: boolean;
}

/**
 * Fits sets of one family that share a maximum: at most `max` prefixes altogether, divided so that the least is added. No prefix covers
 * addresses of two sets for both. Throws {@link CannotFit} as well where there are more sets than `max`.
 */
export function fitSets(given: readonly SetToFit[], max: number, bounds = USUAL_BOUNDS): FittedSets {
  const some = given.filter(({ set }) => set.size > 0);
  const size = some.reduce((sum, { set }) => sum + set.size, 0);
  if (size <= max) return { sets: given.map(({ set }) => set), overCoverage: 0n, optimal: true };
  if (some.length > max) throw new CannotFit(max);
  const tree = new CoverTree(some.map(({ set }) => set));
  let from = 0;
  for (const { set, forbidden, shortest = 0 } of some) {
    const banned = forbidden === null ? emptySet(set.family) : subtract(forbidden, set);
    forbid(tree, from, set, banned, shortest);
    from += set.size;
  }
  const saved = saveExactly(tree, tree.root, size - max, bounds);
  if (saved === 'impossible') throw new CannotFit(max);
  const optimal = saved === 'done';
  if (!optimal) saveStepwise(tree, max, bounds);
  const fitted = remaining(
    tree,
    some.map(({ set }) => set),
  );
  const overCoverage = some.reduce(
    (sum, { set }, index) => sum + coveredAddresses(fitted[index]!) - coveredAddresses(set),
    0n,
  );
  const byGiven = new Map(some.map((one, index) => [one, fitted[index]!]));
  return { sets: given.map((one) => byGiven.get(one) ?? one.set), overCoverage, optimal };
}

/** With so few prefixes, forbidden addresses would be covered. */
export class CannotFit extends Error {
  override readonly name = 'CannotFit';

  constructor(max: number) {
    super(`No ${max} prefixes cover the set without covering what is forbidden`);
  }
}

/** Gives nodes of the set, whose leaves begin at `from`, an infinite cost where they cover something forbidden, or are too short. */
function forbid(
  tree: CoverTree,
  from: number,
  { family, size }: PrefixSet,
  forbidden: PrefixSet,
  shortest: number,
): void {
  if (forbidden.size === 0 && shortest === 0) return;
  const width = widthOf(family);
  const words = new Uint32Array(width);
  for (let row = from; row + 1 < from + size; row++) {
    const node = tree.leafCount + row;
    const length = tree.lengths[node]!;
    words.set(tree.words.subarray(row * width, (row + 1) * width));
    clearHostBits(words, 0, length, width);
    if (length < shortest || containsAddress(forbidden, words) || beginsWithin(forbidden, words, length))
      tree.overCoverage[node] = Infinity;
  }
}

/** Whether a prefix of the set begins within this one. O(log n). */
function beginsWithin(set: PrefixSet, words: Uint32Array, length: number): boolean {
  const width = widthOf(set.family);
  let low = 0;
  let high = set.size;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareWords(set.words, middle * width, words, 0, width) < 0) low = middle + 1;
    else high = middle;
  }
  return low < set.size && sharedBits(set.words, low * width, words, 0, width) >= length;
}

/** The leaves and collapsed nodes of a tree, as the sets that it was made of. */
function remaining(tree: CoverTree, sets: readonly PrefixSet[]): PrefixSet[] {
  const { family } = sets[0]!;
  const width = widthOf(family);
  const builders = sets.map(() => new PrefixSetBuilder(family));
  // The walk is in the order of the leaves, so that what belongs to one set comes together.
  let index = 0;
  let end = sets[0]!.size;
  const words = new Uint32Array(width);
  const open = [tree.root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (tree.isInner(node)) {
      open.push(tree.right[node]!, tree.left[node]!);
      continue;
    }
    const row = node < tree.leafCount ? node : node - tree.leafCount;
    words.set(tree.words.subarray(row * width, (row + 1) * width));
    clearHostBits(words, 0, tree.lengths[node]!, width);
    while (row >= end) end += sets[++index]!.size;
    builders[index]!.add(words, tree.lengths[node]!);
  }
  return builders.map((builder) => builder.build());
}

/**
 * Collapses nodes below `top` so that at least `need` prefixes are saved there at the least cost; `need` is less than its number of
 * prefixes. Does nothing if that takes too much work, or is impossible without forbidden addresses.
 */
function saveExactly(
  tree: CoverTree,
  top: number,
  need: number,
  bounds: ExactBounds,
): 'done' | 'too much' | 'impossible' {
  const nodes = innerNodes(tree, top);
  const most = (node: number): number => Math.min(need, tree.count[node]! - 1);
  let steps = 0;
  let places = 0;
  for (const node of nodes) {
    steps += (most(tree.left[node]!) + 1) * (most(tree.right[node]!) + 1);
    places += most(node) + 1;
  }
  if (steps > bounds.steps || places > bounds.places) return 'too much';

  const nothing = new Float64Array(1);
  const costs = new Map<number, Float64Array>();
  const splits = new Map<number, Int32Array>();
  for (const node of nodes) {
    const [left, right] = [tree.left[node]!, tree.right[node]!];
    const { cost, split } = combine(costs.get(left) ?? nothing, costs.get(right) ?? nothing, most(node));
    const whole = tree.overCoverage[node]! - tree.taken[node]!;
    for (let saved = 1; saved < cost.length; saved++) {
      if (cost[saved]! <= whole) continue;
      cost[saved] = whole;
      split[saved] = WHOLE;
    }
    costs.set(node, cost);
    splits.set(node, split);
    costs.delete(left);
    costs.delete(right);
  }

  if (costs.get(top)![need] === Infinity) return 'impossible';
  const open: [number, number][] = [[top, need]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [node, saved] = next;
    if (saved === 0) continue;
    const split = splits.get(node)![saved]!;
    if (split === WHOLE) tree.collapse(node);
    else open.push([tree.left[node]!, split], [tree.right[node]!, saved - split]);
  }
  return 'done';
}

/** Marks the choice of collapsing the node itself. */
const WHOLE = -1;

/** The least cost of saving 0 to `most` prefixes in both children, and the left one's part. */
function combine(
  left: Float64Array,
  right: Float64Array,
  most: number,
): { cost: Float64Array; split: Int32Array } {
  const cost = new Float64Array(most + 1).fill(Infinity);
  const split = new Int32Array(most + 1);
  for (let l = 0; l < left.length; l++) {
    for (let r = 0; r < right.length && l + r <= most; r++) {
      const sum = left[l]! + right[r]!;
      if (sum >= cost[l + r]!) continue;
      cost[l + r] = sum;
      split[l + r] = l;
    }
  }
  return { cost, split };
}

/** The inner nodes from `top` down that are not collapsed, children before parents. */
function innerNodes(tree: CoverTree, top: number): number[] {
  const nodes: number[] = [];
  const open = [top];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (!tree.isInner(node)) continue;
    nodes.push(node);
    open.push(tree.left[node]!, tree.right[node]!);
  }
  return nodes.reverse();
}

/** Collapses the cheapest node per saved prefix, until `max` prefixes are left. */
function saveStepwise(tree: CoverTree, max: number, bounds: ExactBounds): void {
  const queue = new NodeQueue(tree);
  for (;;) {
    const left = tree.count[tree.root]!;
    if (left <= max) return;
    const node = queue.take();
    if (tree.overCoverage[node] === Infinity) throw new CannotFit(max);
    if (tree.count[node]! - 1 > left - max && saveExactly(tree, node, left - max, bounds) === 'done') return;
    const below = innerNodes(tree, node);
    tree.collapse(node);
    for (const gone of below) tree.collapsed[gone] = 1;
  }
}

/**
 * Inner nodes, the cheapest first: a binary heap. Collapsing a node only makes the nodes around it more expensive, because it was their
 * cheapest part; so a price is recomputed only when its node reaches the top.
 */
class NodeQueue {
  readonly #tree: CoverTree;
  readonly #heap: Int32Array;
  readonly #prices: Float64Array;
  #size: number;

  constructor(tree: CoverTree) {
    this.#tree = tree;
    this.#heap = tree.order.slice();
    this.#size = this.#heap.length;
    this.#prices = new Float64Array(2 * tree.leafCount - 1);
    for (let i = 0; i < this.#size; i++) this.#prices[this.#heap[i]!] = this.#priceOf(this.#heap[i]!);
    for (let place = (this.#size >> 1) - 1; place >= 0; place--) this.#sink(place);
  }

  take(): number {
    for (;;) {
      const node = this.#heap[0]!;
      const price = this.#tree.collapsed[node] === 1 ? Infinity : this.#priceOf(node);
      if (price === this.#prices[node]) return node;
      this.#prices[node] = price;
      if (price === Infinity) this.#heap[0] = this.#heap[--this.#size]!;
      this.#sink(0);
    }
  }

  /** Over-coverage per prefix that collapsing saves. */
  #priceOf(node: number): number {
    const { overCoverage, taken, count } = this.#tree;
    return (overCoverage[node]! - taken[node]!) / (count[node]! - 1);
  }

  #sink(from: number): void {
    const heap = this.#heap;
    const prices = this.#prices;
    const size = this.#size;
    const node = heap[from]!;
    let place = from;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= size) break;
      if (child + 1 < size && prices[heap[child + 1]!]! < prices[heap[child]!]!) child++;
      if (prices[heap[child]!]! >= prices[node]!) break;
      heap[place] = heap[child]!;
      place = child;
    }
    heap[place] = node;
  }
}
