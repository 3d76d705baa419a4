import { setTimeout as sleep } from 'node:timers/promises';

/** Ends early with the signal. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal }).catch(() => undefined);
}

/** Whether the work ends within the time; it goes on all the same. @param work which does not fail */
export async function endsWithin(work: Promise<void>, milliseconds: number): Promise<boolean> {
  const over = new AbortController();
  const late = sleep(milliseconds, false, { signal: over.signal }).catch(() => false);
  const isEnded = await Promise.race([work.then(() => true), late]);
  over.abort();
  return isEnded;
}
