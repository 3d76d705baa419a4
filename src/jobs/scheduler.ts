import { performDuties } from '../control/maintenance/perform-duties.ts';
import { followEdits } from '../control/collection/follow-edits.ts';
import { scheduleRefreshes, type ScheduleTools } from '../control/collection/schedule-refreshes.ts';
import { silenceSessions } from '../store/sessions.ts';

/** How often the scheduler looks which modules are due, which sessions went silent, and which duties are due. */
const MODULES_MILLISECONDS = 1_000;
/** How soon edits are looked at again that wait for more of them, and how soon after a hint: many may come at once. */
const EDITS_MILLISECONDS = 100;
const HINT_MILLISECONDS = 100;
const SESSIONS_MILLISECONDS = 5_000;
const DUTIES_MILLISECONDS = 30_000;

export interface Scheduler {
  /** Something was edited: look at once. */
  hint(): void;
  /** Begins nothing more, and resolves when what has begun has ended. */
  close(): Promise<void>;
}

/** Starts what happens by the clock. Any number of processes may run it: what is due is in the database, and so is whose it is. */
export function startScheduler(tools: ScheduleTools): Scheduler {
  let isRipening = false;
  const edits = repeat(
    () => (isRipening ? EDITS_MILLISECONDS : MODULES_MILLISECONDS),
    async () => {
      isRipening = false;
      isRipening = await followEdits(tools);
    },
    tools.onFault,
  );
  const loops = [
    edits,
    repeat(
      () => MODULES_MILLISECONDS,
      () => scheduleRefreshes(tools),
      tools.onFault,
    ),
    repeat(
      () => SESSIONS_MILLISECONDS,
      () => tools.db.inSystem(silenceSessions),
      tools.onFault,
    ),
    repeat(
      () => DUTIES_MILLISECONDS,
      () => performDuties(tools),
      tools.onFault,
    ),
  ];
  return {
    hint: () => edits.hint(),
    async close() {
      await Promise.all(loops.map((loop) => loop.close()));
    },
  };
}

/** Does `work` at once and again and again, the pause beginning when it has ended. */
function repeat(
  pause: () => number,
  work: () => Promise<unknown>,
  onFault: ScheduleTools['onFault'],
): Scheduler {
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let working: Promise<void> = Promise.resolve();
  let isWorking = false;
  let isHinted = false;
  const run = async (): Promise<void> => {
    isWorking = true;
    isHinted = false;
    try {
      await work();
    } catch (error) {
      onFault(null, error);
    }
    isWorking = false;
    if (closed) return;
    timer = setTimeout(begin, isHinted ? HINT_MILLISECONDS : pause());
  };
  const begin = (): void => {
    working = run();
  };
  begin();
  return {
    hint() {
      if (isHinted || closed) return;
      isHinted = true;
      if (isWorking) return;
      clearTimeout(timer);
      timer = setTimeout(begin, HINT_MILLISECONDS);
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      await working;
    },
  };
}
