import type { SpeakerStatus } from './speaker.ts';

/**
 * The clock whose times people are shown, beside that of the machine, which may be hours off and may be set at any time. All times are in
 * milliseconds.
 */
export interface ReferenceClock {
  /** Converts a time of the machine's clock, as set now, to a steady clock that cannot be set. */
  toSteady(machineTime: number): number;
  /** Converts a time of the steady clock to this one; null: unknown yet. */
  toReference(steadyTime: number): number | null;
}

/** Milliseconds by which clocks may differ: they are read to a second, and answers take time. */
const IN_STEP = 5_000;

interface Moment {
  /** As the daemon or its driver reported it, on the machine's clock. */
  readonly given: string;
  /** The same on the steady clock, computed at the first look: setting the machine's clock later does not move it. */
  readonly steady: number;
  readonly shown: string;
}

/**
 * Converts the times that a daemon reports to a {@link ReferenceClock}. Daemons use the machine's clock; readers of the API must not see
 * sessions that come up tomorrow, and canaries are judged by whether their times have changed.
 */
export class ReferenceTimes {
  readonly #clock: ReferenceClock;
  #seen: ReadonlyMap<string, Moment> = new Map();

  constructor(clock: ReferenceClock) {
    this.#clock = clock;
  }

  /** Must be called at every look, even if the result is dropped. Times stay as they are until the clock is known. */
  translate(status: SpeakerStatus): SpeakerStatus {
    if (!status.reachable) return status;
    const seen = new Map<string, Moment>();
    const shown = (what: string, given: string): string => {
      const moment = this.#momentOf(given, this.#seen.get(what));
      seen.set(what, moment);
      return moment.shown;
    };
    const { lastReconfiguredAt, sessions } = status;
    const translated = {
      ...status,
      lastReconfiguredAt: lastReconfiguredAt && shown('reconfigured', lastReconfiguredAt),
      sessions: sessions.map((session) => {
        const { peerId, since, nextAttempt } = session;
        const next =
          typeof nextAttempt === 'string' ? { nextAttempt: shown(`next of ${peerId}`, nextAttempt) } : {};
        return { ...session, since: shown(peerId, since), ...next };
      }),
    };
    this.#seen = seen;
    return translated;
  }

  #momentOf(given: string, known: Moment | undefined): Moment {
    const { steady, shown } =
      known?.given === given ? known : { steady: this.#clock.toSteady(Date.parse(given)), shown: given };
    const time = this.#clock.toReference(steady);
    const isInStep = time === null || Math.abs(time - Date.parse(shown)) < IN_STEP;
    return { given, steady, shown: isInStep ? shown : new Date(time).toISOString() };
  }
}
