import { isDeepStrictEqual } from 'node:util';
import { WakeableLoop } from '../../concurrency/wakeable-loop.ts';
import type { Reach } from '../../core/reach.ts';
import type { OperatorEvent } from '../../api/activity/operator-events.ts';
import { Problem } from '../../api/problems/problem.ts';
import type { Daemon } from '../../api/speakers/speakers.ts';
import { ReferenceTimes, type ReferenceClock } from '../../speakers/reference-times.ts';
import {
  EMPTY_ROUTES,
  SpeakerError,
  type SpeakerDriver,
  type SpeakerModel,
  type SpeakerStatus,
} from '../../speakers/speaker.ts';
import {
  finishApply,
  startNextApply,
  type ApplyEnd,
  type SpeakerApply,
} from '../../store/rollout/applies.ts';
import type { Database } from '../../store/database/database.ts';
import { holdsLease } from '../../store/holding/leases.ts';
import { replaceLimitedPeers } from '../../store/rollout/limited-peers.ts';
import type { SecretBox } from '../../store/secrets.ts';
import { finishReload } from '../../store/holding/router-daemons.ts';
import {
  listRevertedPeers,
  replaceRevertedPeers,
  type KnownReverted,
} from '../../store/rollout/reverted-peers.ts';
import { reportSessions } from '../../store/holding/sessions.ts';
import type { EditedSpeakers } from '../../store/speakers/speakers.ts';
import { loadRoutes, loadSentRoutes } from '../peer-routes/load-routes.ts';
import { SpeakerLog } from './speaker-log.ts';
import { SpeakerRoutes, type TryEnd } from './speaker-routes.ts';
import { SpeakerReporter } from './speaker-reporter.ts';
import { readWanted } from './wanted-speaker.ts';
import { failureOf, quotesDaemon, type Failure } from './apply-failure.ts';

/** How often the daemon is looked at, and desired state where the last look failed or a peer is to be tried again. */
const LOOK_MILLISECONDS = 1_000;
/** Milliseconds between checks of the desired state without a hint: triggers send hints for all changes. */
const UNHINTED_MILLISECONDS = 30_000;

/** The wave of canaries, which are to show that their peers take the routes. */
const CANARIES = 0;

export interface HeldSpeakerOptions {
  readonly db: Database;
  readonly secrets: SecretBox;
  readonly tenantId: string;
  /** The process, as the lease names it: its reports count only while it holds the speaker. */
  readonly holder: string;
  readonly speakerId: string;
  readonly daemon: Daemon;
  readonly driver: SpeakerDriver;
  /** Networks of `APP_PEER_ALLOW`. */
  readonly peerReach: Reach;
  /** How long all has to be well before an apply stays, in milliseconds; default that of try-out.ts. */
  readonly calm?: number;
  /** The clock of the sessions' times. */
  readonly clock: ReferenceClock;
  readonly onFault: (error: unknown) => void;
  /** Receives the speaker's events for operators. */
  readonly emit: (event: OperatorEvent) => void;
}

/**
 * One speaker in the hands of this process: again and again compares what the database wants of it with what its daemon
 * runs, and closes the gap. First of all it brings back the revision that was applied last, so that no session opens on an
 * empty table after a restart.
 */
