import { ValueCache } from '../../concurrency/value-cache.ts';
import type { TenantTx } from '../../store/database/database.ts';

/**
 * What is made of stored contents, by tenant and the names of these contents. A content never changes: who asks reads from the database
 * which content is current.
 */
export class ContentCache<Value extends object> {
  readonly #make: (tx: TenantTx, names: string) => Promise<Value>;
  readonly #values: ValueCache<Value>;

  constructor(
    capacityBytes: number,
    make: (tx: TenantTx, names: string) => Promise<Value>,
    sizeOf: (value: Value) => number,
  ) {
    this.#make = make;
    this.#values = new ValueCache(capacityBytes, sizeOf);
  }

  /** Bytes of the values held. */
  get bytes(): number {
    return this.#values.bytes;
  }

  /** Who waited for a transaction that fails makes the value in its own. @throws {Problem} `not_found` when a content has been pruned */
  load(tx: TenantTx, names: string): Promise<Value> {
    return this.#values.load(`${tx.tenantId} ${names}`, () => this.#make(tx, names));
  }
}
