import { Source, SourceQuery } from '../../../api/entries/sources.ts';
import { PageOf } from '../../../api/shapes/page.ts';
import { listSources } from '../../../store/entries/sources.ts';
import { getSetting } from '../../../store/tenants/settings.ts';
import { tenantRoute } from '../../route.ts';

export const sourceRoutes = [
  tenantRoute({
    method: 'GET',
    path: '/v1/sources',
    operation: 'listSources',
    permission: 'bgp:lists:read',
    tag: 'sources',
    summary: 'List the sources of all modules by age',
    description:
      'Every list, AS number and domain that a module reads: when it was last read, why the last attempt failed, and what is retained ' +
      'of the last good one. What was never read comes first, then the longest not read. A source that is read between two pages may come twice; ' +
      'none is left out.',
    status: 200,
    query: SourceQuery,
    response: PageOf(Source),
    handler: async ({ tx, query }) => ({
      body: await listSources(tx, query, await getSetting(tx, 'guard_stale_max_hours')),
    }),
  }),
];
