import type { JobType } from '../api/jobs.ts';
import { buildTogether } from '../control/revisions/build-together.ts';
import type { JobHandler } from '../control/job.ts';
import { pruneRevisionsJob } from '../control/maintenance/prune-revisions.ts';
import { reconcilePeers } from '../control/speakers/reconcile-peers.ts';
import { rollOut } from '../control/rollout/roll-out.ts';
import { reloadRouters } from '../control/speakers/router.ts';
import { refreshModule, type RefreshTools } from '../control/collection/refresh-module.ts';

/** The one table of what each type of job does. */
export function jobTable(tools: RefreshTools): Readonly<Record<JobType, JobHandler>> {
  return {
    module_refresh: (context) => refreshModule(context, tools),
    revision_build: (context) => buildTogether(context, tools.queue),
    apply: rollOut,
    peer_reconcile: (context) => reconcilePeers(context, tools.queue),
    revision_prune: pruneRevisionsJob,
    router_reload: reloadRouters,
  };
}
