import type { LogDirectory } from '../../logs/log-directory.ts';
import { DEFAULT_TENANT } from '../../store/tenants/bootstrap.ts';
import type { Database, TenantTx } from '../../store/database/database.ts';
import { forgetTask, lockScheduledTask, noteScheduledTask } from '../../store/maintenance/periodic-tasks.ts';
import { getSettings } from '../../store/tenants/settings.ts';
import { findTenantBySlug } from '../../store/tenants/tenants.ts';
import { SCHEDULER } from '../actor.ts';
import { nextRun } from './cron.ts';
import { cleanLogsByLimits, readLogLimits } from './runtime-logs.ts';

const TASK = 'runtime_logs';

/**
 * Cleans log files where the schedule of the home tenant has come since the last time, once however many processes look. A time that was
 * missed is made up for once. What fails, such as a volume that is away, is due again at the next look.
 */
export async function cleanScheduledLogs(db: Database, directory: LogDirectory): Promise<void> {
  const home = await db.inSystem((tx) => findTenantBySlug(tx, DEFAULT_TENANT));
  if (home?.status !== 'active') return;
  await db.inTenant(home.id, async (tx) => {
    if (await isDue(tx))
      await cleanLogsByLimits(tx, directory, await readLogLimits(tx), { actor: SCHEDULER }, null);
  });
}

async function isDue(tx: TenantTx): Promise<boolean> {
  const settings = await getSettings(tx, ['runtime_logs_auto_enabled', 'runtime_logs_auto_schedule']);
  if (!settings.runtime_logs_auto_enabled) {
    await forgetTask(tx, TASK);
    return false;
  }
  const task = await lockScheduledTask(tx, TASK);
  if (task === null) return false;
  const due = nextRun(settings.runtime_logs_auto_schedule, task.doneAt);
  if (due === null || due > task.now) return false;
  await noteScheduledTask(tx, TASK, task.now);
  return true;
}
