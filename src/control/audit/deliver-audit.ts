/** Sends the audit logs to the portal: each record at least once, in order for each tenant, however often portal or process fail. */
import {
  claimAuditDeliveries,
  noteAuditRefused,
  noteAuditSent,
  postponeAuditDelivery,
  readUnsentAudit,
  releaseAuditDelivery,
  type AuditClaim,
  type UnsentRecord,
} from '../../store/audit/audit-outbox.ts';
import type { Database } from '../../store/database/database.ts';
import { OutboxDelivery, type Outbox } from '../outbox/deliver-outbox.ts';
import type { Portal } from './audit-portal.ts';

export interface AuditDeliveryOptions {
  readonly db: Database;
  readonly portal: Portal;
  /** What the log keeps: why a tenant's records wait, or which one the portal refused for good. */
  readonly onFault: (tenantId: string | null, detail: string) => void;
  readonly pollMs?: number;
  readonly longestDelaySeconds?: number;
}

/** Tenants that are served side by side, and records of one before the next has its turn. */
const TENANTS_AT_ONCE = 4;
const RECORDS_OF_A_TURN = 100;
/** Longer than the portal takes for a record. */
const LEASE_SECONDS = 20;

/** Begins at once. */
export function deliverAudit(options: AuditDeliveryOptions): Pick<OutboxDelivery<never, never>, 'close'> {
  const { portal, onFault, pollMs = 1_000, longestDelaySeconds = 60 } = options;
  const delivery = new OutboxDelivery<AuditClaim, UnsentRecord>({
    outbox: auditOutbox(options),
    onFault: (claim, error) => onFault(claim?.tenantId ?? null, String(error)),
    places: TENANTS_AT_ONCE,
    leaseSeconds: LEASE_SECONDS,
    ...{ pollMs, longestDelaySeconds },
  });
  return {
    async close() {
      await delivery.close();
      await portal.close();
    },
  };
}

function auditOutbox({ db, portal, onFault }: AuditDeliveryOptions): Outbox<AuditClaim, UnsentRecord> {
  return {
    claim: (holder, busy, limit) =>
      db.alone((tx) =>
        claimAuditDeliveries(
          tx,
          holder,
          busy.map(({ tenantId }) => tenantId),
          limit,
        ),
      ),
    next: ({ tenantId }) => db.inSystem((tx) => readUnsentAudit(tx, tenantId, RECORDS_OF_A_TURN)),
    send: (_claim, unsent, signal) => portal.send(unsent, signal),
    settle: (holder, { tenantId }, { record: { id } }, answer) => {
      if (answer.kind === 'taken') return db.inSystem((tx) => noteAuditSent(tx, tenantId, holder, id));
      const { error } = answer;
      onFault(
        tenantId,
        `The portal refused the audit record ${id}. The service keeps it, and does not send it again: ${error}`,
      );
      return db.inSystem((tx) => noteAuditRefused(tx, tenantId, holder, id, error));
    },
    postpone: async (holder, { tenantId }, _unsent, { seconds, answer: { error } }) => {
      onFault(
        tenantId,
        `The portal took no record, the next attempt is in ${Math.ceil(seconds)} s: ${error}`,
      );
      await db.inSystem((tx) => postponeAuditDelivery(tx, tenantId, holder, seconds, error));
    },
    release: (holder, { tenantId }) => db.inSystem((tx) => releaseAuditDelivery(tx, tenantId, holder)),
  };
}
