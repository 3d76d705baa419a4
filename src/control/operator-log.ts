import { LRUCache } from 'lru-cache';
import { SerialQueue } from '../concurrency/serial-queue.ts';
import { levelOf, type OperatorEvent } from '../api/activity/operator-events.ts';
import type { Database } from '../store/database/database.ts';
import { DEFAULT_TENANT } from '../store/tenants/bootstrap.ts';
import { findTenantSlug } from '../store/tenants/tenants.ts';

/** The part of a pino logger that is used. */
export interface LineLog {
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
}

/** How long the name of a tenant is cached, and of how many: tenants come and go as long as the process runs. */
const SLUG_MILLISECONDS = 60_000;
const MOST_SLUGS = 1_000;

/** Writes the events for operators to the log, in order, each with the name of its tenant. */
export class OperatorLog {
  readonly #db: Pick<Database, 'inSystem'>;
  readonly #log: LineLog;
  readonly #slugs = new LRUCache<string, { readonly slug: string | null; readonly until: number }>({
    max: MOST_SLUGS,
  });
  readonly #lines = new SerialQueue();

  constructor(db: Pick<Database, 'inSystem'>, log: LineLog) {
    this.#db = db;
    this.#log = log;
  }

  write(tenantId: string, written: OperatorEvent): void {
    const { event, text, fields } = written;
    void this.#lines.run(async () => {
      const tenant = await this.#slugOf(tenantId);
      const all = { event, tenant_id: tenantId, ...(tenant === null ? {} : { tenant }), ...fields };
      this.#log[levelOf(written)](
        all,
        tenant === null || tenant === DEFAULT_TENANT ? text : `Tenant ${tenant}: ${text}`,
      );
    });
  }

  /** Resolves when all events are written. */
  close(): Promise<void> {
    return this.#lines.idle();
  }

  /** Null while the database does not answer: a line without the name is better than none. */
  async #slugOf(tenantId: string): Promise<string | null> {
    const known = this.#slugs.get(tenantId);
    if (known !== undefined && known.until > performance.now()) return known.slug;
    try {
      const slug = await this.#db.inSystem((tx) => findTenantSlug(tx, tenantId));
      this.#slugs.set(tenantId, { slug, until: performance.now() + SLUG_MILLISECONDS });
      return slug;
    } catch {
      return known?.slug ?? null;
    }
  }
}
