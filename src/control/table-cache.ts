import { FAMILIES } from '../core/address.ts';
import type { PrefixTable } from '../core/prefix-table.ts';
import { loadTable } from '../store/contents.ts';
import type { TenantTx } from '../store/database.ts';

/** About ten million IPv4 prefixes. */
const CAPACITY_BYTES = 128 * 1024 * 1024;
/** What a lookup derives of a row: the innermost row around it. */
const DERIVED_BYTES = 4;

/**
 * Decoded tables by tenant and content hash, the least recently used leaving first. A content never changes, so nothing here
 * can be stale: who asks reads from the database which content is current.
 */
export class TableCache {
  readonly #capacity: number;
  readonly #tables = new Map<string, { readonly table: PrefixTable; readonly bytes: number }>();
  readonly #loading = new Map<string, Promise<PrefixTable>>();
  #bytes = 0;

  constructor(capacityBytes: number) {
    this.#capacity = capacityBytes;
  }

  /** Bytes of the tables held. At most the capacity, unless one table alone is larger. */
  get bytes(): number {
    return this.#bytes;
  }

  /** @throws {Problem} `not_found` when the content has been pruned */
  async load(tx: TenantTx, contentHash: string): Promise<PrefixTable> {
    const key = `${tx.tenantId} ${contentHash}`;
    const cached = this.#tables.get(key);
    if (cached !== undefined) {
      this.#tables.delete(key);
      this.#tables.set(key, cached);
      return cached.table;
    }
    // Whoever comes while another transaction reads the table waits for it; its failure is not ours, so we try ourselves.
    const loaded = await this.#loading.get(key)?.catch(() => null);
    if (loaded !== undefined && loaded !== null) return loaded;
    const loading = loadTable(tx, contentHash);
    this.#loading.set(key, loading);
    try {
      const table = await loading;
      this.#keep(key, table);
      return table;
    } finally {
      if (this.#loading.get(key) === loading) this.#loading.delete(key);
    }
  }

  #keep(key: string, table: PrefixTable): void {
    if (this.#tables.has(key)) return;
    const bytes = sizeOf(table);
    this.#tables.set(key, { table, bytes });
    this.#bytes += bytes;
    for (const [oldest, { bytes: freed }] of this.#tables) {
      if (this.#bytes <= this.#capacity || this.#tables.size === 1) break;
      this.#tables.delete(oldest);
      this.#bytes -= freed;
    }
  }
}

function sizeOf(table: PrefixTable): number {
  return FAMILIES.reduce((sum, family) => {
    const { words, lengths, labels, size } = table[family];
    return sum + words.byteLength + lengths.byteLength + labels.byteLength + size * DERIVED_BYTES;
  }, 0);
}

/** The tables of this process. */
export const tableCache = new TableCache(CAPACITY_BYTES);
