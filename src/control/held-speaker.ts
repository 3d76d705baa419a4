import { isDeepStrictEqual } from 'node:util';
import { emptyTable } from '../core/prefix-table.ts';
import { Problem } from '../api/problem.ts';
import {
  asFinal,
  SpeakerError,
  type RoutesModel,
  type SpeakerDriver,
  type SpeakerModel,
} from '../speakers/speaker.ts';
import { finishApply, startNextApply, type ApplyEnd, type SpeakerApply } from '../store/applies.ts';
import { listAllCommunities } from '../store/communities.ts';
import type { Database } from '../store/database.ts';
import { reportDaemon } from '../store/leases.ts';
import { listPeersOf } from '../store/peers.ts';
import type { SecretBox } from '../store/secrets.ts';
import { reportSessions } from '../store/sessions.ts';
import { getSpeaker } from '../store/speakers.ts';
import { loadRoutes } from './load-routes.ts';
import { speakerModel } from './speaker-model.ts';

/** What a speaker runs that was never applied to. */
const NOTHING: RoutesModel = { revisionId: '', table: emptyTable(), labels: {}, noExport: true };

/** How often desired state is looked at when no hint comes. */
const LOOK_MILLISECONDS = 1_000;
/** Daemon and sessions are reported when they change, and at least this often, so that readers can tell a silent holder. */
const REPORT_MILLISECONDS = 5_000;

export interface HeldSpeakerOptions {
  readonly db: Database;
  readonly secrets: SecretBox;
  readonly tenantId: string;
  /** The process, as the lease names it: what is told counts only while it holds the speaker. */
  readonly holder: string;
  readonly speakerId: string;
  readonly driver: SpeakerDriver;
  readonly onFault: (error: unknown) => void;
}

/**
 * One speaker in the hands of this process: again and again compares what the database wants of it with what its daemon
 * runs, and closes the gap. First of all it brings back the revision that was applied last, so that no session opens on an
 * empty table after a restart.
 */
export class HeldSpeaker {
  readonly #options: HeldSpeakerOptions;
  readonly #stopping = new AbortController();
  #looping: Promise<unknown> = Promise.resolve();
  readonly #wakers = new Set<() => void>();
  #model: SpeakerModel | null = null;
  #restored = false;
  #reported: { readonly at: number; readonly status: object } | null = null;

  constructor(options: HeldSpeakerOptions) {
    this.#options = options;
  }

  start(): void {
    // Apart, so that a slow apply does not make live sessions look abandoned.
    this.#looping = Promise.all([this.#repeat(() => this.#converge()), this.#repeat(() => this.#report())]);
  }

  hint(): void {
    for (const wake of this.#wakers) wake();
  }

  /**
   * Lets go. With `graceful` peers keep the routes (RFC 4724) until whoever holds the speaker next announces them again; else they
   * are told that it has ended.
   */
  async close(graceful: boolean): Promise<void> {
    this.#stopping.abort();
    this.hint();
    await this.#looping;
    await this.#options.driver.close(graceful);
  }

  async #repeat(step: () => Promise<void>): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const pause = this.#pause();
      try {
        await step();
      } catch (error) {
        if (!this.#stopping.signal.aborted) this.#options.onFault(error);
      }
      await pause;
    }
  }

  /** Ends after a while or at the next hint; begun before the step, so that a hint during the step is not lost. */
  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#wakers.delete(end);
        resolve();
      };
      const timer = setTimeout(end, LOOK_MILLISECONDS);
      this.#wakers.add(end);
    });
  }

  async #converge(): Promise<void> {
    for (;;) {
      const apply = await this.#nextApply();
      // After the apply was asked for, so that it ends with the configuration of that moment.
      const obstacle = await this.#prepare();
      if (apply !== null) await this.#apply(apply, obstacle);
      else if (obstacle !== null) throw obstacle;
      else return;
    }
  }

  /** Brings the daemon to where an apply may begin. @returns what the daemon has against it */
  async #prepare(): Promise<SpeakerError | null> {
    try {
      await this.#followConfiguration();
      await this.#restore();
      return null;
    } catch (error) {
      if (error instanceof SpeakerError) return error;
      throw error;
    }
  }

  async #followConfiguration(): Promise<void> {
    const { db, tenantId, speakerId, secrets, driver } = this.#options;
    const model = await db.inTenant(tenantId, async (tx) => {
      const { resource: speaker } = await getSpeaker(tx, speakerId);
      return speakerModel(
        tenantId,
        speaker,
        await listPeersOf(tx, speakerId, secrets),
        await listAllCommunities(tx),
      );
    });
    if (isDeepStrictEqual(model, this.#model)) return;
    await driver.configure(model);
    this.#model = model;
  }

  async #restore(): Promise<void> {
    if (this.#restored) return;
    const { db, tenantId, speakerId, driver } = this.#options;
    const routes = await db.inTenant(tenantId, async (tx) => {
      const { resource: speaker } = await getSpeaker(tx, speakerId);
      return speaker.applied_revision_id === null ? null : loadRoutes(tx, speaker.applied_revision_id);
    });
    await driver.apply(
      // For good: what was confirmed before needs nobody to confirm it again.
      routes === null ? NOTHING : asFinal(routes),
      this.#stopping.signal,
    );
    this.#restored = true;
  }

  #nextApply(): Promise<SpeakerApply | null> {
    const { db, tenantId, speakerId, holder } = this.#options;
    return db.inTenant(tenantId, (tx) => startNextApply(tx, speakerId, holder));
  }

  /**
   * An apply that a stop or the database interrupts stays `running` in the database; whoever holds the speaker next takes it up
   * again.
   */
  async #apply(apply: SpeakerApply, obstacle: SpeakerError | null): Promise<void> {
    const { db, tenantId, holder } = this.#options;
    const end = obstacle === null ? await this.#carryOut(apply) : { error: obstacle.message };
    await db.inTenant(tenantId, (tx) => finishApply(tx, apply, holder, end));
  }

  async #carryOut({ revision_id: id }: SpeakerApply): Promise<ApplyEnd> {
    const { db, tenantId, driver } = this.#options;
    if (id === null) return { announced: 0, withdrawn: 0, changed: 0 };
    try {
      const routes = await db.inTenant(tenantId, (tx) => loadRoutes(tx, id));
      const outcome = await driver.apply(routes, this.#stopping.signal);
      await driver.confirm();
      return outcome;
    } catch (error) {
      const passes = error instanceof Problem && error.code === 'database_unavailable';
      if (passes || this.#stopping.signal.aborted) throw error;
      return { error: error instanceof Error ? error.message : String(error) };
    }
  }

  async #report(): Promise<void> {
    const { db, tenantId, speakerId, holder, driver } = this.#options;
    const status = await driver.status();
    const now = performance.now();
    const told = { ...status, uptimeSeconds: null };
    const last = this.#reported;
    const isDue = last === null || now - last.at >= REPORT_MILLISECONDS;
    if (!isDue && isDeepStrictEqual(told, last.status)) return;
    await db.inTenant(tenantId, async (tx) => {
      if (await reportDaemon(tx, speakerId, holder, status))
        await reportSessions(tx, speakerId, status.sessions);
    });
    this.#reported = { at: now, status: told };
  }
}
