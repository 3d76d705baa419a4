import type { SessionNotification, SessionStatus } from './speaker.ts';

/** Something that went wrong with a session or an attempt at one. */
export interface Fault {
  readonly text: string;
  readonly notification: SessionNotification | null;
  /** Whether a session was up, which this ended. */
  readonly endedSession: boolean;
}

/**
 * Why a peer has no session. The first cause counts: what ended the session, or else what the peer said in a NOTIFICATION, is not
 * forgotten over the closed connections and refused calls that follow from it.
 */
export class SessionFault {
  #cause: Fault | null = null;
  /** What the latest attempt failed by, where that says something else. */
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

  /** Why it took several attempts is past; why the last session ended stays of interest. */
  established(): void {
    if (this.#cause?.endedSession === false) this.#cause = null;
    this.#since = null;
  }

  /** For people; null: nothing went wrong. */
  get text(): string | null {
    if (this.#cause === null) return null;
    return this.#since === null ? this.#cause.text : `${this.#cause.text}; since then: ${this.#since}`;
  }

  get notification(): SessionNotification | null {
    return this.#cause?.notification ?? null;
  }
}

/**
 * What a driver says is wrong with a session.
 * @param problem what is wrong now, whatever the state; null: nothing is known
 * @param past why the last session or attempt ended; of a session that is up this is history
 */
export function sessionError(
  state: SessionStatus['state'],
  problem: string | null,
  past: string | null,
): Pick<SessionStatus, 'lastError' | 'isPast'> {
  if (problem !== null || past === null || state !== 'established') return { lastError: problem ?? past };
  return { lastError: past, isPast: true };
}

/** What is wrong with the session now; null: nothing, whatever ended the one before. */
export function presentError({ lastError, isPast }: SessionStatus): string | null {
  return isPast === true ? null : lastError;
}
