import type { Database } from '../store/database.ts';
import { claimDueModules, listTenantsWithDueModules } from '../store/schedule.ts';
import type { JobQueue } from './job.ts';
import { requestRefresh } from './refresh-module.ts';

/** How jobs that nobody asked for are signed. */
export const SCHEDULER = 'auto:scheduler';

/** Modules that one transaction takes, so that none of them lasts long. */
const TAKEN_AT_ONCE = 50;

export interface ScheduleTools {
  readonly db: Database;
  readonly queue: JobQueue;
  readonly onFault: (tenantId: string | null, error: unknown) => void;
}

/**
 * Queues a refresh of every module that is due, each once however many processes do this: module and job change in one
 * transaction. What fails for one tenant keeps no other waiting.
 * @returns how many
 */
export async function scheduleRefreshes(tools: ScheduleTools): Promise<number> {
  let queued = 0;
  for (const tenantId of await tools.db.inSystem(listTenantsWithDueModules)) {
    try {
      queued += await scheduleTenant(tools, tenantId);
    } catch (error) {
      tools.onFault(tenantId, error);
    }
  }
  return queued;
}

async function scheduleTenant({ db, queue }: ScheduleTools, tenantId: string): Promise<number> {
  for (let queued = 0; ;) {
    const taken = await db.inTenant(tenantId, async (tx) => {
      const ids = await claimDueModules(tx, TAKEN_AT_ONCE);
      for (const id of ids) await requestRefresh(tx, queue, id, SCHEDULER);
      return ids.length;
    });
    queued += taken;
    if (taken < TAKEN_AT_ONCE) return queued;
  }
}
