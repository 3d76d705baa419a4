import type { JobResults } from '../api/activity/job-results.ts';
import type { JobType } from '../api/activity/jobs.ts';
import { buildCoalesced } from '../control/revisions/coalesced-build.ts';
import type { JobHandler } from '../control/job.ts';
import type { PolicyTools } from '../control/maintenance/policy-kinds.ts';
import { maintainPostgres } from '../control/maintenance/postgres.ts';
import { pruneRevisionsJob } from '../control/maintenance/prune-revisions.ts';
import { runMaintenancePolicy } from '../control/maintenance/run-policy.ts';
import { reconcilePeers } from '../control/speakers/reconcile-peers.ts';
import { runRollout } from '../control/rollout/rollout-job.ts';
import { reloadRouters } from '../control/speakers/router.ts';
import { refreshing, type RefreshTools } from '../control/collection/refresh-module.ts';

/** The one table of what each type of job does. */
export function jobTable(tools: RefreshTools & PolicyTools): {
  readonly [T in JobType]: JobHandler<JobResults[T]>;
} {
  return {
    module_refresh: refreshing(tools),
    revision_build: (context) => buildCoalesced(context, tools.queue),
    apply: runRollout,
    peer_reconcile: (context) => reconcilePeers(context, tools.queue),
    revision_prune: pruneRevisionsJob,
    maintenance_policy_run: (context) => runMaintenancePolicy(context, tools),
    postgres_maintenance: maintainPostgres,
    router_reload: reloadRouters,
  };
}
