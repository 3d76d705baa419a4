import { Wakeup } from './wakeup.ts';

export interface WakeableLoopOptions {
  /** Done again and again, never twice at the same time. @param signal which ends the loop */
  readonly work: (signal: AbortSignal) => Promise<unknown>;
  /** Milliseconds from the end of the work to its next beginning. @param worked how long the work took */
  readonly pause: (worked: number) => number;
  /** No hint begins the work sooner after its end, in milliseconds. */
  readonly least?: number;
  /** Receives what the work throws; the loop goes on. */
  readonly onFault: (error: unknown) => void;
}

/** Work that repeats by the clock, and sooner after a hint. A hint during the work counts for the pause behind it. */
export class WakeableLoop {
  readonly #options: WakeableLoopOptions;
  readonly #wakeup = new Wakeup();

  constructor(options: WakeableLoopOptions) {
    this.#options = options;
  }

  /** There may be something to do: begins the work after this many milliseconds. */
  hint(within = 0): void {
    this.#wakeup.hint(within);
  }

  /** Begins at once. Resolves when the signal has aborted and the work that had begun has ended. */
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

/** For {@link WakeableLoopOptions.pause}: the work begins at this interval in milliseconds, or at once where it took longer. */
export function every(milliseconds: number): (worked: number) => number {
  return (worked) => Math.max(0, milliseconds - worked);
}
