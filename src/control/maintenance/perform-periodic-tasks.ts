import { recordAudit } from '../../store/audit/audit.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { claimTask, type PeriodicTask, listDueTasks } from '../../store/maintenance/periodic-tasks.ts';
import { pruneEvents } from '../../store/events.ts';
import { forgetExpired } from '../../store/entries/expiries.ts';
import { forgetRemoved } from '../../store/entries/removed-lists.ts';
import { getSetting } from '../../store/tenants/settings.ts';
import { sweepBrowserSessions } from '../../store/keys/browser-sessions.ts';
import { sweepIdempotencyKeys } from '../../store/idempotency.ts';
import { sweepLeases } from '../../store/holding/leases.ts';
import { compactRangeEdits } from '../../store/entries/range-edits.ts';
import { forgetSteps } from '../../store/revisions/range-steps.ts';
import { compactPending } from '../../store/modules/pending-changes.ts';
import { estimateRevisionPrune, requestRevisionPrune } from './prune-revisions.ts';
import type { JobQueue } from '../job.ts';
import type { ScheduleTools } from '../collection/schedule-refreshes.ts';
import { SCHEDULER } from '../actor.ts';

interface TenantTask extends PeriodicTask {
  perform(tx: TenantTx, queue: JobQueue): Promise<unknown>;
}

const HOUR = 60;

/** What is done for every tenant without anybody asking, and how often. */
const PERIODIC_TASKS: readonly TenantTask[] = [
  { name: 'idempotency_keys', everyMinutes: 10, perform: (tx) => sweepIdempotencyKeys(tx) },
  { name: 'browser_sessions', everyMinutes: HOUR, perform: sweepBrowserSessions },
  { name: 'leases', everyMinutes: 24 * HOUR, perform: sweepLeases },
  { name: 'events', everyMinutes: HOUR, perform: pruneEvents },
  { name: 'expired_entries', everyMinutes: 24 * HOUR, perform: forgetExpired },
  { name: 'removed_lists', everyMinutes: HOUR, perform: forgetOldRemovals },
  { name: 'pending_changes', everyMinutes: HOUR, perform: compactPending },
  { name: 'range_edits', everyMinutes: HOUR, perform: compactRangeEdits },
  { name: 'range_steps', everyMinutes: HOUR, perform: forgetSteps },
  { name: 'revisions', everyMinutes: 24 * HOUR, perform: pruneWhatOutlived },
];

async function forgetOldRemovals(tx: TenantTx): Promise<void> {
  await forgetRemoved(tx, await getSetting(tx, 'removed_retention_days'));
}

/** Queues the prune where there is something to remove: a job that does nothing would only be read. */
async function pruneWhatOutlived(tx: TenantTx, queue: JobQueue): Promise<void> {
  const { revisions, contents } = await estimateRevisionPrune(tx);
  if (revisions + contents === 0) return;
  const { id } = await requestRevisionPrune(tx, queue, SCHEDULER);
  const changes = { after: { job_id: id, revisions, contents } };
  await recordAudit(tx, { actor: SCHEDULER, action: 'revision.prune', changes });
}

/**
 * Does what is due, each task of each tenant once however many processes do this: a transaction holds the task and the note that it
 * is done. One that fails is due again at the next look.
 */
export async function performPeriodicTasks(
  { db, queue, onFault }: ScheduleTools,
  tasks: readonly TenantTask[] = PERIODIC_TASKS,
): Promise<void> {
  for (const { tenant_id: tenantId, name } of await db.alone((tx) => listDueTasks(tx, tasks))) {
    const task = tasks.find((one) => one.name === name)!;
    try {
      await db.inTenant(tenantId, async (tx) => {
        if (await claimTask(tx, task)) await task.perform(tx, queue);
      });
    } catch (error) {
      onFault(tenantId, error);
    }
  }
}
