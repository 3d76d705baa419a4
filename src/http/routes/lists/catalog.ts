import { Catalog } from '../../../api/lists/catalog.ts';
import { writeCatalog } from '../../../control/lists/catalog.ts';
import { tenantRoute } from '../../route.ts';

export const catalogRoutes = [
  tenantRoute({
    method: 'GET',
    path: '/v1/router-lists/catalog',
    operation: 'getCatalog',
    permission: 'bgp:lists:read',
    tag: 'lookup',
    summary: 'Read all modules, domains, AS numbers, ranges and communities at once',
    description:
      'One answer without pages, including disabled ones; each list is in the order of creation. It is written while it is read: ' +
      'a catalog of more than 5,000 rows is not of one moment.',
    status: 200,
    response: Catalog,
    isWrittenWhileRead: true,
    handler: ({ tx, services }) =>
      Promise.resolve({ text: writeCatalog(tx, (work) => services.db.inTenant(tx.tenantId, work)) }),
  }),
];
