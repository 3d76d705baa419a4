import { Job } from '../../api/jobs.ts';
import { RouterStatus } from '../../api/router.ts';
import { requestRouterReload, routerStatus } from '../../control/speakers/router.ts';
import { accepted } from '../answer.ts';
import { tenantRoute } from '../route.ts';

export const routerRoutes = [
  tenantRoute({
    method: 'GET',
    path: '/v1/router/status',
    operation: 'getRouterStatus',
    permission: 'bgp:speakers:read',
    tag: 'speakers',
    summary: 'Read the status of the local routing daemons',
    description:
      'Those that speakers of the mode `local` live in, `builtin` among them, as the processes that drive them told within the last seconds. ' +
      '`error` is in the words of the daemon.',
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
    tag: 'deploy',
    summary: 'Have the local routing daemons read their configuration again',
    description:
      'The daemon checks the configuration first; one that it refuses is not loaded, and the job fails with its words. ' +
      '`result.daemons` of the job says what each daemon did. What GoBGP and FRR have of ours is read back and mended instead; ' +
      '`builtin` has no configuration of its own to read. Only keys of the home tenant and of super roles may: others get 403 `forbidden`.',
    status: 202,
    response: Job,
    handler: async ({ tx, context }) => accepted(await requestRouterReload(tx, context)),
  }),
];
