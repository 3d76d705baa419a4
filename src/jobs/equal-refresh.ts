import { Wakeup } from '../concurrency/wakeup.ts';
import type { Database } from '../store/database/database.ts';
import { EVENTS_CHANNEL } from '../store/events.ts';
import { waitsForEqual } from '../store/jobs/jobs.ts';

/** Milliseconds between checks: a job that ends sends a hint, but hints may be lost. */
const UNHINTED_MILLISECONDS = 1_000;
/** Seconds: a longer job may wait for a source that does not answer, and is not waited for. */
export const EQUAL_SECONDS = 10;

/**
 * Waits while another refresh of the same module runs, so that requests meanwhile share the one that waits, and no source is read twice at
 * once.
 * @throws the reason of the signal
 */
export async function untilEqualRefreshEnds(
  db: Database,
  tenantId: string,
  jobId: string,
  signal: AbortSignal,
): Promise<void> {
  const waits = (): Promise<boolean> => db.alone((tx) => waitsForEqual(tx, tenantId, jobId, EQUAL_SECONDS));
  if (!(await waits())) return;
  const wakeup = new Wakeup();
  const hints = db.listen(EVENTS_CHANNEL, (tenant) => {
    if (tenant === null || tenant === tenantId) wakeup.hint();
  });
  try {
    for (wakeup.forget(); await waits(); wakeup.forget()) {
      await wakeup.pause(UNHINTED_MILLISECONDS, { signal });
      signal.throwIfAborted();
    }
  } finally {
    hints.close();
  }
}
