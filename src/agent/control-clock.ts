import type { ReferenceClock } from '../speakers/reference-times.ts';

/**
 * What time it is. Whether a bundle has expired is the control plane's to say, so its clock counts, as the header `Date` of its
 * answers tells it (RFC 9110, section 6.6.1), and goes on by a clock of ours that nobody can set. The clock of the machine counts
 * until the first answer. Where the control plane's is set back, time goes back: else what it issues then would have expired here.
 */
export class ControlClock implements ReferenceClock {
  readonly #machine: () => number;
  readonly #steady: () => number;
  /** What to add to the steady clock; null: no answer yet. */
  #offset: number | null = null;

  /** Both in milliseconds: since 1970, and since whenever but never set. */
  constructor(machine: () => number = Date.now, steady: () => number = () => performance.now()) {
    this.#machine = machine;
    this.#steady = steady;
  }

  /** Takes the `Date` of an answer that has just come. */
  heard(date: string | undefined): void {
    const time = date === undefined ? NaN : Date.parse(date);
    if (!Number.isNaN(time)) this.#offset = time - this.#steady();
  }

  now(): Date {
    return new Date(this.#offset === null ? this.#machine() : this.#steady() + this.#offset);
  }

  toSteady(machineTime: number): number {
    return machineTime - this.#machine() + this.#steady();
  }

  toReference(steadyTime: number): number | null {
    return this.#offset === null ? null : steadyTime + this.#offset;
  }

  /** Seconds that the machine's clock is ahead of the control plane's; null: not known. To about a second. */
  skew(): number | null {
    return this.#offset === null
      ? null
      : Math.round((this.#machine() - this.#steady() - this.#offset) / 1000);
  }
}
