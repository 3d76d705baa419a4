/** Sets of labels: their order, and a number for each, so that a row of a table carries one number instead of a list of strings. */

/** Order of labels wherever they are sorted: by UTF-16 code unit, the same on every machine. */
export function compareLabels(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Order of label sets: the first label that differs decides, otherwise the shorter set comes first. */
export function compareLabelSets(a: readonly string[], b: readonly string[]): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const order = compareLabels(a[i]!, b[i]!);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/**
 * Limit of the characters in the label sets of a stored table, where a label counts in each set that has it: a block of kilobytes can
 * repeat one label of megabytes in a thousand sets.
 */
export const MAX_LABEL_CHARACTERS = 2 ** 28;

/** The number of the empty set. */
const EMPTY_SET = 0;

/**
 * Sets are extended one label at a time, in ascending order of rank: set {a, b} is set {a} extended by b. Every (set, rank) step is
 * remembered, so equal sets get equal numbers without being compared.
 */
export class LabelSetInterner {
  readonly #labels: readonly string[];
  readonly #steps = new Map<number, number>();
  readonly #parents: number[] = [-1];
  readonly #ranks: number[] = [-1];
  /** The first step is by far the most frequent, since most rows have one label. */
  readonly #singles: Int32Array;
  readonly #used = new Set<number>();

  /** `labels` in ascending order; a rank is an index into it. */
  constructor(labels: readonly string[]) {
    this.#labels = labels;
    this.#singles = new Int32Array(labels.length).fill(-1);
  }

  /** The number of `set` with the label of `rank`, which must not be below the ranks in the set. */
  extend(set: number, rank: number): number {
    if (this.#ranks[set] === rank) return set;
    if (set === EMPTY_SET) {
      const known = this.#singles[rank]!;
      return known >= 0 ? known : (this.#singles[rank] = this.#append(set, rank));
    }
    const step = set * this.#labels.length + rank;
    let next = this.#steps.get(step);
    if (next === undefined) {
      next = this.#append(set, rank);
      this.#steps.set(step, next);
    }
    return next;
  }

  /** Marks the sets of the rows as used; sets that were only intermediate steps are not kept. */
  use(sets: Uint32Array): void {
    let last = -1;
    for (const set of sets) {
      if (set !== last) this.#used.add(set);
      last = set;
    }
  }

  /** The used sets in ascending order, and the place of each number among them. */
  finish(): { labelSets: readonly (readonly string[])[]; places: Uint32Array } {
    const sets = Array.from(this.#used, (set) => ({ set, ranks: this.#ranksOf(set) }));
    sets.sort((a, b) => compareRanks(a.ranks, b.ranks));
    const places = new Uint32Array(this.#parents.length);
    sets.forEach(({ set }, place) => (places[set] = place));
    return { labelSets: sets.map(({ ranks }) => ranks.map((rank) => this.#labels[rank]!)), places };
  }

  #append(parent: number, rank: number): number {
    this.#parents.push(parent);
    this.#ranks.push(rank);
    return this.#parents.length - 1;
  }

  #ranksOf(set: number): number[] {
    const ranks: number[] = [];
    for (let s = set; s !== EMPTY_SET; s = this.#parents[s]!) ranks.push(this.#ranks[s]!);
    return ranks.reverse();
  }
}

/** {@link compareLabelSets} on ranks, which are faster to compare. */
function compareRanks(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    if (a[i] !== b[i]) return a[i]! - b[i]!;
  }
  return a.length - b.length;
}
