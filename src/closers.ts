import { setTimeout as sleep } from 'node:timers/promises';

/** What one part has to stop in, and from when on parts are waited for no longer than that: systemd kills a service after 90 s. */
const PART_MS = 20_000;
const ALL_MS = 30_000;
const LATE_MS = 1_000;

interface Part {
  readonly what: string;
  readonly close: () => Promise<void>;
  readonly withinMs: number | null;
}

/** Why a part is not waited for any longer. */
export class StopTimeout extends Error {
  override readonly name = 'StopTimeout';
}

/**
 * How each thing that was started is stopped; the last one first. One that takes too long is left behind, as a kill would leave it: what it was
 * doing is taken up again elsewhere.
 */
export class Closers {
  readonly #parts: Part[] = [];
  readonly #limits: { readonly partMs: number; readonly allMs: number; readonly lateMs: number };

  constructor(limits = { partMs: PART_MS, allMs: ALL_MS, lateMs: LATE_MS }) {
    this.#limits = limits;
  }

  /** @param withinMs for one that has a time limit of its own */
  push(what: string, close: () => Promise<void>, withinMs: number | null = null): void {
    this.#parts.push({ what, close, withinMs });
  }

  /** Stops all of them. @param onFault gets the part that did not stop, or not cleanly */
  async close(onFault: (what: string, error: unknown) => void): Promise<void> {
    const { partMs, allMs, lateMs } = this.#limits;
    const end = performance.now() + allMs;
    for (let part = this.#parts.pop(); part !== undefined; part = this.#parts.pop()) {
      const { what, close, withinMs } = part;
      const left = withinMs ?? Math.max(lateMs, Math.min(partMs, end - performance.now()));
      const stopped = new AbortController();
      const late = sleep(left, undefined, { signal: stopped.signal }).then(() => {
        throw new StopTimeout(
          `It has not stopped within ${(left / 1_000).toFixed(1)} s, and is left behind.`,
        );
      });
      await Promise.race([close(), late]).catch((error: unknown) => onFault(what, error));
      stopped.abort();
    }
  }
}
