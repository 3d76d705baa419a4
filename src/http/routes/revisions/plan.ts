import { Plan, PlanRequest } from '../../../api/revisions/plan.ts';
import { tenantRoute } from '../../route.ts';

/** Bytes: as many entries as one request may bring. */
const BODY_LIMIT = 16 * 1024 * 1024;

export const planRoutes = [
  tenantRoute({
    method: 'POST',
    path: '/v1/revisions/plan',
    operation: 'planRevision',
    permission: 'bgp:revisions:read',
    audit: { none: 'takes back whatever it did' },
    tag: 'revisions',
    summary: 'Plan changes before they are made',
    description:
      'Carries the writes out one after the other, as the key may, and takes all of it back: answers what each would be answered, and ' +
      'what the revision that follows would announce and withdraw. The first write that would be refused is told as a fault of ' +
      '`/changes/<index>`. Nothing is kept: no audit record, no job, no event. `dry_run=true` of a write is the plan of that one.',
    status: 200,
    isTakenBack: true,
    body: PlanRequest,
    bodyLimit: BODY_LIMIT,
    example: {
      changes: [{ method: 'POST', path: '/v1/communities', body: { community: '65000:300', title: 'CDN' } }],
    },
    response: Plan,
    handler: async (request) => ({ body: await request.services.plan(request, request.body.changes) }),
  }),
];
