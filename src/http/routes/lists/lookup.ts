import { Lookup, LookupQuery } from '../../../api/lists/lookup.ts';
import { lookup, lookupIn } from '../../../control/lookup/lookup.ts';
import { readLookupState } from '../../../control/lookup/read-lookup-state.ts';
import { tenantRoute } from '../../route.ts';

export const lookupRoute = tenantRoute({
  method: 'GET',
  path: '/v1/lookup',
  operation: 'lookup',
  permission: 'bgp:lists:read',
  tag: 'lookup',
  summary: 'Look an address or a domain name up in the lists',
  description:
    'Lists every match in the entries and in the last snapshot of each module, including disabled ones, and under `announced` the ' +
    'routes that enabled speakers announce now. If not every one of them announces it, `not_announced` gives the reasons. No name ' +
    'is resolved.',
  status: 200,
  query: LookupQuery,
  response: Lookup,
  quick: async ({ fresh, query }) => {
    const text = lookupIn(await fresh(readLookupState), query.q);
    return text === null ? null : { text };
  },
  handler: async ({ tx, query }) => ({ text: await lookup(tx, query.q) }),
});

export const lookupRoutes = [lookupRoute];
