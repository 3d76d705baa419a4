import { readlinkSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import { basename } from 'node:path';

const BEHIND = constants.priority.PRIORITY_BELOW_NORMAL;

/**
 * Where more threads want to work than there are processors, this one stands behind the event loop, which has little to do but to do
 * it at once. Only Linux has a priority for each thread; elsewhere nothing happens.
 */
export function standBehindEventLoop(): void {
  try {
    const thread = Number(basename(readlinkSync('/proc/thread-self')));
    if (getPriority(thread) < BEHIND) setPriority(thread, BEHIND);
  } catch {
    // No such file, or nobody may: then it works at the priority that it has.
  }
}
