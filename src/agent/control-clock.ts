import type { ReferenceClock } from '../speakers/reference-times.ts';

/**
 * The current time. The control plane decides whether a bundle has expired, so its clock counts: it is read from the `Date` header of its
 * answers (RFC 9110, section 6.6.1) and carried on by a steady clock that cannot be set. The machine's clock counts until the first answer.
 * If the control plane's clock is set back, time goes back here too: otherwise its new bundles would seem expired.
 */
export class ControlClock implements ReferenceClock {
  readonly #machine: () => number;
  readonly #steady: () => number;
  /** Difference to the steady clock; null: no answer yet. */
  #offset: number | null = null;

  /** Both in milliseconds: since 1970, and since an arbitrary moment. */
  constructor(machine: () => number = Date.now, steady: () => number = () => performance.now()) {
    this.#machine = machine;
    this.#steady = steady;
  }

  /** Takes the `Date` of an answer that has just arrived. */
  observe(date: string | undefined): void {
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

  /** Seconds by which the machine's clock is ahead of the control plane's, to about a second; null: unknown. */
  skew(): number | null {
    return this.#offset === null
      ? null
      : Math.round((this.#machine() - this.#steady() - this.#offset) / 1000);
  }
}
