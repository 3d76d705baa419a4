import { performDuties } from '../control/perform-duties.ts';
import { scheduleRefreshes, type ScheduleTools } from '../control/collection/schedule-refreshes.ts';
import { silenceSessions } from '../store/sessions.ts';

/** How often the scheduler looks which modules are due, which sessions went silent, and which duties are due. */
const MODULES_MILLISECONDS = 1_000;
const SESSIONS_MILLISECONDS = 5_000;
const DUTIES_MILLISECONDS = 30_000;

export interface Scheduler {
  /** Begins nothing more, and resolves when what has begun has ended. */
  close(): Promise<void>;
}

/** Starts what happens by the clock. Any number of processes may run it: what is due is in the database, and so is whose it is. */
export function startScheduler(tools: ScheduleTools): Scheduler {
  const loops = [
    repeat(MODULES_MILLISECONDS, () => scheduleRefreshes(tools), tools.onFault),
    repeat(SESSIONS_MILLISECONDS, () => tools.db.inSystem(silenceSessions), tools.onFault),
    repeat(DUTIES_MILLISECONDS, () => performDuties(tools), tools.onFault),
  ];
  return {
    async close() {
      await Promise.all(loops.map((loop) => loop.close()));
    },
  };
}

/** Does `work` at once and again and again, the pause beginning when it has ended. */
function repeat(
  milliseconds: number,
  work: () => Promise<unknown>,
  onFault: ScheduleTools['onFault'],
): Scheduler {
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let working: Promise<void> = Promise.resolve();
  const run = async (): Promise<void> => {
    try {
      await work();
    } catch (error) {
      onFault(null, error);
    }
    if (!closed) timer = setTimeout(begin, milliseconds);
  };
  const begin = (): void => {
    working = run();
  };
  begin();
  return {
    async close() {
      closed = true;
      clearTimeout(timer);
      await working;
    },
  };
}
