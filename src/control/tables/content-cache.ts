import type { TenantTx } from '../../store/database/database.ts';

/**
 * What is made of stored contents, by tenant and the names of these contents, the least recently used leaving first. A content never
 * changes, so nothing here can be stale: who asks reads from the database which content is current.
 */
export class ContentCache<Value> {
  readonly #capacity: number;
  readonly #make: (tx: TenantTx, names: string) => Promise<Value>;
  readonly #sizeOf: (value: Value) => number;
  readonly #values = new Map<string, { readonly value: Value; readonly bytes: number }>();
  readonly #making = new Map<string, Promise<Value>>();
  #bytes = 0;

  constructor(
    capacityBytes: number,
    make: (tx: TenantTx, names: string) => Promise<Value>,
    sizeOf: (value: Value) => number,
  ) {
    this.#capacity = capacityBytes;
    this.#make = make;
    this.#sizeOf = sizeOf;
  }

  /** Bytes of the values held. At most the capacity, unless one value alone is larger. */
  get bytes(): number {
    return this.#bytes;
  }

  /** @throws {Problem} `not_found` when a content has been pruned */
  async load(tx: TenantTx, names: string): Promise<Value> {
    const key = `${tx.tenantId} ${names}`;
    const cached = this.#values.get(key);
    if (cached !== undefined) {
      this.#values.delete(key);
      this.#values.set(key, cached);
      return cached.value;
    }
    // Whoever comes while another transaction reads the content waits for it; its failure is not ours, so we try ourselves.
    const made = await this.#making.get(key)?.catch(() => null);
    if (made !== undefined && made !== null) return made;
    const making = this.#make(tx, names);
    this.#making.set(key, making);
    try {
      const value = await making;
      this.#keep(key, value);
      return value;
    } finally {
      if (this.#making.get(key) === making) this.#making.delete(key);
    }
  }

  #keep(key: string, value: Value): void {
    if (this.#values.has(key)) return;
    const bytes = this.#sizeOf(value);
    this.#values.set(key, { value, bytes });
    this.#bytes += bytes;
    for (const [oldest, { bytes: freed }] of this.#values) {
      if (this.#bytes <= this.#capacity || this.#values.size === 1) break;
      this.#values.delete(oldest);
      this.#bytes -= freed;
    }
  }
}
