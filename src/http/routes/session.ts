import { ROLE_PERMISSIONS } from '../../api/permissions.ts';
import { Session } from '../../api/session.ts';
import { tenantRoute } from '../route.ts';

export const sessionRoutes = [
  tenantRoute({
    method: 'GET',
    path: '/v1/auth/session',
    operation: 'getSession',
    permission: 'bgp:session:read',
    tag: 'session',
    summary: 'Tell tenant, role and permissions of the key in use',
    status: 200,
    response: Session,
    handler: ({ principal: { tenant, role, key } }) => {
      const { id, slug, name } = tenant;
      return Promise.resolve({
        body: { tenant: { id, slug, name }, role, permissions: [...ROLE_PERMISSIONS[role]], key },
      });
    },
  }),
];
