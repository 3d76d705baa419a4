import { readlinkSync, writeFileSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import { basename } from 'node:path';

const BEHIND = constants.priority.PRIORITY_BELOW_NORMAL;

/**
 * Where more threads want to work than there are processors, this one stands behind the event loop, which has little to do but to do
 * it at once. Only Linux has a priority for each thread; elsewhere nothing happens.
 */
export function standBehindEventLoop(): void {
  attempt(() => lower(Number(basename(readlinkSync('/proc/thread-self')))));
}

/**
 * The same for a process of our own. Where Linux shares the processors among sessions first (sched(7), autogroup), priorities count inside of
 * one only, so that a process that leads a session of its own has to stand behind as a session too.
 */
export function standBehindOthers(process: number): void {
  attempt(() => lower(process));
  attempt(() => writeFileSync(`/proc/${process}/autogroup`, String(BEHIND)));
}

function lower(id: number): void {
  if (getPriority(id) < BEHIND) setPriority(id, BEHIND);
}

/** Where there is no such file, or nobody may do it, the work is done at the priority that it has. */
function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // It stays as it was.
  }
}
