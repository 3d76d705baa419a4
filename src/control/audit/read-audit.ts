import type { AuditQuery, AuditRecord } from '../../api/activity/audit.ts';
import { fieldProblem } from '../../api/problems/problem.ts';
import type { Page } from '../../api/shapes/page.ts';
import { formatPrefix, parsePrefix } from '../../core/prefix.ts';
import { listAuditRecords } from '../../store/audit/audit.ts';
import type { TenantTx } from '../../store/database/database.ts';

/** A page of the audit log. @throws {Problem} `validation_failed` for a `prefix` that is none */
export function readAudit(tx: TenantTx, query: AuditQuery): Promise<Page<AuditRecord>> {
  if (query.prefix === undefined) return listAuditRecords(tx, query);
  const parsed = parsePrefix(query.prefix.trim());
  if (!parsed.ok) throw fieldProblem('?prefix', `Neither an address nor a prefix. ${parsed.reason}`);
  return listAuditRecords(tx, { ...query, prefix: formatPrefix(parsed.value) });
}
