/** Rows of the journal and its outbox; see tables.ts. */
import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type { AuditSeverity } from '../../api/audit.ts';

type Time = ColumnType<string, undefined, string>;
type State = ColumnType<Record<string, unknown> | null, string | null, never>;

export interface AuditRecordTable {
  tenant_id: string;
  id: string;
  at: Time;
  actor: string;
  action: string;
  severity: AuditSeverity;
  resource_type: string;
  resource_id: string | null;
  resource_name: string | null;
  changes_before: State;
  changes_after: State;
  request_id: string | null;
  address: string | null;
  policy_id: string | null;
}

export interface AuditOutboxTable {
  tenant_id: string;
  record_id: string;
  /** Compared by the database only. */
  transaction_id: Generated<string>;
  sequence: GeneratedAlways<number>;
  queued_at: Time;
  refused_at: ColumnType<string | null, undefined, string | null>;
  refusal: ColumnType<string | null, undefined, string | null>;
}

export interface AuditDeliveryTable {
  tenant_id: string;
  holder: string | null;
  lease_expires_at: ColumnType<string, string, string>;
  failures: Generated<number>;
  next_attempt_at: ColumnType<string, string | undefined, string>;
  last_error: string | null;
}
