import { readlinkSync, writeFileSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import { basename } from 'node:path';

const BEHIND = constants.priority.PRIORITY_BELOW_NORMAL;

/**
 * Lowers the priority of this thread below that of the event loop, whose work is short but urgent. Only Linux has a priority for each
 * thread; elsewhere this does nothing.
 */
export function standBehindEventLoop(): void {
  attempt(() => lower(Number(basename(readlinkSync('/proc/thread-self')))));
}

/**
 * The same for a child process. Where Linux shares the processors among sessions first (sched(7), autogroup), priorities count only within
 * a session, so the session of a process that leads one is lowered as well.
 */
export function standBehindOthers(process: number): void {
  attempt(() => lower(process));
  attempt(() => writeFileSync(`/proc/${process}/autogroup`, String(BEHIND)));
}

function lower(id: number): void {
  if (getPriority(id) < BEHIND) setPriority(id, BEHIND);
}

/** Without such a file, or without permission, the priority stays as it is. */
function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // The priority stays as it was.
  }
}