export class HeldSpeaker {
  readonly #options: HeldSpeakerOptions;
  readonly #times: ReferenceTimes;
  readonly #log: SpeakerLog;
  readonly #routes: SpeakerRoutes;
  readonly #reporter: SpeakerReporter;
  readonly #stopping = new AbortController();
  /** Apart, so that a slow apply does not make live sessions look abandoned. */
  readonly #loops = [
    this.#loop(
      () => this.#converge(),
      () => (this.#isSettled ? UNHINTED_MILLISECONDS : LOOK_MILLISECONDS),
    ),
    this.#loop(
      () => this.#reporter.report(),
      () => LOOK_MILLISECONDS,
    ),
  ];
  /** The daemon runs what is wanted of it, at all peers: until something changes there is nothing to do. */
  #isSettled = false;
  #looping: Promise<unknown> = Promise.resolve();
  #model: SpeakerModel | null = null;
  #isHome = false;
  #reloading: string | null = null;

  constructor(options: HeldSpeakerOptions) {
    this.#options = options;
    this.#times = new ReferenceTimes(options.clock);
    this.#log = new SpeakerLog(options.speakerId, options.emit);
    this.#routes = new SpeakerRoutes(options, () => this.#status(), this.#stopping.signal);
    this.#reporter = new SpeakerReporter(options, () => this.#status(), this.#log);
  }

  start(): void {
    this.#looping = Promise.all(this.#loops.map((loop) => loop.run(this.#stopping.signal)));
  }

  /** Something changed of these speakers; it looks if it is one of them. */
  hint(edited: EditedSpeakers): void {
    if (!this.#isAmong(edited)) return;
    for (const loop of this.#loops) loop.hint();
  }

  /** One that is reading its configuration has peers that are not known here yet. */
  #isAmong(edited: EditedSpeakers): boolean {
    if (edited === 'all') return true;
    if ('tenantId' in edited) return edited.tenantId === this.#options.tenantId;
    return !this.#isSettled || this.#model?.peers.some(({ address }) => address === edited.address) !== false;
  }

  /**
   * Lets go. Peers keep the routes (RFC 4724) until whoever holds the speaker next announces them again; or they learn that it has
   * ended, for a reason.
   */
  async close(reason: string | null): Promise<void> {
    this.#stopping.abort();
    await this.#looping;
    await this.#options.driver.close(reason === null);
    if (reason !== null) this.#log.ended(reason);
  }

  /** Writes down that the speaker has no sessions any more, unless another process holds it or it is gone. */
  async forgetSessions(): Promise<void> {
    const { db, tenantId, speakerId, holder } = this.#options;
    await db.inTenant(tenantId, async (tx) => {
      if (await holdsLease(tx, speakerId, holder)) await reportSessions(tx, speakerId, []);
    });
  }

  /** Has the daemon read its configuration again, and records the outcome for the job that requested it. */
  reload(jobId: string): void {
    if (this.#reloading === jobId) return;
    this.#reloading = jobId;
    void this.#reload(jobId).catch((error: unknown) => {
      this.#reloading = null; // asked again with the next renewal of the lease
      this.#options.onFault(error);
    });
  }

  async #reload(jobId: string): Promise<void> {
    const { db, tenantId, speakerId, driver } = this.#options;
    let error: string | null = null;
    try {
      await driver.reload?.();
    } catch (fault) {
      ({ error } = failureOf(fault));
    }
    await db.inTenant(tenantId, (tx) => finishReload(tx, { speakerId, jobId, error }));
  }

  #loop(work: () => Promise<void>, length: () => number): WakeableLoop {
    return new WakeableLoop({
      work,
      pause: (worked) => Math.max(0, length() - worked),
      onFault: (error) => {
        if (!this.#stopping.signal.aborted) this.#options.onFault(error);
      },
    });
  }

  async #converge(): Promise<void> {
    this.#isSettled = false;
    for (;;) {
      const apply = await this.#nextApply();
      // After the apply was asked for, so that it ends with the configuration of that moment.
      const conflict = await this.#prepare(apply?.revision_id ?? null);
      if (conflict === 'gone') return;
      if (apply !== null) await this.#apply(apply, conflict);
      else if (conflict !== null) throw conflict;
      else {
        const isOpen = await this.#routes.followUnproven(this.#model!);
        this.#isSettled = !(await this.#routes.tryReverted(this.#model!)) && !isOpen;
        return;
      }
    }
  }

  /** Brings the daemon to where an apply of the revision may begin. @returns what the daemon has against it; `gone`: see below */
  async #prepare(revisionId: string | null): Promise<SpeakerError | 'gone' | null> {
    try {
      const policy = await this.#followConfiguration(revisionId);
      if (policy === null) return 'gone';
      await this.#routes.restore(policy, this.#model!);
      if (revisionId !== null) await this.#routes.followUnproven(this.#model!);
      return null;
    } catch (error) {
      if (error instanceof SpeakerError) return error;
      throw error;
    }
  }

  /**
   * @param nextId of the revision that is about to be applied; null: none is
   * @returns what the tenant's policy says of routes; null when the speaker was deleted: whoever renews the leases lets go of it in a moment
   */
  async #followConfiguration(nextId: string | null): Promise<string | null> {
    const { db, tenantId, driver } = this.#options;
    const wanted = await db.inTenant(tenantId, (tx) =>
      readWanted(tx, this.#options, [nextId, ...this.#routes.heldRevisions]),
    );
    if (wanted === null) return null;
    const { model, policy, isHome } = wanted;
    this.#isHome = isHome;
    if (isDeepStrictEqual(model, this.#model)) return policy;
    // Until the apply is done, it is unknown which model the daemon has.
    this.#model = null;
    await driver.configure(model);
    this.#model = model;
    this.#log.configured(model);
    return policy;
  }

  #nextApply(): Promise<SpeakerApply | null> {
    const { db, tenantId, speakerId, holder } = this.#options;
    return db.inTenant(tenantId, async (tx) => {
      const apply = await startNextApply(tx, speakerId, holder);
      if (apply !== null) await this.#log.begun(tx, apply);
      return apply;
    });
  }

  /**
   * An apply that a stop or the database interrupts stays `running` in the database; whoever holds the speaker next takes it up
   * again.
   */
  async #apply(apply: SpeakerApply, conflict: SpeakerError | null): Promise<void> {
    const { db, tenantId, speakerId, holder } = this.#options;
    const known = await db.inTenant(tenantId, (tx) => listRevertedPeers(tx, speakerId));
    const end = conflict === null ? await this.#carryOut(apply, known) : this.#failure(conflict);
    await db.inTenant(tenantId, async (tx) => {
      const isHeld = await finishApply(tx, apply, holder, end);
      if (!isHeld) return;
      await replaceRevertedPeers(tx, speakerId, 'reverted' in end ? end.reverted : known);
      if ('limited' in end) await replaceLimitedPeers(tx, speakerId, end.limited);
    });
    this.#log.finished(apply, end);
    // What has to be taken back is tried again at the next look, until it comes about.
    if (apply.state === 'undoing' && 'error' in end)
      throw new SpeakerError(end.code ?? 'speaker_failed', end.error);
  }

  async #carryOut(
    { revision_id: id, state, wave, keeps = false, retries = false }: SpeakerApply,
    known: readonly KnownReverted[],
  ): Promise<ApplyEnd & Partial<Pick<TryEnd, 'reverted' | 'limited'>>> {
    const { db, tenantId, speakerId } = this.#options;
    try {
      if (id !== null) {
        const routes = await db.inTenant(tenantId, (tx) =>
          // A freeze stops no way back, and what was changed since it began.
          state === 'undoing' ? loadSentRoutes(tx, speakerId, id) : loadRoutes(tx, id),
        );
        const model = this.#model!;
        const peers = await this.#routes.choose(model, known, keeps ? null : routes, retries);
        return await this.#routes.tryOut(model, routes, peers, wave === CANARIES);
      }
      if (state === 'undoing') return await this.#routes.tryOut(this.#model!, EMPTY_ROUTES);
      return { announced: 0, withdrawn: 0, changed: 0, sessions: [], reverted: known };
    } catch (error) {
      const passes = error instanceof Problem && error.code === 'database_unavailable';
      if (passes || this.#stopping.signal.aborted) throw error;
      return this.#failure(error);
    }
  }

  /** What the tenant may read about a failure; the whole is for the operator of the service. */
  #failure(error: unknown): Failure {
    const shown = failureOf(error);
    if (this.#isHome || !quotesDaemon(error)) return shown;
    this.#options.onFault(error);
    return {
      ...shown,
      error: 'The routing daemon refuses what it is to run. Ask the operator of the service.',
    };
  }

  async #status(): Promise<SpeakerStatus> {
    return this.#times.translate(await this.#options.driver.status());
  }
}
