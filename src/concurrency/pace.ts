/** How much each group may take a second of what all groups share, such as bytes that are read, after what it may take at once. */

/** Groups of which something is remembered; of those that have paused long enough nothing needs to be. */
const REMEMBERED = 1_000;

export interface PaceLimits {
  readonly perSecond: number;
  /** What may be taken at once after a pause. */
  readonly atOnce: number;
}

interface Allowance {
  /** Negative: so much was taken beyond it. */
  left: number;
  at: number;
}

export class Pace {
  readonly #limits: PaceLimits;
  readonly #now: () => number;
  readonly #groups = new Map<string, Allowance>();

  /** @param now milliseconds that never go back */
  constructor(limits: PaceLimits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
  }

  /** Takes, whether or not the group has as much left. @returns milliseconds until it may take more */
  take(group: string, amount: number): number {
    const allowance = this.#grown(group);
    allowance.left -= amount;
    return this.#until(allowance, 0);
  }

  /** Takes if the group has as much left. @returns 0: it is taken; else nothing is, and the milliseconds until it can be */
  tryToTake(group: string, amount: number): number {
    const allowance = this.#grown(group);
    const delay = this.#until(allowance, amount);
    if (delay === 0) allowance.left -= amount;
    return delay;
  }

  #until({ left }: Allowance, amount: number): number {
    return Math.max(0, Math.ceil(((amount - left) / this.#limits.perSecond) * 1_000));
  }

  #grown(group: string): Allowance {
    const now = this.#now();
    const allowance = this.#groups.get(group) ?? this.#remember(group, now);
    allowance.left = this.#leftAt(allowance, now);
    allowance.at = now;
    return allowance;
  }

  #remember(group: string, now: number): Allowance {
    if (this.#groups.size >= REMEMBERED)
      for (const [name, allowance] of this.#groups)
        if (this.#leftAt(allowance, now) === this.#limits.atOnce) this.#groups.delete(name);
    const allowance = { left: this.#limits.atOnce, at: now };
    this.#groups.set(group, allowance);
    return allowance;
  }

  #leftAt({ left, at }: Allowance, now: number): number {
    const { perSecond, atOnce } = this.#limits;
    return Math.min(atOnce, left + ((now - at) / 1_000) * perSecond);
  }
}
