import { History, HistoryQuery } from '../../../api/lookup/history.ts';
import { readHistory } from '../../../control/history/history.ts';
import { tenantRoute, UNVERSIONED } from '../../route.ts';

export const historyRoutes = [
  tenantRoute({
    method: 'GET',
    path: '/v1/history',
    operation: 'readHistory',
    permission: 'bgp:revisions:read',
    tag: 'lookup',
    summary: 'Read what became of a prefix',
    description:
      'The ready revisions that changed what is announced around or inside the prefix, or which entries contribute it, the newest ' +
      'first; each with its routes and contributors, and since when speakers have announced that. Aggregation may have moved the prefix ' +
      'into another route, which is shown as a change. `oldest` says how far back revisions are kept.',
    status: 200,
    query: HistoryQuery,
    response: History,
    isCompressed: true,
    handler: async ({ tx, query }) => ({ body: await readHistory(tx, query), version: UNVERSIONED }),
  }),
];
