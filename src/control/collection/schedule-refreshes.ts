import { Problem } from '../../api/problems/problem.ts';
import type { Database } from '../../store/database/database.ts';
import { claimDueModules, listTenantsWithDueModules } from '../../store/modules/schedule.ts';
import type { JobQueue } from '../job.ts';
import { SCHEDULER } from '../actor.ts';
import { requestRefresh } from './refresh-module.ts';

/** Modules per transaction, so that none of them lasts long. */
const TAKEN_AT_ONCE = 50;

export interface ScheduleTools {
  readonly db: Database;
  readonly queue: JobQueue;
  readonly onFault: (tenantId: string | null, error: unknown) => void;
}

/**
 * Queues a refresh of every module that is due, each once however many processes do this: module and job change in one
 * transaction. What fails for one tenant keeps no other waiting.
 * @param tenantIds those that were seen to have modules that are due; default: looks itself
 * @returns how many
 */
export async function scheduleRefreshes(
  tools: ScheduleTools,
  tenantIds?: readonly string[],
): Promise<number> {
  let queued = 0;
  for (const tenantId of tenantIds ?? (await tools.db.alone(listTenantsWithDueModules))) {
    try {
      queued += await scheduleTenant(tools, tenantId);
    } catch (error) {
      tools.onFault(tenantId, error);
    }
  }
  return queued;
}

async function scheduleTenant(tools: ScheduleTools, tenantId: string): Promise<number> {
  let atOnce = TAKEN_AT_ONCE;
  for (let queued = 0; ;) {
    const taken = await takeSome(tools, tenantId, atOnce);
    // A queue that is nearly full takes one after the other until it is; what it does not take stays due.
    if (taken === null && atOnce === 1) return queued;
    if (taken === null) atOnce = 1;
    else queued += taken;
    if (taken !== null && taken < atOnce) return queued;
  }
}

/** @returns how many were queued; null when the tenant may not have that many more waiting jobs */
async function takeSome(
  { db, queue }: ScheduleTools,
  tenantId: string,
  atOnce: number,
): Promise<number | null> {
  try {
    return await db.inTenant(tenantId, async (tx) => {
      const ids = await claimDueModules(tx, atOnce);
      for (const id of ids) await requestRefresh(tx, queue, id, SCHEDULER);
      return ids.length;
    });
  } catch (error) {
    if (error instanceof Problem && error.code === 'quota_exceeded') return null;
    throw error;
  }
}
