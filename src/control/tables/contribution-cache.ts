import { LRUCache } from 'lru-cache';
import type { Contributed } from './build-revision.ts';

/**
 * What modules contribute to revisions, kept so that a revision in which one of a hundred modules changed is built from that
 * one's snapshot alone. A key says all that a contribution follows from, so nothing here can be stale. The least recently used
 * leaves first.
 */
export class ContributionCache {
  readonly #kept: LRUCache<string, Contributed>;

  constructor(capacityBytes: number) {
    this.#kept = new LRUCache({
      maxSize: capacityBytes,
      sizeCalculation: (contributed, key) => sizeOf(contributed) + key.length,
    });
  }

  /** Never more than the capacity. */
  get bytes(): number {
    return this.#kept.calculatedSize;
  }

  get(key: string): Contributed | undefined {
    return this.#kept.get(key);
  }

  /** Keeps them, unless they alone are more than the capacity. */
  put(key: string, contributed: Contributed): void {
    if (!this.#kept.has(key)) this.#kept.set(key, contributed);
  }
}

/** What an entry costs beside its prefixes, so that a million empty ones fill no memory. */
const ENTRY_BYTES = 512;

function sizeOf({ contributions }: Contributed): number {
  const columns = contributions.map(({ set }) => ENTRY_BYTES + set.words.byteLength + set.lengths.byteLength);
  return columns.reduce((sum, size) => sum + size, ENTRY_BYTES);
}
