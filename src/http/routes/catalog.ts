import { Catalog } from '../../api/catalog.ts';
import { readCatalog } from '../../control/catalog.ts';
import { tenantRoute } from '../route.ts';

export const catalogRoutes = [
  tenantRoute({
    method: 'GET',
    path: '/v1/router-lists/catalog',
    operation: 'getCatalog',
    permission: 'bgp:lists:read',
    tag: 'lookup',
    summary: 'Read all modules, domains, AS numbers, ranges and communities at once',
    description: 'One answer without pages, including disabled ones; each list is in the order of creation.',
    status: 200,
    response: Catalog,
    handler: async ({ tx }) => ({ body: await readCatalog(tx) }),
  }),
];
