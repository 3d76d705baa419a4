import { ROLE_PERMISSIONS } from '../../../api/access/permissions.ts';
import { Session } from '../../../api/access/session.ts';
import { countPending } from '../../../store/modules/pending-changes.ts';
import { readOwnTenant } from '../../../store/tenants/tenants.ts';
import { tenantRoute } from '../../route.ts';

export const sessionRoutes = [
  tenantRoute({
    method: 'GET',
    path: '/v1/auth/session',
    operation: 'getSession',
    permission: 'bgp:session:read',
    tag: 'session',
    summary:
      'Tell tenant, role and permissions of the key in use, what the tenant may do, and what waits for a revision',
    status: 200,
    response: Session,
    handler: async ({ tx, principal: { tenant, role, key } }) => {
      const { id, slug, name } = tenant;
      const { policy } = await readOwnTenant(tx);
      const pending_changes = await countPending(tx);
      return {
        body: {
          tenant: { id, slug, name },
          ...{ role, permissions: [...ROLE_PERMISSIONS[role]], key, policy, pending_changes },
        },
      };
    },
  }),
];
