import { Job } from '../../../api/activity/jobs.ts';
import { PostgresMaintenance, PostgresMetrics } from '../../../api/operation/postgres.ts';
import { requireHomeTenant } from '../../../control/access/home-tenant.ts';
import { requestPostgresMaintenance } from '../../../control/maintenance/postgres.ts';
import { readPostgresMetrics } from '../../../store/postgres/metrics.ts';
import { accepted } from '../../answer.ts';
import { tenantRoute } from '../../route.ts';

const tag = 'maintenance';

export const postgresRoutes = [
  tenantRoute({
    method: 'GET',
    path: '/v1/postgres/metrics',
    operation: 'getPostgresMetrics',
    permission: 'bgp:postgres:read',
    tag,
    summary: 'Read how PostgreSQL is',
    description:
      'The server, its connections, WAL, checkpoints, transactions, locks that wait and replication, and every table and index of the ' +
      'service. What the user of `DATABASE_URL` may not see is null, and `unavailable` says why. Metrics `prefixcast_postgres_*` have ' +
      'the same numbers. For keys of the home tenant and of super roles.',
    status: 200,
    problems: ['home_tenant_only'],
    response: PostgresMetrics,
    asksOutside: true,
    handler: ({ principal, services: { db } }) => {
      requireHomeTenant(principal, 'read how PostgreSQL is');
      return Promise.resolve({ outside: async () => ({ body: await db.inSystem(readPostgresMetrics) }) });
    },
  }),
  tenantRoute({
    method: 'POST',
    path: '/v1/postgres/maintenance',
    operation: 'maintainPostgres',
    permission: 'bgp:postgres:write',
    audit: 'postgres.maintain',
    read: { none: 'It queues a job, and works on tables of the service.' },
    tag,
    summary: 'Vacuum, analyze or reindex tables of the service',
    description:
      'Queues a job `postgres_maintenance`, which keeps no request waiting and can be cancelled; what a cancelled `reindex` leaves behind ' +
      'is removed. One at a time, whoever asks: 409 `maintenance_running`. Policies of the kinds `postgres_*` do the same by a ' +
      'schedule. For keys of the home tenant and of super roles.',
    status: 202,
    problems: ['home_tenant_only', 'maintenance_running'],
    body: PostgresMaintenance,
    example: { operation: 'analyze', table: 'audit_record' },
    response: Job,
    handler: async ({ tx, principal, context: { queue, actor }, body }) => {
      requireHomeTenant(principal, 'look after PostgreSQL');
      return accepted(await requestPostgresMaintenance(tx, queue, actor, body));
    },
  }),
];
