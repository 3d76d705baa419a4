import type { SessionNotification } from './speaker.ts';

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
