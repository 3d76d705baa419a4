import { Job } from '../../../api/activity/jobs.ts';
import { RouterStatus } from '../../../api/speakers/router.ts';
import { requestRouterReload, routerStatus } from '../../../control/speakers/router.ts';
import { accepted } from '../../answer.ts';
import { tenantRoute } from '../../route.ts';

export const routerRoutes = [
  tenantRoute({
    method: 'GET',
    path: '/v1/router/status',
    operation: 'getRouterStatus',
    permission: 'bgp:speakers:read',
    tag: 'speakers',
    summary: 'Read the status of the local routing daemons',
    description:
      'The daemons that run speakers of mode `local`, including `builtin`, as the processes that drive them reported within the last ' +
      "seconds. `error` has the daemon's own message.",
    status: 200,
    response: RouterStatus,
    handler: async ({ tx }) => ({ body: await routerStatus(tx) }),
  }),
  tenantRoute({
    method: 'POST',
    path: '/v1/router/reload',
    operation: 'reloadRouter',
    permission: 'bgp:deploy:write',
    audit: 'router.reload',
    read: { none: 'It queues a job, and works on daemons of the machine.' },
    tag: 'deploy',
    summary: 'Reload the configuration of the local routing daemons',
    description:
      'The daemon checks the configuration first; one that it refuses is not loaded, and the job fails with its message. ' +
      '`result.daemons` of the job shows the outcome for each daemon. For GoBGP and FRR, the service reads back the configuration of ' +
      'its speakers and corrects it instead; `builtin` has no configuration to read. This is for keys of the home tenant and of ' +
      'super roles: others get 403 `forbidden`.',
    status: 202,
    response: Job,
    handler: async ({ tx, context }) => accepted(await requestRouterReload(tx, context)),
  }),
];
