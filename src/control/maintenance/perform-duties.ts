import { recordAudit } from '../../store/audit.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { claimDuty, type Duty, listDueDuties } from '../../store/duties.ts';
import { pruneEvents } from '../../store/events.ts';
import { sweepIdempotencyKeys } from '../../store/idempotency.ts';
import { sweepLeases } from '../../store/leases.ts';
import { compactPending } from '../../store/pending-changes.ts';
import { estimateRevisionPrune, requestRevisionPrune } from './prune-revisions.ts';
import type { JobQueue } from '../job.ts';
import { SCHEDULER, type ScheduleTools } from '../collection/schedule-refreshes.ts';

interface PeriodicDuty extends Duty {
  perform(tx: TenantTx, queue: JobQueue): Promise<unknown>;
}

const HOUR = 60;

/** What is done for every tenant without anybody asking, and how often. */
export const DUTIES: readonly PeriodicDuty[] = [
  { name: 'idempotency_keys', everyMinutes: HOUR, perform: sweepIdempotencyKeys },
  { name: 'leases', everyMinutes: 24 * HOUR, perform: sweepLeases },
  { name: 'events', everyMinutes: HOUR, perform: pruneEvents },
  { name: 'pending_changes', everyMinutes: HOUR, perform: compactPending },
  { name: 'revisions', everyMinutes: 24 * HOUR, perform: pruneWhatOutlived },
];

/** Queues the prune where there is something to remove: a job that does nothing would only be read. */
async function pruneWhatOutlived(tx: TenantTx, queue: JobQueue): Promise<void> {
  const { revisions, contents } = await estimateRevisionPrune(tx);
  if (revisions + contents === 0) return;
  const { id } = await requestRevisionPrune(tx, queue, SCHEDULER);
  const changes = { after: { job_id: id, revisions, contents } };
  await recordAudit(tx, { actor: SCHEDULER, action: 'revision.prune', changes });
}

/**
 * Does what is due, each duty of each tenant once however many processes do this: a transaction holds the duty and the note that it
 * is done. One that fails is due again at the next look.
 */
export async function performDuties(
  { db, queue, onFault }: ScheduleTools,
  duties: readonly PeriodicDuty[] = DUTIES,
): Promise<void> {
  for (const { tenant_id: tenantId, name } of await db.inSystem((tx) => listDueDuties(tx, duties))) {
    const duty = duties.find((one) => one.name === name)!;
    try {
      await db.inTenant(tenantId, async (tx) => {
        if (await claimDuty(tx, duty)) await duty.perform(tx, queue);
      });
    } catch (error) {
      onFault(tenantId, error);
    }
  }
}
