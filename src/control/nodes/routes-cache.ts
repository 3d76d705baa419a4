import { digestOf, type PartDigest } from '../../bundle/manifest.ts';
import { encodeRoutes } from '../../bundle/routes-part.ts';
import { ValueCache } from '../../concurrency/value-cache.ts';
import { emptyTable } from '../../core/tables/prefix-table.ts';
import { EMPTY_TABLE_HASH } from '../../core/stored/table-manifest.ts';
import { loadStored } from '../../store/contents/contents.ts';
import type { Database } from '../../store/database/database.ts';
import { routesDeltaOf, routesOf } from '../tables/table-threads.ts';

/** A file of routes, ready to be sent. Many answers send it at once: nobody writes into it. */
export interface RoutesFile extends PartDigest {
  readonly bytes: Uint8Array;
}

/** Of many speakers most run the same revision: some contents of a million routes. */
const CAPACITY_BYTES = 64 * 1024 * 1024;

/** Routes as bundles carry them, by tenant and content hash, so that a thousand nodes which pull one revision are sent one memory. */
export class RoutesCache {
  readonly #db: Database;
  readonly #files: ValueCache<{ readonly file: RoutesFile | null }>;

  constructor(db: Database, capacityBytes = CAPACITY_BYTES) {
    this.#db = db;
    this.#files = new ValueCache(capacityBytes, ({ file }) => file?.length ?? 0);
  }

  /** Bytes held. At most the capacity, unless one file alone is larger. */
  get bytes(): number {
    return this.#files.bytes;
  }

  /**
   * `routes.pct` of a content.
   * @throws {Problem} `not_found` when it has been pruned
   */
  async whole(tenantId: string, contentHash: string): Promise<RoutesFile> {
    const file = await this.#keep(`${tenantId} ${contentHash}`, async () => {
      // That of a bundle which withdraws everything is not stored.
      if (contentHash === EMPTY_TABLE_HASH) return encodeRoutes(emptyTable()).bytes;
      const content = await this.#db.inTenant(tenantId, (tx) => loadStored(tx, contentHash));
      return (await routesOf(content)).bytes;
    });
    return file!;
  }

  /** `routes.delta` from one content to another; null when the contents differ by too much. */
  delta(tenantId: string, before: string, after: string): Promise<RoutesFile | null> {
    return this.#keep(`${tenantId} ${before} ${after}`, async () => {
      const [from, to] = await this.#db.inTenant(tenantId, async (tx) => [
        await loadStored(tx, before),
        await loadStored(tx, after),
      ]);
      return routesDeltaOf(from, to);
    });
  }

  async #keep(name: string, make: () => Promise<Uint8Array | null>): Promise<RoutesFile | null> {
    const { file } = await this.#files.load(name, async () => ({ file: withDigest(await make()) }));
    return file;
  }
}

function withDigest(bytes: Uint8Array | null): RoutesFile | null {
  return bytes === null ? null : { bytes, ...digestOf(bytes) };
}
