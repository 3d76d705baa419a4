import { ApplyRequest, RAILS } from '../../api/apply.ts';
import { Job } from '../../api/jobs.ts';
import { requestApply } from '../../control/rollout/apply-revision.ts';
import { accepted } from '../answer.ts';
import { tenantRoute } from '../route.ts';

export const applyRoutes = [
  tenantRoute({
    method: 'POST',
    path: '/v1/apply',
    operation: 'apply',
    permission: 'bgp:deploy:write',
    audit: 'revision.apply',
    tag: 'deploy',
    summary: 'Apply a revision to speakers',
    description:
      'The revision is the latest ready one and the speakers are all enabled ones unless the body names others. ' +
      'The `result.speakers` of the job says what each speaker did. A revision that breaks a guardrail, as the guardrails are now, is refused ' +
      'with the code of the guardrail; `override` with all such codes and a `reason` lets it through. A held revision that is applied to all ' +
      'speakers so becomes `ready`, and the latest if none after it is; with `speaker_ids` it stays held. `default_route_forbidden` and ' +
      '`tenant_policy` yield to a super role only. With `deploy_canary_speaker_ids` and `deploy_wave_size` it goes to speakers one after the other; ' +
      '`retry_of` goes to those that a job did not reach.',
    status: 202,
    problems: ['revision_not_ready', 'deploy_frozen', 'conflict', ...RAILS],
    body: ApplyRequest,
    bodyOptional: true,
    example: {},
    response: Job,
    handler: async ({ tx, context, body }) => accepted(await requestApply(tx, context, body)),
  }),
];
