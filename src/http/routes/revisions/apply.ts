import { ApplyRequest } from '../../../api/revisions/apply.ts';
import { GUARDRAIL_CODES } from '../../../api/revisions/guardrail-codes.ts';
import { Job } from '../../../api/activity/jobs.ts';
import { requestApply } from '../../../control/rollout/apply-revision.ts';
import { accepted } from '../../answer.ts';
import { tenantRoute } from '../../route.ts';

export const applyRoutes = [
  tenantRoute({
    method: 'POST',
    path: '/v1/apply',
    operation: 'apply',
    permission: 'bgp:deploy:write',
    audit: 'revision.apply',
    read: { none: 'It queues a job; the answer says what was asked.' },
    tag: 'deploy',
    summary: 'Apply a revision to speakers',
    description:
      'By default, this applies the latest ready revision to all enabled speakers. `result.speakers` of the job shows the outcome ' +
      'for each speaker. A revision that breaks a current guardrail is refused with the code of the guardrail; `override` with all ' +
      'such codes and a `reason` overrides them. A held revision that is applied to all speakers in this way becomes `ready`, and ' +
      'the latest if no later one is ready; with `speaker_ids` it stays held. Only a super role can override ' +
      '`default_route_forbidden` and `tenant_policy`. With `deploy_canary_speaker_ids` and `deploy_wave_size` the apply goes to ' +
      'speakers in phases; `retry_of` applies to the speakers that a job did not reach.',
    status: 202,
    problems: ['revision_not_ready', 'deploy_frozen', 'conflict', ...GUARDRAIL_CODES],
    body: ApplyRequest,
    bodyOptional: true,
    example: { revision_id: 'latest' },
    response: Job,
    handler: async ({ tx, context, body }) => accepted(await requestApply(tx, context, body)),
  }),
];
