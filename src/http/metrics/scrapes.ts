/**
 * What `/metrics` of the API answers. Whoever reaches it may ask, without a key: what names tenants is for them only as long as there is one
 * tenant. As soon as there are more, it takes the key of a role that may read tenants.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import { roleHas } from '../../api/access/permissions.ts';
import { CoalescedRuns } from '../../concurrency/coalesced-runs.ts';
import type { Database } from '../../store/database/database.ts';
import { hasSeveralTenants } from '../../store/tenants/tenants.ts';
import type { Principal } from '../route.ts';

/** Text of metrics: of one registry, or of several. */
export interface MetricsText {
  readonly contentType: string;
  metrics(): Promise<string>;
}

/** The metrics of a process, by who may read them. */
export interface ProcessMetrics {
  /** Of the process, and sums over all tenants. */
  readonly sums: Registry;
  /** What names tenants and what is theirs. */
  readonly named: Registry;
  /** They are answered elsewhere (`APP_METRICS_LISTEN`): at the API only to a key. */
  readonly isServedApart: boolean;
}

/** After a text that took a second to write, four are left to requests. */
const REST = 4;

/** Several registries as one text; what joins either later is included. */
export class AllRegistries implements MetricsText {
  readonly #registries: readonly Registry[];

  constructor(...registries: readonly Registry[]) {
    this.#registries = registries;
  }

  get contentType(): string {
    return this.#registries[0]!.contentType;
  }

  async metrics(): Promise<string> {
    return (await Promise.all(this.#registries.map((registry) => registry.metrics()))).join('');
  }
}

export class Scrapes {
  readonly #db: Database;
  readonly #metrics: ProcessMetrics;
  readonly #all: AllRegistries;
  /** A text of a large service blocks the event loop for long: however many ask at once, it is written once for them. */
  readonly #runs = new CoalescedRuns<string>();
  readonly #restUntil = new Map<string, number>();

  constructor(db: Database, metrics: ProcessMetrics) {
    this.#db = db;
    this.#metrics = metrics;
    this.#all = new AllRegistries(metrics.sums, metrics.named);
  }

  /** @param principal whom the key of the request lets in; null: it has none */
  async read(principal: Principal | null): Promise<{ readonly text: string; readonly mediaType: string }> {
    const [what, source]: [string, MetricsText] = (await this.#mayReadNames(principal))
      ? ['all', this.#all]
      : ['sums', this.#metrics.sums];
    const text = await this.#runs.run(what, async () => {
      const rest = (this.#restUntil.get(what) ?? 0) - performance.now();
      if (rest > 0) await sleep(rest);
      const started = performance.now();
      try {
        return await source.metrics();
      } finally {
        const ended = performance.now();
        this.#restUntil.set(what, ended + (ended - started) * REST);
      }
    });
    return { text, mediaType: source.contentType };
  }

  async #mayReadNames(principal: Principal | null): Promise<boolean> {
    if (principal !== null && roleHas(principal.role, 'tenants:read')) return true;
    if (this.#metrics.isServedApart) return false;
    // The other metrics matter most when the database is away.
    return this.#db.inSystem(hasSeveralTenants).then(
      (has) => !has,
      () => false,
    );
  }
}
