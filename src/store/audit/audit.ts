import { sql, type RawBuilder } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import {
  NEWEST_RECORD_FIRST,
  nounOf,
  severityOf,
  type AuditAction,
  type AuditQuery,
  type AuditRecord,
  type AuditSeverity,
} from '../../api/activity/audit.ts';
import { MASK, maskSecrets } from '../../api/activity/audit-masking.ts';
import type { Page } from '../../api/shapes/page.ts';
import { writeTime } from '../database/column-types.ts';
import type { TenantTx } from '../database/database.ts';
import { containing, fetchEach, readSorted, valuesOf, type Place } from '../database/pagination.ts';

type Members = Readonly<Record<string, unknown>>;

export interface NewAuditRecord {
  /** `key:<name>`, `auto:scheduler`, `node:<speaker>` or `cli`. */
  readonly actor: string;
  readonly action: AuditAction;
  /** Only if the action does not determine it; see {@link severityOf}. */
  readonly severity?: AuditSeverity;
  /** Its type is the noun of the action. */
  readonly resource?: { readonly id?: string | null; readonly name?: string | null };
  readonly changes?: { readonly before?: Members | null; readonly after?: Members | null };
  readonly requestId?: string | null;
  readonly address?: string | null;
  readonly policyId?: string | null;
}

/**
 * Adds a record to the tenant's audit log, and to the portal's queue. Call it in the transaction of the change itself, so that neither
 * exists without the other. Secrets are masked here.
 * @param tx the tenant's, or the service's own with the id of the tenant
 */
export async function recordAudit(tx: TenantTx, record: NewAuditRecord): Promise<void> {
  const { actor, action, severity = severityOf(action), resource = {}, changes = {} } = record;
  const id = uuidv7();
  await tx.sql
    .with('written', (db) =>
      db
        .insertInto('audit_record')
        .values({
          tenant_id: tx.tenantId,
          id,
          actor,
          action,
          severity,
          resource_type: nounOf(action),
          resource_id: resource.id ?? null,
          resource_name: resource.name ?? null,
          changes_before: masked(action, changes.before),
          changes_after: masked(action, changes.after),
          request_id: record.requestId ?? null,
          address: record.address ?? null,
          policy_id: record.policyId ?? policyOf(record),
        })
        .returning('id'),
    )
    .insertInto('audit_outbox')
    .values({ tenant_id: tx.tenantId, record_id: id })
    .execute();
}

/** A change of a policy is attributed to that policy. */
function policyOf({ action, resource }: NewAuditRecord): string | null {
  return nounOf(action) === 'maintenance_policy' ? (resource?.id ?? null) : null;
}

function masked(action: AuditAction, members: Members | null | undefined): string | null {
  if (members === null || members === undefined) return null;
  const shown = nounOf(action) === 'webhook' ? withoutPath(members) : members;
  return JSON.stringify(maskSecrets(shown));
}

/** A receiver's URL often contains a secret in its path, and more users may read the audit log than webhooks. */
function withoutPath(members: Members): Members {
  const { url } = members;
  return typeof url === 'string' ? { ...members, url: `${new URL(url).origin}/${MASK}` } : members;
}

export const AUDIT_COLUMNS = [
  'id',
  'at',
  'actor',
  'action',
  'severity',
  'resource_type',
  'resource_id',
  'resource_name',
  'changes_before',
  'changes_after',
  'request_id',
  'address',
  'policy_id',
] as const;

export type AuditRow = Omit<AuditRecord, 'resource' | 'changes'> & {
  readonly resource_type: string;
  readonly resource_id: string | null;
  readonly resource_name: string | null;
  readonly changes_before: Record<string, unknown> | null;
  readonly changes_after: Record<string, unknown> | null;
};

export function presentAuditRecord(row: AuditRow): AuditRecord {
  const { id, at, actor, action, severity, request_id, address, policy_id } = row;
  return {
    id,
    at,
    actor,
    action,
    severity,
    resource: { type: row.resource_type, id: row.resource_id, name: row.resource_name },
    changes: { before: row.changes_before, after: row.changes_after },
    request_id,
    address,
    policy_id,
  };
}

