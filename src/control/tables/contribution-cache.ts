import type { Contribution } from '../../core/tables/revision-table.ts';

/**
 * What modules contribute to revisions, kept so that a revision in which one of a hundred modules changed is built from that
 * one's snapshot alone. A key says all that a contribution follows from, so nothing here can be stale. The least recently used
 * leaves first.
 */
export class ContributionCache {
  readonly #capacity: number;
  readonly #kept = new Map<
    string,
    { readonly contributions: readonly Contribution[]; readonly bytes: number }
  >();
  #bytes = 0;

  constructor(capacityBytes: number) {
    this.#capacity = capacityBytes;
  }

  /** Never more than the capacity. */
  get bytes(): number {
    return this.#bytes;
  }

  get(key: string): readonly Contribution[] | undefined {
    const found = this.#kept.get(key);
    if (found === undefined) return undefined;
    this.#kept.delete(key);
    this.#kept.set(key, found);
    return found.contributions;
  }

  put(key: string, contributions: readonly Contribution[]): void {
    const bytes = sizeOf(contributions) + key.length;
    if (bytes > this.#capacity || this.#kept.has(key)) return;
    this.#kept.set(key, { contributions, bytes });
    this.#bytes += bytes;
    for (const [oldest, { bytes: freed }] of this.#kept) {
      if (this.#bytes <= this.#capacity) break;
      this.#kept.delete(oldest);
      this.#bytes -= freed;
    }
  }
}

/** What an entry costs beside its prefixes, so that a million empty ones fill no memory. */
const ENTRY_BYTES = 512;

function sizeOf(contributions: readonly Contribution[]): number {
  const columns = contributions.map(({ set }) => ENTRY_BYTES + set.words.byteLength + set.lengths.byteLength);
  return columns.reduce((sum, size) => sum + size, ENTRY_BYTES);
}
