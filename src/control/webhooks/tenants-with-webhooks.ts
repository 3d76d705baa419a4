import type { Database } from '../../store/database/database.ts';
import { listTenantsWithWebhooks } from '../../store/webhooks/webhook-turns.ts';

/** Which tenants may have webhooks, so that the events of all others wake nobody. One that has deleted its webhooks stays here: that costs a look. */
export class TenantsWithWebhooks {
  readonly #db: Database;
  readonly #ids = new Set<string>();
  /** Since the last call of {@link readAgain}. */
  #isRead = false;
  #readings = 0;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Until the answer is there, every tenant may have some; without one, too. Whoever makes a webhook meanwhile is added by a hint. */
  readAgain(): void {
    this.#isRead = false;
    const reading = ++this.#readings;
    this.#db.alone(listTenantsWithWebhooks).then(
      (ids) => {
        for (const id of ids) this.#ids.add(id);
        if (reading === this.#readings) this.#isRead = true;
      },
      () => undefined,
    );
  }

  add(tenantId: string): void {
    this.#ids.add(tenantId);
  }

  mayHave(tenantId: string): boolean {
    return !this.#isRead || this.#ids.has(tenantId);
  }
}
