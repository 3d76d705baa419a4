import { LRUCache } from 'lru-cache';

/**
 * Caches values that are expensive to make, by name: concurrent callers share one run, and values are kept while there is room, least
 * recently used out first. A name says everything that its value depends on, so nothing here is stale.
 */
export class ValueCache<Value extends object> {
  readonly #values: LRUCache<string, Value>;
  readonly #making = new Map<string, Promise<Value>>();

  /** @param capacity in bytes; a larger value counts as this much, and is kept alone */
  constructor(capacity: number, sizeOf: (value: Value) => number) {
    const maxSize = Math.floor(capacity);
    this.#values = new LRUCache({
      maxSize,
      sizeCalculation: (value) => Math.min(maxSize, Math.max(1, sizeOf(value))),
    });
  }

  /** Bytes of the values held. */
  get bytes(): number {
    return this.#values.calculatedSize;
  }

  /** @throws what `make` throws; a caller that waited for another's failed `make` runs its own */
  async load(name: string, make: () => Promise<Value>): Promise<Value> {
    const known = this.#values.get(name);
    if (known !== undefined) return known;
    for (let other = this.#making.get(name); other !== undefined; other = this.#making.get(name)) {
      const made = await other.catch(() => undefined);
      if (made !== undefined) return made;
    }
    const making = make();
    this.#making.set(name, making);
    try {
      const value = await making;
      this.#values.set(name, value);
      return value;
    } finally {
      this.#making.delete(name);
    }
  }
}
