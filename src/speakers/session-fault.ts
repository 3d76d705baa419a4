import type { SessionNotification, SessionStatus } from './speaker.ts';

/** A fault of a session, or of an attempt to open one. */
export interface Fault {
  readonly text: string;
  readonly notification: SessionNotification | null;
  /** Whether a session was up, which this ended. */
  readonly endedSession: boolean;
}

/**
 * Why a peer has no session. The first cause counts: what ended the session, or else what the peer sent in a NOTIFICATION, is kept when
 * closed connections and refused attempts follow from it.
 */
export class SessionFault {
  #cause: Fault | null = null;
  /** The error of the latest attempt, where it differs. */
  #since: string | null = null;

  note(fault: Fault): void {
    if (this.#takesPlace(fault)) {
      this.#cause = fault;
      this.#since = null;
    } else this.#since = fault.text === this.#cause?.text ? null : fault.text;
  }

  #takesPlace({ endedSession, notification }: Fault): boolean {
    if (this.#cause === null || endedSession) return true;
    return !this.#cause.endedSession && (notification !== null || this.#cause.notification === null);
  }

  /** Why it took several attempts is over; why the last session ended stays interesting. */
  established(): void {
    if (this.#cause?.endedSession === false) this.#cause = null;
    this.#since = null;
  }

  /** For people; null: there was no fault. */
  get text(): string | null {
    if (this.#cause === null) return null;
    return this.#since === null ? this.#cause.text : `${this.#cause.text}; since then: ${this.#since}`;
  }

  get notification(): SessionNotification | null {
    return this.#cause?.notification ?? null;
  }
}

/**
 * The error of a session as a driver reports it.
 * @param problem what is wrong now, in any state; null: nothing known
 * @param past why the last session or attempt ended; if a session is up, this is history
 */
export function sessionError(
  state: SessionStatus['state'],
  problem: string | null,
  past: string | null,
): Pick<SessionStatus, 'lastError' | 'isPast'> {
  if (problem !== null || past === null || state !== 'established') return { lastError: problem ?? past };
  return { lastError: past, isPast: true };
}

/** What is wrong with the session now; null: nothing, even if an error ended an earlier session. */
export function presentError({ lastError, isPast }: SessionStatus): string | null {
  return isPast === true ? null : lastError;
}
