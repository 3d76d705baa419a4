/** What a cover has beside the set that it covers, by its largest prefixes: those whose holders somebody asks for. */
import { type PrefixSet, subtract } from '../sets/prefix-set.ts';
import { formatPrefixAt } from '../tables/prefix-table.ts';

const MOST_ADDED_PREFIXES = 10;

interface Sized {
  readonly prefix: string;
  readonly length: number;
}

/** Largest first; of equal ones those that were found first. There may be half a million to choose from. */
export class LargestAdded {
  readonly #kept: Sized[] = [];

  get prefixes(): string[] {
    return this.#kept.map(({ prefix }) => prefix);
  }

  add(set: PrefixSet, cover: PrefixSet): void {
    const beside = subtract(cover, set);
    for (let row = 0; row < beside.size; row++) {
      const length = beside.lengths[row]!;
      if (this.#kept.length === MOST_ADDED_PREFIXES && length >= this.#kept.at(-1)!.length) continue;
      const place = this.#kept.findIndex((kept) => kept.length > length);
      const one = { prefix: formatPrefixAt(beside, row), length };
      this.#kept.splice(place === -1 ? this.#kept.length : place, 0, one);
      this.#kept.length = Math.min(this.#kept.length, MOST_ADDED_PREFIXES);
    }
  }
}
