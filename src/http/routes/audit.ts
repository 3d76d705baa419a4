import { AuditQuery, AuditRecord } from '../../api/audit.ts';
import { PageOf } from '../../api/page.ts';
import { listAuditRecords } from '../../store/audit.ts';
import { tenantRoute } from '../route.ts';

export const auditRoutes = [
  tenantRoute({
    method: 'GET',
    path: '/v1/audit',
    operation: 'listAuditRecords',
    permission: 'bgp:monitoring:read',
    tag: 'audit',
    summary: 'Read the audit log',
    description:
      'The newest first. Every change is in it with the members that it changed, before and after; the audit log is written in the ' +
      'transaction of the change and never altered.',
    status: 200,
    query: AuditQuery,
    response: PageOf(AuditRecord),
    handler: async ({ tx, query }) => ({ body: await listAuditRecords(tx, query) }),
  }),
];
