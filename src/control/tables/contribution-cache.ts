import { LRUCache } from 'lru-cache';
import type { Contribution } from '../../core/tables/revision-table.ts';

/**
 * What modules contribute to revisions, kept so that a revision in which one of a hundred modules changed is built from that
 * one's snapshot alone. A key says all that a contribution follows from, so nothing here can be stale. The least recently used
 * leaves first.
 */
export class ContributionCache {
  readonly #kept: LRUCache<string, readonly Contribution[]>;

  constructor(capacityBytes: number) {
    this.#kept = new LRUCache({
      maxSize: capacityBytes,
      sizeCalculation: (contributions, key) => sizeOf(contributions) + key.length,
    });
  }

  /** Never more than the capacity. */
  get bytes(): number {
    return this.#kept.calculatedSize;
  }

  get(key: string): readonly Contribution[] | undefined {
    return this.#kept.get(key);
  }

  /** Keeps them, unless they alone are more than the capacity. */
  put(key: string, contributions: readonly Contribution[]): void {
    if (!this.#kept.has(key)) this.#kept.set(key, contributions);
  }
}

/** What an entry costs beside its prefixes, so that a million empty ones fill no memory. */
const ENTRY_BYTES = 512;

function sizeOf(contributions: readonly Contribution[]): number {
  const columns = contributions.map(({ set }) => ENTRY_BYTES + set.words.byteLength + set.lengths.byteLength);
  return columns.reduce((sum, size) => sum + size, ENTRY_BYTES);
}
