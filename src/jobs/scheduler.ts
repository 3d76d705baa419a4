import { WakeableLoop } from '../concurrency/wakeable-loop.ts';
import { indexHistory } from '../control/history/index-history.ts';
import { performPeriodicTasks } from '../control/maintenance/perform-periodic-tasks.ts';
import { schedulePolicies } from '../control/maintenance/schedule-policies.ts';
import { cleanScheduledLogs } from '../control/maintenance/schedule-log-cleanup.ts';
import { expireEntries } from '../control/collection/expire-entries.ts';
import { followEdits } from '../control/collection/follow-edits.ts';
import { scheduleRefreshes, type ScheduleTools } from '../control/collection/schedule-refreshes.ts';
import { lookForDueWork } from '../store/entries/expiries.ts';
import { silenceSessions } from '../store/holding/sessions.ts';
import type { LogDirectory } from '../logs/log-directory.ts';

/**
 * Milliseconds between looks at what is due: entries that end, modules, silent sessions, and edits without a hint, such as retried ones. The next end of an entry is known,
 * but a nearer one may be written, or the database's clock may be set.
 */
const DUE_MILLISECONDS = 2_000;
/** Milliseconds between checks for edits that nothing has hinted at. */
const UNHINTED_MILLISECONDS = 60_000;
/** Milliseconds before edits that wait for more edits are checked again, and before a hint takes effect: many may come at once. */
const EDITS_MILLISECONDS = 100;
const HINT_MILLISECONDS = 100;
const LEAST_EXPIRY_MILLISECONDS = 50;
/** Milliseconds between checks for due periodic tasks. */
const TASKS_MILLISECONDS = 30_000;
/** Milliseconds between checks for revisions whose changes must be indexed; nobody waits for that. */
const HISTORY_MILLISECONDS = 10_000;

export interface Scheduler {
  /** Something was edited: check now. */
  hint(): void;
  /** Starts nothing more, and resolves when running work has ended. */
  close(): Promise<void>;
}

/**
 * Starts what happens on a timer. Any number of processes may run it: the database says what is due and who does it.
 * @param logs the log files of this process; null: it has none
 */
export function startScheduler(tools: ScheduleTools, logs: LogDirectory | null = null): Scheduler {
  const onFault = (error: unknown): void => tools.onFault(null, error);
  const repeating = (milliseconds: number, work: () => Promise<unknown>): WakeableLoop =>
    new WakeableLoop({ work, pause: () => milliseconds, onFault });
  let isRipening = false;
  const edits = new WakeableLoop({
    work: async () => {
      isRipening = false;
      isRipening = await followEdits(tools);
    },
    pause: () => (isRipening ? EDITS_MILLISECONDS : UNHINTED_MILLISECONDS),
    least: HINT_MILLISECONDS,
    onFault,
  });
  // Each at its own pace: many ends of one tenant keep no module waiting.
  const underWay = new Map<object, Promise<void>>();
  const begin = (what: object, work: () => Promise<unknown>): void => {
    if (underWay.has(what)) return;
    const done = work()
      .then(() => undefined, onFault)
      .finally(() => underWay.delete(what));
    underWay.set(what, done);
  };
  let nextExpiry: number | null = null;
  const due = new WakeableLoop({
    work: async () => {
      nextExpiry = null;
      const { expiries, refreshing, hasPending, hasSilent } = await tools.db.alone(lookForDueWork);
      if (hasPending) edits.hint(HINT_MILLISECONDS);
      if (hasSilent) begin(silenceSessions, () => tools.db.alone(silenceSessions));
      if (refreshing.length > 0) begin(scheduleRefreshes, () => scheduleRefreshes(tools, refreshing));
      if (expiries.tenantIds.length === 0) nextExpiry = expiries.nextMilliseconds;
      else
        begin(expireEntries, async () => {
          const next = await expireEntries(tools, expiries);
          if (next !== null) due.hint(next);
        });
    },
    pause: () => Math.min(Math.max(nextExpiry ?? Infinity, 0), DUE_MILLISECONDS),
    least: LEAST_EXPIRY_MILLISECONDS,
    onFault,
  });
  let isHistoryLeft = false;
  const history = new WakeableLoop({
    work: async (signal) => {
      isHistoryLeft = false;
      isHistoryLeft = await indexHistory(tools, signal);
    },
    pause: () => (isHistoryLeft ? 0 : HISTORY_MILLISECONDS),
    onFault,
  });
  const loops = [
    edits,
    due,
    history,
    repeating(TASKS_MILLISECONDS, () => performPeriodicTasks(tools)),
    repeating(TASKS_MILLISECONDS, () => schedulePolicies(tools)),
    ...(logs === null ? [] : [repeating(TASKS_MILLISECONDS, () => cleanScheduledLogs(tools.db, logs))]),
  ];
  const stopping = new AbortController();
  const running = Promise.all(loops.map((loop) => loop.run(stopping.signal)));
  return {
    hint: () => edits.hint(HINT_MILLISECONDS),
    async close() {
      stopping.abort();
      await running;
      await Promise.all(underWay.values());
    },
  };
}
