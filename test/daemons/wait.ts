import { setTimeout as sleep } from 'node:timers/promises';

/** How long a test waits before it gives up. A test that passes never waits that long, and a machine may be ten times as busy as another. */
export const PATIENCE_MS = 180_000;

export interface WaitOptions {
  /** What is waited for, as the end of "gave up waiting for …". */
  what: string;
  /** Default {@link PATIENCE_MS}. */
  timeoutMs?: number;
  /** First pause between two attempts; default 50 ms. It grows to half a second: asking costs the one who is asked. */
  everyMs?: number;
  /** Added to the error, such as the tail of a log. */
  details?: () => string;
}

/**
 * Asks `attempt` again and again until it answers neither `undefined` nor `false`, and returns that answer. An
 * attempt that throws counts as not yet; its error is part of the one thrown in the end.
 */
export async function waitFor<T>(
  attempt: () => Promise<T | undefined | false> | T | undefined | false,
  options: WaitOptions,
): Promise<T> {
  const { what, timeoutMs = PATIENCE_MS, everyMs = 50, details } = options;
  const start = performance.now();
  let failure: unknown;
  for (;;) {
    try {
      const answer = await attempt();
      if (answer !== undefined && answer !== false) return answer;
      failure = undefined;
    } catch (error) {
      failure = error;
    }
    const waited = performance.now() - start;
    if (waited > timeoutMs) {
      const reason = failure instanceof Error ? `; last error: ${failure.message}` : '';
      const more = details === undefined ? '' : `\n${details()}`;
      throw new Error(`gave up waiting for ${what} after ${timeoutMs} ms${reason}${more}`);
    }
    await sleep(Math.max(everyMs, Math.min(waited / 10, 500)));
  }
}
