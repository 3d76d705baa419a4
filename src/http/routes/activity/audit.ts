import { AuditQuery, AuditRecord } from '../../../api/activity/audit.ts';
import { PageOf } from '../../../api/shapes/page.ts';
import { readAudit } from '../../../control/audit/read-audit.ts';
import { tenantRoute } from '../../route.ts';

export const auditRoutes = [
  tenantRoute({
    method: 'GET',
    path: '/v1/audit',
    operation: 'listAuditRecords',
    permission: 'bgp:monitoring:read',
    tag: 'audit',
    summary: 'Read the audit log',
    description:
      'Newest first. The audit log records every change with the changed members, before and after. It is written in the transaction ' +
      'of the change and never altered. What touches entries names them: one as its resource, many in `created_entries`, ' +
      '`changed_entries`, `updated_entries`, `deleted_entries` and `restored_entries` of `changes.after`, at most 100 of each; `more_entries` counts those left out.',
    status: 200,
    query: AuditQuery,
    response: PageOf(AuditRecord),
    handler: async ({ tx, query }) => ({ body: await readAudit(tx, query) }),
  }),
];
