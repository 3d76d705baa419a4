import type { JobProgress } from '../api/activity/jobs.ts';
import { Interruption } from '../control/job.ts';
import type { Database } from '../store/database/database.ts';
import { type Hold, setJobProgress } from '../store/jobs/job-runs.ts';

/** Milliseconds between checks whether a running job was cancelled, which hints shorten, and between writes of its progress. */
const LOOK_MILLISECONDS = 1_000;
const WRITE_MILLISECONDS = 250;

/** Watches a running job: is it still wanted, do we still hold it, how far is it. */
export class JobWatch {
  readonly #abort = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #ask: () => Promise<Hold>;
  readonly #unlisten: () => void;
  #looking: Promise<void> | null = null;
  #lookedAt = performance.now();
  #progress: JobProgress | null = null;

  constructor(db: Database, tenantId: string, jobId: string, holder: string, stopping: AbortSignal) {
    this.#ask = () =>
      db.inTenant(tenantId, async (tx) => {
        const progress = this.#progress;
        this.#progress = null;
        return setJobProgress(tx, jobId, holder, progress);
      });
    this.#timer = setInterval(() => {
      if (this.#progress !== null || performance.now() - this.#lookedAt >= LOOK_MILLISECONDS) this.look();
    }, WRITE_MILLISECONDS);
    const stop = (): void => this.#abort.abort(stopping.reason);
    if (stopping.aborted) stop();
    else stopping.addEventListener('abort', stop);
    // The worker outlives its jobs by far, and would keep every listener.
    this.#unlisten = () => stopping.removeEventListener('abort', stop);
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Progress that is not written yet. */
  get progress(): JobProgress | null {
    return this.#progress;
  }

  note(progress: JobProgress): void {
    this.#progress = progress;
  }

  /** Checks now whether the job is still wanted. One check at a time, however long the database takes. */
  look(): void {
    this.#lookedAt = performance.now();
    this.#looking ??= this.#lookOnce().finally(() => (this.#looking = null));
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
    this.#unlisten();
  }

  async #lookOnce(): Promise<void> {
    try {
      const state = await this.#ask();
      if (state !== 'ours') this.#abort.abort(new Interruption(state));
    } catch {
      // A database that does not answer says nothing about the job; whether we still hold it is checked again at its end.
    }
  }
}
