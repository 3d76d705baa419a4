import type { SpeakerStatus } from './speaker.ts';

/**
 * The clock by which people are told when something was, beside that of the machine, which may be hours off and may be set at any time.
 * All times are in milliseconds.
 */
export interface ReferenceClock {
  /** A time of the machine's clock, as it is now, by a steady clock that nobody can set. */
  toSteady(machineTime: number): number;
  /** A time of the steady clock by this one; null: not known yet. */
  toReference(steadyTime: number): number | null;
}

/** Clocks that are not further apart than this, in milliseconds, agree: they are read to a second, and answers take their time. */
const IN_STEP = 5_000;

interface Moment {
  /** As the daemon or its driver tells it, by the clock of the machine. */
  readonly given: string;
  /** The same by the steady clock, reckoned at the first look: whoever sets the machine's clock later does not move it. */
  readonly steady: number;
  readonly told: string;
}

/**
 * What a daemon says of when, by a {@link ReferenceClock}. Daemons go by the clock of the machine; who reads the API shall not see
 * sessions that come up tomorrow, and canaries are judged by whether theirs are still the same.
 */
export class ReferenceTimes {
  readonly #clock: ReferenceClock;
  #seen: ReadonlyMap<string, Moment> = new Map();

  constructor(clock: ReferenceClock) {
    this.#clock = clock;
  }

  /** To be called at every look, also when nobody is told. Times stay as they are until the clock is known. */
  translate(status: SpeakerStatus): SpeakerStatus {
    if (!status.reachable) return status;
    const seen = new Map<string, Moment>();
    const tell = (what: string, given: string): string => {
      const moment = this.#momentOf(given, this.#seen.get(what));
      seen.set(what, moment);
      return moment.told;
    };
    const { lastReconfiguredAt, sessions } = status;
    const translated = {
      ...status,
      lastReconfiguredAt: lastReconfiguredAt && tell('reconfigured', lastReconfiguredAt),
      sessions: sessions.map((session) => ({ ...session, since: tell(session.peerId, session.since) })),
    };
    this.#seen = seen;
    return translated;
  }

  #momentOf(given: string, known: Moment | undefined): Moment {
    const { steady, told } =
      known?.given === given ? known : { steady: this.#clock.toSteady(Date.parse(given)), told: given };
    const time = this.#clock.toReference(steady);
    const isInStep = time === null || Math.abs(time - Date.parse(told)) < IN_STEP;
    return { given, steady, told: isInStep ? told : new Date(time).toISOString() };
  }
}
