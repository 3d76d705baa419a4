import { ChangesAnswer, ChangesRequest, Plan, PlanRequest } from '../../../api/revisions/plan.ts';
import { tenantRoute } from '../../route.ts';

/** Bytes: as many entries as one request may bring. */
const BODY_LIMIT = 16 * 1024 * 1024;
const EXAMPLE = {
  changes: [{ method: 'POST', path: '/v1/communities', body: { community: '65000:300', title: 'CDN' } }],
};

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
      'what the revision that follows would announce and withdraw. The first write that would be refused is reported as a fault of ' +
      '`/changes/<index>`. Nothing is kept: no audit record, no job, no event. `dry_run=true` of a write is the plan of that one.',
    status: 200,
    isTakenBack: true,
    body: PlanRequest,
    bodyLimit: BODY_LIMIT,
    example: EXAMPLE,
    response: Plan,
    handler: async (request) => ({ body: await request.services.plan(request, request.body.changes) }),
  }),
  tenantRoute({
    method: 'POST',
    path: '/v1/changes',
    operation: 'carryOutChanges',
    permission: 'bgp:revisions:write',
    audit: { none: 'each of its writes leaves its own record' },
    isSeries: true,
    tag: 'revisions',
    summary: 'Carry out several writes, all or nothing',
    description:
      'The writes of a plan in one transaction, one after the other, as the key may: either all of them are done, or nothing is. The first that is refused is ' +
      'reported as a fault of `/changes/<index>`, with the problem that it has by itself; an `if_match` that does not hold any more is one of these. What they change ' +
      'leads to one revision. Cleaning log files cannot be among them.',
    status: 200,
    problems: ['conflict', 'precondition_failed', 'not_found', 'tenant_policy', 'quota_exceeded'],
    body: ChangesRequest,
    bodyLimit: BODY_LIMIT,
    example: EXAMPLE,
    response: ChangesAnswer,
    handler: async (request) => ({ body: await request.services.carryOut(request, request.body.changes) }),
  }),
];