/** Where a page that goes back in time ended. */
export interface Moment {
  /** RFC 3339 with milliseconds. */
  readonly at: string;
  readonly id: string;
}

/** The newest first where the query says nothing else. */
export function listAuditRecords(tx: TenantTx, query: AuditQuery): Promise<Page<AuditRecord>> {
  const { sort = NEWEST_RECORD_FIRST } = query;
  const severities = valuesOf(query.severity);
  const choices = valuesOf(query.action).flatMap((action) =>
    severities.map((severity) => ({ ...query, action, severity })),
  );
  const positionOf = ({ at }: AuditRow): number => Date.parse(at);
  const fetch = (behind: Place | null, limit: number): Promise<AuditRow[]> =>
    fetchEach(
      choices,
      (choice) => auditPage(tx, choice, behind === null ? null : momentOf(behind), limit).execute(),
      { isDescending: sort === NEWEST_RECORD_FIRST, limit, positionOf },
    );
  const sorted: AuditQuery = { ...query, sort };
  return readSorted(tx, 'audit', sorted, fetch, positionOf, presentAuditRecord);
}

function momentOf({ position, id }: Place): Moment {
  return { at: new Date(position).toISOString(), id };
}

/** The ranges that contain the prefix, or are it, as records name them. @param prefix in canonical form */
function rangesAround(prefix: string): RawBuilder<string[]> {
  return sql`ARRAY(
    SELECT network(set_masklen(${prefix}::inet, length))::text FROM generate_series(0, masklen(${prefix}::inet)) length)`;
}

/** What one statement may be asked for. */
export type AuditFilter = Omit<AuditQuery, 'action' | 'severity'> & {
  readonly action?: string | undefined;
  readonly severity?: AuditRecord['severity'] | undefined;
};

/** The statement behind {@link listAuditRecords}. @param behind where the page before ended */
export function auditPage(tx: TenantTx, query: AuditFilter, behind: Moment | null, limit: number) {
  const { id, action, severity, actor, resource_type, resource_id, since, until, policy_id, q, prefix } =
    query;
  const isDescending = (query.sort ?? NEWEST_RECORD_FIRST) === NEWEST_RECORD_FIRST;
  const direction = isDescending ? 'desc' : 'asc';
  const equal = { id, action, severity, actor, resource_type, resource_id, policy_id };
  const filter = JSON.stringify({
    ...equal,
    ...(since === undefined ? {} : { since: writeTime(since) }),
    ...(until === undefined ? {} : { until: writeTime(until) }),
    ...(prefix === undefined || q === undefined ? {} : { q: containing(q) }),
  });
  const { at = null, id: behindId = null } = behind ?? {};
  const page = sql`${filter}::jsonb, ${at}::timestamptz, ${behindId}::uuid, ${isDescending}, ${limit}::int`;
  // Subqueries, which are evaluated once: the functions themselves might be evaluated for each row.
  const isSaid = (text: string) =>
    sql<boolean>`id = ANY((SELECT search_audit_records(${containing(text)}, ${page}))::uuid[])`;
  const isNamed = (around: string) =>
    sql<boolean>`id = ANY((SELECT audit_records_naming(${rangesAround(around)}, ${page}))::uuid[])`;
  let rows = tx.sql.selectFrom('audit_record').select(AUDIT_COLUMNS).where('tenant_id', '=', tx.tenantId);
  for (const [column, value] of Object.entries(equal) as [keyof typeof equal, string | undefined][])
    if (value !== undefined) rows = rows.where(column, '=', value);
  if (since !== undefined) rows = rows.where('at', '>=', writeTime(since));
  if (until !== undefined) rows = rows.where('at', '<', writeTime(until));
  if (prefix !== undefined) rows = rows.where(isNamed(prefix));
  else if (q !== undefined) rows = rows.where(isSaid(q));
  if (behind !== null)
    rows = rows.where((eb) =>
      eb(eb.refTuple('at', 'id'), isDescending ? '<' : '>', eb.tuple(behind.at, behind.id)),
    );
  return rows.orderBy('at', direction).orderBy('id', direction).limit(limit);
}
