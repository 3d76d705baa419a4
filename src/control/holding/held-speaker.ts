import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { WakeableLoop } from '../../concurrency/wakeable-loop.ts';
import type { Reach } from '../../core/reach.ts';
import type { OperatorEvent } from '../../api/activity/operator-events.ts';
import { Problem } from '../../api/problems/problem.ts';
import type { Daemon } from '../../api/speakers/speakers.ts';
import { ReferenceTimes, type ReferenceClock } from '../../speakers/reference-times.ts';
import { presentError } from '../../speakers/session-fault.ts';
import {
  EMPTY_ROUTES,
  SpeakerError,
  unreachable,
  withoutTimes,
  type SpeakerDriver,
  type SessionStatus,
  type SpeakerModel,
  type SpeakerStatus,
} from '../../speakers/speaker.ts';
import {
  finishApply,
  startNextApply,
  type ApplyEnd,
  type SpeakerApply,
} from '../../store/rollout/applies.ts';
import { listAllCommunities } from '../../store/tenants/communities.ts';
import type { Database } from '../../store/database/database.ts';
import { holdsLease, reportDaemon } from '../../store/holding/leases.ts';
import { replaceLimitedPeers } from '../../store/rollout/limited-peers.ts';
import { listPeersOf } from '../../store/speakers/peers.ts';
import type { SecretBox } from '../../store/secrets.ts';
import { finishReload } from '../../store/holding/router-daemons.ts';
import { listRevisionCommunities } from '../../store/revisions/stored-revisions.ts';
import {
  listRevertedPeers,
  replaceRevertedPeers,
  type KnownReverted,
} from '../../store/rollout/reverted-peers.ts';
import { reportSessions, type SessionReport } from '../../store/holding/sessions.ts';
import { getSettings } from '../../store/tenants/settings.ts';
import { type EditedSpeakers, findSpeaker } from '../../store/speakers/speakers.ts';
import { DEFAULT_TENANT } from '../../store/tenants/bootstrap.ts';
import { readOwnTenant } from '../../store/tenants/tenants.ts';
import { limitSessions } from '../policy/limit-sessions.ts';
import { policyGuardrailOf } from '../../policy/policy-guardrail.ts';
import { loadRoutes, loadSentRoutes } from '../peer-routes/load-routes.ts';
import { SpeakerLog } from './speaker-log.ts';
import { communityLabels } from '../models/community-labels.ts';
import { SESSION_SETTINGS, speakerModel } from '../models/speaker-model.ts';
import { SpeakerRoutes, type TryEnd } from './speaker-routes.ts';
import { ProvisionalApplyError } from '../../speakers/verification/try-out.ts';

/** How often the daemon is looked at, and desired state where the last look failed or a peer is to be tried again. */
const LOOK_MILLISECONDS = 1_000;
/** Milliseconds between checks of the desired state without a hint: triggers send hints for all changes. */
const UNHINTED_MILLISECONDS = 30_000;
/** Daemon and sessions are reported when they change, and at least this often, so that numbers of routes are not old. */
const REPORT_MILLISECONDS = 8_000;

/** The wave of canaries, which are to show that their peers take the routes. */
const CANARIES = 0;

/** A daemon whose status takes longer is reported as not answering. */
const STATUS_MILLISECONDS = 3_500;

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
  readonly #stopping = new AbortController();
  /** Apart, so that a slow apply does not make live sessions look abandoned. */
  readonly #loops = [
    this.#loop(
      () => this.#converge(),
      () => (this.#isSettled ? UNHINTED_MILLISECONDS : LOOK_MILLISECONDS),
    ),
    this.#loop(
      () => this.#report(),
      () => LOOK_MILLISECONDS,
    ),
  ];
  /** The daemon runs what is wanted of it, at all peers: until something changes there is nothing to do. */
  #isSettled = false;
  #looping: Promise<unknown> = Promise.resolve();
  #model: SpeakerModel | null = null;
  #isHome = false;
  #reloading: string | null = null;
  #reported: { readonly at: number; readonly status: object } | null = null;

  constructor(options: HeldSpeakerOptions) {
    this.#options = options;
    this.#times = new ReferenceTimes(options.clock);
    this.#log = new SpeakerLog(options.speakerId, options.emit);
    this.#routes = new SpeakerRoutes(options, () => this.#status(), this.#stopping.signal);
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
      ({ error } = failure(fault));
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
    const { db, tenantId, speakerId, secrets, driver, daemon, peerReach } = this.#options;
    const wanted = await db.inTenant(tenantId, async (tx) => {
      const speaker = await findSpeaker(tx, speakerId);
      if (speaker === null) return null;
      const peers = await listPeersOf(tx, speakerId, secrets);
      const areChosen = peers.some(({ community_ids: ids }) => ids.length > 0);
      const revisionIds = areChosen
        ? [speaker.applied_revision_id, nextId, ...this.#routes.heldRevisions]
        : [];
      const named = await listRevisionCommunities(
        tx,
        revisionIds.filter((id) => id !== null),
      );
      const communities = await listAllCommunities(tx);
      const whole = speakerModel(
        tenantId,
        speaker,
        peers,
        communityLabels(communities, named),
        await getSettings(tx, SESSION_SETTINGS),
      );
      const tenant = await readOwnTenant(tx);
      return {
        model: await limitSessions(tx, tenant, whole, daemon, peerReach),
        policy: JSON.stringify(policyGuardrailOf(tenant.policy, communities)),
        isHome: tenant.slug === DEFAULT_TENANT,
      };
    });
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
    const shown = failure(error);
    if (this.#isHome || !quotesDaemon(error)) return shown;
    this.#options.onFault(error);
    return {
      ...shown,
      error: 'The routing daemon refuses what it is to run. Ask the operator of the service.',
    };
  }

  async #report(): Promise<void> {
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

  async #status(): Promise<SpeakerStatus> {
    return this.#times.translate(await this.#options.driver.status());
  }
}

type Failure = Extract<ApplyEnd, { readonly error: string }>;

/** Files of the machine may be quoted, which tenants do not read. */
function quotesDaemon(error: unknown): boolean {
  if (!(error instanceof SpeakerError)) return false;
  return error.isOfDaemon || quotesDaemon(error.cause);
}

function failure(error: unknown): Failure {
  const code = error instanceof SpeakerError || error instanceof Problem ? error.code : null;
  const words = error instanceof Error ? error.message : String(error);
  return { code, error: words, ...(error instanceof ProvisionalApplyError ? { peers: error.peers } : {}) };
}

/** The log says why an earlier session ended; that is not an error of one that is up. */
function toReport(session: SessionStatus): SessionReport {
  return { ...session, lastError: presentError(session) };
}
