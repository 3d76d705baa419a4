import { Holders, HoldersRequest } from '../../../api/lookup/holders.ts';
import { Lookup, LookupQuery, LookupRequest, Lookups } from '../../../api/lookup/lookup.ts';
import { findHolders } from '../../../control/lookup/holders.ts';
import { lookup, lookupPlace } from '../../../control/lookup/lookup.ts';
import { lookupAt, lookupMany } from '../../../control/lookup/lookup-at.ts';
import { readLookupState } from '../../../control/lookup/read-lookup-state.ts';
import { withContent } from '../../../control/differences/diff-revisions.ts';
import { revisionOfBody, revisionOfQuery } from '../../../control/revisions/named-revision.ts';
import { SOURCE_PROBLEMS } from './cdn-preview.ts';
import { typed } from '../../typed.ts';
import { tenantRoute } from '../../route.ts';

export const lookupRoute = tenantRoute({
  method: 'GET',
  path: '/v1/lookup',
  operation: 'lookup',
  permission: 'bgp:lists:read',
  tag: 'lookup',
  summary: 'Look an address, a prefix or a domain name up in the lists',
  description:
    'Lists every match in the entries and in the last snapshot of each module, including disabled ones, and under `announced` the ' +
    'routes that enabled speakers announce now. Of a prefix, that is what contains all of it, and what lies inside it. If not every ' +
    'speaker announces it, `not_announced` gives the reasons. With `at` it answers from a revision: matches in the snapshots that it was ' +
    'built from, as far as their modules and entries still exist, and its routes. No name is resolved.',
  status: 200,
  problems: ['revision_not_ready'],
  query: LookupQuery,
  response: Lookup,
  quick: async ({ fresh, inTenant, query }) => {
    if (query.at !== undefined) return null;
    const text = await lookupPlace(await fresh(readLookupState), query.q, inTenant);
    return text === null ? null : { text };
  },
  handler: async ({ tx, query: { q, at } }) => {
    if (at === undefined) return { text: await lookup(tx, q) };
    return { text: await lookupAt(tx, q, withContent(await revisionOfQuery(tx, 'at', at))) };
  },
});

const holdersRoute = tenantRoute({
  method: 'POST',
  path: '/v1/lookup/holders',
  operation: 'findHolders',
  permission: 'bgp:lists:read',
  audit: { none: 'It only reads.' },
  tag: 'lookup',
  summary: 'Ask which ASes hold addresses',
  description:
    'Such as those that a cover would add (`added_prefixes`). It asks what resolves AS numbers (`APP_ASN_SOURCE`): RIPEstat says who announces them, an IRR server who has ' +
    'registered them, a table what it has. An answer is kept for an hour. For a source that fails, the answer has the code that an entry would show in `last_error`.',
  status: 200,
  problems: [...SOURCE_PROBLEMS, 'source_refused_query', 'rate_limited'],
  body: HoldersRequest,
  example: { prefixes: ['198.51.100.0/24'] },
  response: Holders,
  asksOutside: true,
  handler: ({ tx, body, services }) =>
    Promise.resolve({
      outside: async () => ({ body: await findHolders(tx.tenantId, body, services.asnSource) }),
    }),
});

export const lookupRoutes = [
  lookupRoute,
  holdersRoute,
  tenantRoute({
    method: 'POST',
    path: '/v1/lookup',
    operation: 'lookupMany',
    permission: 'bgp:lists:read',
    audit: { none: 'It only reads.' },
    tag: 'lookup',
    summary: 'Look many addresses, prefixes and domain names up',
    description:
      'Answers each query as a single lookup would, in their order. One that is nothing to look up fails the request.',
    status: 200,
    problems: ['revision_not_ready'],
    isTakenBack: true,
    body: LookupRequest,
    example: { queries: ['8.8.8.8', '198.51.100.0/24', 'www.example.com'] },
    response: typed<Lookups>(Lookups),
    isCompressed: true,
    handler: async ({ tx, body: { queries, at } }) => {
      const revision = at === undefined ? null : withContent(await revisionOfBody(tx, at, '/at'));
      return { text: await lookupMany(tx, queries, revision) };
    },
  }),
];
