import { WakeableLoop } from '../concurrency/wakeable-loop.ts';
import { indexHistory } from '../control/history/index-history.ts';
import { performPeriodicTasks } from '../control/maintenance/perform-periodic-tasks.ts';
import { schedulePolicies } from '../control/maintenance/schedule-policies.ts';
import { cleanScheduledLogs } from '../control/maintenance/schedule-log-cleanup.ts';
import { expireEntries } from '../control/collection/expire-entries.ts';
import { followEdits } from '../control/collection/follow-edits.ts';
import { scheduleRefreshes, type ScheduleTools } from '../control/collection/schedule-refreshes.ts';
import { silenceSessions } from '../store/holding/sessions.ts';
import type { LogDirectory } from '../logs/log-directory.ts';

/** How often the scheduler looks which modules are due, which sessions went silent, and which periodic tasks are due. */
const MODULES_MILLISECONDS = 2_000;
/** How often it looks for edits that it was not told of, such as those that are tried again. */
const UNHINTED_MILLISECONDS = 5_000;
/** How soon edits are looked at again that wait for more of them, and how soon after a hint: many may come at once. */
const EDITS_MILLISECONDS = 100;
const HINT_MILLISECONDS = 100;
/**
 * How often it looks for entries whose time is over: as soon as the next one's is, and all the same now and then, since somebody may write
 * one with an end that is nearer, or set the clock of the database.
 */
const EXPIRIES_MILLISECONDS = 2_000;
const LEAST_EXPIRY_MILLISECONDS = 50;
const SESSIONS_MILLISECONDS = 5_000;
const TASKS_MILLISECONDS = 30_000;
/** How often it looks for revisions whose changes are to be indexed; nobody waits for that. */
const HISTORY_MILLISECONDS = 10_000;

export interface Scheduler {
  /** Something was edited: look at once. */
  hint(): void;
  /** Begins nothing more, and resolves when what has begun has ended. */
  close(): Promise<void>;
}

/**
 * Starts what happens by the clock. Any number of processes may run it: what is due is in the database, and so is whose it is.
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
  let nextExpiry: number | null = null;
  const expiries = new WakeableLoop({
    work: async () => {
      nextExpiry = await expireEntries(tools);
    },
    pause: () => Math.min(Math.max(nextExpiry ?? Infinity, 0), EXPIRIES_MILLISECONDS),
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
    expiries,
    history,
    repeating(MODULES_MILLISECONDS, () => scheduleRefreshes(tools)),
    repeating(SESSIONS_MILLISECONDS, () => tools.db.alone(silenceSessions)),
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
    },
  };
}
