import type { SpeakerStatus } from '../speakers/speaker.ts';
import type { ControlClock } from './control-clock.ts';

/** Clocks that are not further apart than this, in milliseconds, agree: `Date` tells whole seconds, and answers take their time. */
const IN_STEP = 5_000;

interface Moment {
  /** As the daemon or its driver tells it, by the clock of the machine. */
  readonly given: string;
  /** The same by the steady clock, reckoned at the first look: whoever sets the machine's clock later does not move it. */
  readonly steady: number;
  readonly told: string;
}

/**
 * What a daemon says of when, in the time of the control plane. Daemons go by the clock of the machine; who reads the API shall not see
 * sessions that come up tomorrow, and canaries are judged by whether theirs are still the same.
 */
export class ControlTimes {
  readonly #clock: ControlClock;
  #seen: ReadonlyMap<string, Moment> = new Map();

  constructor(clock: ControlClock) {
    this.#clock = clock;
  }

  /** To be called at every look, also when nobody is told. Times stay as they are until the control plane has answered. */
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
    const time = this.#clock.toControl(steady);
    const isInStep = time === null || Math.abs(time - Date.parse(told)) < IN_STEP;
    return { given, steady, told: isInStep ? told : new Date(time).toISOString() };
  }
}
