import type { JobType } from '../api/jobs.ts';
import { buildTogether } from '../control/build-together.ts';
import type { JobHandler } from '../control/job.ts';
import { pruneRevisionsJob } from '../control/prune-revisions.ts';
import { reconcilePeers } from '../control/reconcile-peers.ts';
import { rollOut } from '../control/roll-out.ts';
import { reloadRouters } from '../control/router.ts';
import { refreshModule, type RefreshTools } from '../control/refresh-module.ts';

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
