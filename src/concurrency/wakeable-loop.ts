import { Wakeup } from './wakeup.ts';

export interface WakeableLoopOptions {
  /** Runs repeatedly, never twice at the same time. @param signal ends the loop */
  readonly work: (signal: AbortSignal) => Promise<unknown>;
  /** Milliseconds from the end of the work to its next start. @param worked how long the work took */
  readonly pause: (worked: number) => number;
  /** Milliseconds after the end of the work before which no hint starts it again. */
  readonly least?: number;
  /** Receives what the work throws; the loop continues. */
  readonly onFault: (error: unknown) => void;
}

/** Work that repeats on a timer, and earlier after a hint. A hint during the work shortens the pause after it. */
export class WakeableLoop {
  readonly #options: WakeableLoopOptions;
  readonly #wakeup = new Wakeup();

  constructor(options: WakeableLoopOptions) {
    this.#options = options;
  }

  /** There may be something to do: starts the work after this many milliseconds. */
  hint(within = 0): void {
    this.#wakeup.hint(within);
  }

  /** Starts at once. Resolves when the signal has aborted and the running work has ended. */
  async run(signal: AbortSignal): Promise<void> {
    const { work, pause, least = 0, onFault } = this.#options;
    while (!signal.aborted) {
      const began = performance.now();
      this.#wakeup.forget();
      try {
        await work(signal);
      } catch (error) {
        onFault(error);
      }
      await this.#wakeup.pause(pause(performance.now() - began), { least, signal });
    }
  }
}

/** For {@link WakeableLoopOptions.pause}: the work starts at this interval in milliseconds, or at once if it took longer. */
export function every(milliseconds: number): (worked: number) => number {
  return (worked) => Math.max(0, milliseconds - worked);
}
