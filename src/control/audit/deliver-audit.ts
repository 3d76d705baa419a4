/** Sends the audit logs to the portal: each record at least once, in order for each tenant, however often portal or process fail. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { pauseAfter } from '../../concurrency/backoff.ts';
import {
  claimAuditDeliveries,
  noteAuditRefused,
  noteAuditSent,
  postponeAuditDelivery,
  readUnsentAudit,
  releaseAuditDelivery,
  type AuditClaim,
  type AuditTurn,
} from '../../store/audit/audit-outbox.ts';
import type { Database } from '../../store/database/database.ts';
import type { Portal } from './audit-portal.ts';

export interface AuditDeliveryOptions {
  readonly db: Database;
  readonly portal: Portal;
  /** What the log keeps: why a tenant's records wait, or which one the portal refused for good. */
  readonly onFault: (tenantId: string | null, detail: string) => void;
  readonly pollMs?: number;
  /** Longer than the portal takes for a record, or another process takes over. */
  readonly leaseSeconds?: number;
  readonly longestDelaySeconds?: number;
}

/** Tenants that are served side by side, and records of one before the next has its turn. */
const TENANTS_AT_ONCE = 4;
const RECORDS_OF_A_TURN = 100;

export class AuditDelivery {
  readonly #options: Required<AuditDeliveryOptions>;
  readonly #holder = randomUUID();
  readonly #closing = new AbortController();
  readonly #loop: Promise<void>;

  /** Begins at once. */
  constructor(options: AuditDeliveryOptions) {
    this.#options = { pollMs: 1_000, leaseSeconds: 20, longestDelaySeconds: 60, ...options };
    this.#loop = this.#run();
  }

  /** A record that is on its way may arrive once more with the next start. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#loop;
    await this.#options.portal.close();
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      const sent = await this.#round().catch((error: unknown) => {
        this.#options.onFault(null, String(error));
        return 0;
      });
      if (sent === 0) await sleep(this.#options.pollMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** One turn for every tenant that waits; answers how many records are done with. */
  async #round(): Promise<number> {
    const { db, leaseSeconds } = this.#options;
    const claims = await db.inSystem((tx) =>
      claimAuditDeliveries(tx, this.#holder, leaseSeconds, TENANTS_AT_ONCE),
    );
    const sent = await Promise.all(
      claims.map((claim) =>
        this.#serve(claim).catch((error: unknown) => {
          this.#options.onFault(claim.tenantId, String(error));
          return 0;
        }),
      ),
    );
    return sent.reduce((sum, count) => sum + count, 0);
  }

  async #serve({ tenantId, failures }: AuditClaim): Promise<number> {
    const { db, portal, leaseSeconds, longestDelaySeconds, onFault } = this.#options;
    const turn: AuditTurn = { tenantId, holder: this.#holder, seconds: leaseSeconds };
    const records = await db.inSystem((tx) => readUnsentAudit(tx, tenantId, RECORDS_OF_A_TURN));
    let done = 0;
    for (const unsent of records) {
      const { id } = unsent.record;
      const answer = await portal.send(unsent, this.#closing.signal).catch(() => null);
      if (answer === null) break; // this process stops
      if (answer.kind === 'failed') {
        const delay = Math.max(
          answer.retryAfter,
          pauseAfter(done > 0 ? 0 : failures, 1, longestDelaySeconds),
        );
        onFault(
          tenantId,
          `The portal took no record, the next attempt is in ${Math.ceil(delay)} s: ${answer.error}`,
        );
        await db.inSystem((tx) => postponeAuditDelivery(tx, turn, delay, answer.error));
        return done;
      }
      if (answer.kind === 'refused')
        onFault(
          tenantId,
          `The portal refused the audit record ${id}. The service keeps it, and does not send it again: ${answer.error}`,
        );
      const isOurs = await db.inSystem((tx) =>
        answer.kind === 'taken' ? noteAuditSent(tx, turn, id) : noteAuditRefused(tx, turn, id, answer.error),
      );
      done++;
      if (!isOurs) return done;
    }
    await db.inSystem((tx) => releaseAuditDelivery(tx, turn));
    return done;
  }
}
