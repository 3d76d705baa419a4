import { LRUCache } from 'lru-cache';

/**
 * Caches values that are expensive to make, by name: concurrent callers share one run, and values are kept while there is room, least
 * recently used out first. A name says everything that its value depends on, so nothing here is stale. Where names belong to groups, such as tenants,
 * the group that has most of the room loses its own: one with many large values pushes out none of the others'.
 */
export class ValueCache<Value extends object> {
  readonly #values: LRUCache<string, Value>;
  readonly #making = new Map<string, Promise<Value>>();
  readonly #capacity: number;
  readonly #sizeOf: (value: Value) => number;
  readonly #groupOf: ((name: string) => string) | null;

  /**
   * @param capacity in bytes; a larger value counts as this much, and is kept alone
   * @param groupOf whose a name is; without it all are of one group
   */
  constructor(
    capacity: number,
    sizeOf: (value: Value) => number,
    groupOf: ((name: string) => string) | null = null,
  ) {
    const maxSize = Math.floor(capacity);
    this.#capacity = maxSize;
    this.#sizeOf = (value) => Math.min(maxSize, Math.max(1, sizeOf(value)));
    this.#groupOf = groupOf;
    this.#values = new LRUCache({ maxSize, sizeCalculation: this.#sizeOf });
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
      if (this.#groupOf !== null) this.#makeRoom(this.#groupOf, this.#groupOf(name), this.#sizeOf(value));
      this.#values.set(name, value);
      return value;
    } finally {
      this.#making.delete(name);
    }
  }

  /** For a value of the group and of this size, which counts as the group's. */
  #makeRoom(groupOf: (name: string) => string, group: string, size: number): void {
    while (this.#values.calculatedSize + size > this.#capacity) {
      const bytes = new Map([[group, size]]);
      const oldest = new Map<string, string>();
      for (const name of this.#values.rkeys()) {
        const own = groupOf(name);
        bytes.set(own, (bytes.get(own) ?? 0) + this.#sizeOf(this.#values.peek(name)!));
        if (!oldest.has(own)) oldest.set(own, name);
      }
      const [first] = [...oldest].sort(([a], [b]) => bytes.get(b)! - bytes.get(a)!);
      if (first === undefined) return;
      this.#values.delete(first[1]);
    }
  }
}
