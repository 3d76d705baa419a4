/**
 * Finds out why sessions ended, for a daemon that is polled: a daemon reports only its latest error, and so forgets what ended a session
 * when later connection attempts are refused.
 */
import { SessionFault } from './session-fault.ts';
import type { SessionNotification, SessionStatus } from './speaker.ts';

/** A session as the daemon reports it at one look. */
export interface SeenSession extends Pick<SessionStatus, 'peerId' | 'state' | 'since'> {
  /** The daemon's words for its latest error; null: it reports none. */
  readonly error: string | null;
  /** The NOTIFICATION of the error; null: it is none, or the daemon does not report which. */
  readonly notification: SessionNotification | null;
}

interface Known {
  fault: SessionFault;
  /** Since when the session was up at the last look; null: it was not. */
  upSince: string | null;
  /** The error at the last look. */
  error: string | null;
}

export class SessionCauses {
  readonly #known = new Map<string, Known>();

  /** Takes a look into account. @returns the first cause, and its NOTIFICATION */
  look(seen: SeenSession): {
    readonly lastError: string | null;
    readonly notification: SessionNotification | null;
  } {
    const known = this.#known.get(seen.peerId) ?? { fault: new SessionFault(), upSince: null, error: null };
    this.#known.set(seen.peerId, known);
    if (seen.state === 'established') this.#up(known, seen);
    else this.#down(known, seen);
    known.error = seen.error;
    return { lastError: known.fault.text, notification: known.fault.notification };
  }

  #up(known: Known, { since, error, notification }: SeenSession): void {
    if (known.upSince !== null && known.upSince !== since) {
      // The session ended and came back between two looks. What ended an earlier session says nothing about this end.
      known.fault = new SessionFault();
      if (error !== null) known.fault.note({ text: error, notification, endedSession: true });
    }
    known.fault.established();
    known.upSince = since;
  }

  #down(known: Known, { error, notification }: SeenSession): void {
    const endedSession = known.upSince !== null;
    // A daemon may report the reason a moment after the end.
    if (error === null || (!endedSession && error === known.error)) return;
    known.fault.note({ text: error, notification, endedSession });
    known.upSince = null;
  }
}
