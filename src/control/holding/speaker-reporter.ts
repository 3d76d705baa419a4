import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { presentError } from '../../speakers/session-fault.ts';
import { unreachable, withoutTimes, type SessionStatus, type SpeakerStatus } from '../../speakers/speaker.ts';
import type { Database } from '../../store/database/database.ts';
import { reportDaemon } from '../../store/holding/leases.ts';
import { reportSessions, type SessionReport } from '../../store/holding/sessions.ts';
import type { SpeakerLog } from './speaker-log.ts';

/** Daemon and sessions are reported when they change, and at least this often, so that numbers of routes are not old. */
const REPORT_MILLISECONDS = 8_000;
/** A daemon whose status takes longer is reported as not answering. */
const STATUS_MILLISECONDS = 3_500;

interface ReporterOptions {
  readonly db: Database;
  readonly tenantId: string;
  readonly speakerId: string;
  readonly holder: string;
}

/** Writes down what a daemon and its sessions are, for whoever asks the service. */
export class SpeakerReporter {
  readonly #options: ReporterOptions;
  readonly #status: () => Promise<SpeakerStatus>;
  readonly #log: SpeakerLog;
  #reported: { readonly at: number; readonly status: object } | null = null;

  constructor(options: ReporterOptions, status: () => Promise<SpeakerStatus>, log: SpeakerLog) {
    this.#options = options;
    this.#status = status;
    this.#log = log;
  }

  async report(): Promise<void> {
    const { db, tenantId, speakerId, holder } = this.#options;
    const status = await this.#promptStatus();
    this.#log.observe(status);
    const now = performance.now();
    const current = withoutTimes(status);
    const last = this.#reported;
    const isDue = last === null || now - last.at >= REPORT_MILLISECONDS;
    if (!isDue && isDeepStrictEqual(current, last.status)) return;
    const isWritten = await db.inTenant(tenantId, async (tx) => {
      const isHeld = await reportDaemon(tx, speakerId, holder, status, hostname());
      if (isHeld) await reportSessions(tx, speakerId, status.sessions.map(toReport));
      return isHeld;
    });
    // A lease that was renewed late may hold again at the next look.
    if (isWritten) this.#reported = { at: now, status: current };
  }

  /** The status, or that there is none: readers must not take the past for the present. */
  async #promptStatus(): Promise<SpeakerStatus> {
    const late = new AbortController();
    const silence = sleep(STATUS_MILLISECONDS, null, { signal: late.signal }).then(() =>
      unreachable(new Error(`The daemon has not answered for ${STATUS_MILLISECONDS / 1_000} s.`)),
    );
    silence.catch(() => undefined); // it answered
    return Promise.race([this.#status(), silence]).finally(() => late.abort());
  }
}

/** The log says why an earlier session ended; that is not an error of one that is up. */
function toReport(session: SessionStatus): SessionReport {
  return { ...session, lastError: presentError(session) };
}
