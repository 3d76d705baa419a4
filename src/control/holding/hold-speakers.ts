import { randomUUID } from 'node:crypto';
import type { OperatorEvent } from '../../api/activity/operator-events.ts';
import type { Daemon } from '../../api/speakers/speakers.ts';
import { Pace } from '../../concurrency/pace.ts';
import { WakeableLoop } from '../../concurrency/wakeable-loop.ts';
import type { Reach } from '../../core/reach.ts';
import type { SharedDaemon, SpeakerDriver } from '../../speakers/speaker.ts';
import type { Database } from '../../store/database/database.ts';
import type { Subscription } from '../../store/database/listener.ts';
import { DatabaseClock } from '../../store/database/database-clock.ts';
import {
  LEASE_SECONDS,
  claimLeases,
  findLeaving,
  listOthersLeases,
  listWantedSpeakers,
  noteDaemonConflict,
  releaseLeases,
  type SpeakerLease,
} from '../../store/holding/leases.ts';
import type { SecretBox } from '../../store/secrets.ts';
import {
  type EditedSpeakers,
  editedOf,
  SPEAKER_EDITS_CHANNEL,
  SPEAKERS_CHANNEL,
} from '../../store/speakers/speakers.ts';
import { HeldSpeaker } from './held-speaker.ts';

/** Often enough to distinguish a process that died from one that is late. */
const RENEW_MILLISECONDS = 1_000;
/** Who holds nothing has nothing to renew; it looks often enough to learn when another's lease runs out. */
const LOOK_MILLISECONDS = 3_000;
/** How long after the end of another's lease it is claimed: clocks tick in milliseconds. */
const EXPIRED_MILLISECONDS = 5;
/**
 * New speakers of a tenant. To begin with one takes dozens of statements, and to end with it as many: a tenant whose speakers come and go all
 * the time would take the time of all others. Who makes a few notices nothing.
 */
const NEW_SPEAKERS = { atOnce: 8, perSecond: 2 };

export interface SpeakerHolderOptions {
  readonly db: Database;
  /** The database for renewals of leases: with its own connection, no renewal waits for other queries. Absent: `db`. */
  readonly leases?: Database;
  readonly secrets: SecretBox;
  /** Daemons this process can drive, and the driver for one speaker. */
  readonly daemons: readonly Daemon[];
  readonly driverOf: (daemon: Daemon, speakerId: string) => SpeakerDriver;
  /** Networks of `APP_PEER_ALLOW`. */
  readonly peerReach: Reach;
  /** See {@link HeldSpeakerOptions.calm}. */
  readonly calm?: number;
  /** Of these daemons, those that one process at a time may drive. */
  readonly shared?: ReadonlyMap<Daemon, SharedDaemon>;
  readonly onFault: (speakerId: string | null, error: unknown) => void;
  /** Receives events of speakers for operators. */
  readonly onEvent?: (tenantId: string, event: OperatorEvent) => void;
}

/**
 * Holds speakers: exactly one process drives a speaker, by a lease on the database's clock. While the database does not
 * answer, held speakers go on announcing what they announce; nobody else can claim them either. A lease that went to another
 * process in the meantime is given up without telling the peers, whose graceful restart carries the routes over.
 */
export class SpeakerHolder {
  readonly #options: SpeakerHolderOptions;
  readonly #holder = randomUUID();
  readonly #held = new Map<string, HeldSpeaker>();
  /** Speakers that are being given up, which may take a daemon some time. */
  readonly #leaving = new Map<string, Promise<void>>();
  readonly #newcomers = new Pace(NEW_SPEAKERS);
  /** New speakers that this process has the lease of and has not begun with. */
  readonly #waiting = new Set<string>();
  /** Why a daemon can't be driven, as last reported; null: it can. */
  readonly #conflicts = new Map<Daemon, string | null>();
  /** Daemons that may hold speakers that should not be there. */
  readonly #unswept: Set<Daemon>;
  readonly #clock: DatabaseClock;
  readonly #stopping = new AbortController();
  #renewing: Promise<void> = Promise.resolve();
  readonly #loop = new WakeableLoop({
    work: () => this.#renew(),
    pause: (worked) => Math.max(0, (this.#held.size > 0 ? RENEW_MILLISECONDS : LOOK_MILLISECONDS) - worked),
    onFault: (error) => this.#options.onFault(null, error),
  });
  #hints: readonly Subscription[] = [];

  constructor(options: SpeakerHolderOptions) {
    this.#options = options;
    this.#unswept = new Set(options.daemons);
    this.#clock = new DatabaseClock(options.db);
  }

  start(): void {
    const { db } = this.#options;
    this.#hints = [
      db.listen(SPEAKERS_CHANNEL, (payload) => this.hint(editedOf(payload))),
      db.listen(SPEAKER_EDITS_CHANNEL, (payload) => this.hint(editedOf(payload))),
    ];
    this.#renewing = this.#clock.learn().then(() => this.#loop.run(this.#stopping.signal));
  }

  /** Speakers that this process holds now. */
  get count(): number {
    return this.#held.size;
  }

  /** Something changed that these speakers may have to follow: they look at once. */
  hint(edited: EditedSpeakers = 'all'): void {
    for (const speaker of this.#held.values()) speaker.hint(edited);
    // Who has an endpoint changes nothing of who holds a speaker.
    if (edited === 'all' || 'tenantId' in edited) this.#loop.hint();
  }

  /** A session of this speaker changed: it looks and reports at once, and no other does. */
  hintSpeaker(id: string): void {
    this.#held.get(id)?.hint('all');
  }

  /** Stops driving. Peers keep their routes (RFC 4724), and the leases are free at once. */
  async close(): Promise<void> {
    this.#stopping.abort();
    for (const hint of this.#hints) hint.close();
    await this.#renewing;
    this.#clock.close();
    const closing = [...this.#held.values()].map((speaker) => speaker.close(null));
    this.#held.clear();
    await Promise.all([...closing, ...this.#leaving.values()]);
    const { db, shared = new Map<Daemon, SharedDaemon>() } = this.#options;
    for (const daemon of shared.values()) await daemon.release();
    await db.inSystem((tx) => releaseLeases(tx, this.#holder)).catch(() => undefined); // it expires by itself
  }

  async #renew(): Promise<void> {
    const daemons = await this.#claimDaemons();
    const { db, leases: renewals = db } = this.#options;
    const { leases, secondsToExpiry } = await renewals.alone((tx) =>
      claimLeases(tx, this.#holder, LEASE_SECONDS, daemons),
    );
    // Another process that does not renew its lease is followed when it runs out, not at the next look.
    if (secondsToExpiry !== null) this.#loop.hint(secondsToExpiry * 1_000 + EXPIRED_MILLISECONDS);
    const mine = new Set(leases.map((lease) => lease.speaker_id));
    await this.#giveUp([...this.#held.keys()].filter((id) => !mine.has(id)));
    for (const id of this.#waiting) if (!mine.has(id)) this.#waiting.delete(id);
    for (const lease of leases) {
      const { speaker_id: id, reload_job_id: job } = lease;
      if (!this.#held.has(id) && !this.#leaving.has(id) && this.#mayBegin(lease)) this.#hold(lease);
      if (job !== null) this.#held.get(id)?.reload(job);
    }
  }

  /** Whether it is the turn of a speaker. One that was held before waits for nothing: its routers may have routes. */
  #mayBegin({ tenant_id: tenantId, speaker_id: id, is_new: isNew }: SpeakerLease): boolean {
    if (!isNew && !this.#waiting.has(id)) return true;
    const delay = this.#newcomers.tryToTake(tenantId, 1);
    if (delay === 0) {
      this.#waiting.delete(id);
      return true;
    }
    this.#waiting.add(id);
    this.#loop.hint(delay);
    return false;
  }

  /** @returns the daemons that this process may drive now */
  async #claimDaemons(): Promise<Daemon[]> {
    const free: Daemon[] = [];
    for (const daemon of this.#options.daemons) {
      const shared = this.#options.shared?.get(daemon);
      const conflict = (await shared?.claim()) ?? null;
      const before = this.#conflicts.get(daemon);
      this.#conflicts.set(daemon, conflict);
      if (conflict !== null) {
        this.#unswept.add(daemon);
        await this.#reportConflict(daemon, conflict, before !== conflict);
        continue;
      }
      free.push(daemon);
      if (shared !== undefined && this.#unswept.delete(daemon)) this.#sweep(daemon, shared);
    }
    return free;
  }

  async #reportConflict(daemon: Daemon, conflict: string, isNew: boolean): Promise<void> {
    const { db, onFault } = this.#options;
    if (isNew) onFault(null, new Error(conflict));
    await db.inSystem((tx) => noteDaemonConflict(tx, { holder: this.#holder, daemon, conflict: conflict }));
  }

  /** Takes out of a daemon the speakers that were deleted or disabled while no process held it, or while it did not answer. */
  #sweep(daemon: Daemon, shared: SharedDaemon): void {
    const { db, onFault } = this.#options;
    const sweeping = async (): Promise<void> => {
      const ids = await shared.speakerIds();
      const kept = await db.inSystem(async (tx) => [
        ...(await listWantedSpeakers(tx, ids, daemon)),
        ...(await listOthersLeases(tx, ids, this.#holder)),
      ]);
      for (const id of ids) if (!kept.includes(id)) await this.#takeOut(id, shared);
      // One that another process has the lease of, which may have died, may be disabled before it is anybody's here.
      if (kept.some((id) => !this.#held.has(id)))
        setTimeout(() => this.#unswept.add(daemon), LEASE_SECONDS * 1_000).unref();
    };
    sweeping().catch((error: unknown) => {
      this.#unswept.add(daemon); // tried again at the next renewal
      onFault(null, error);
    });
  }

  /** Somebody may want the speaker again meanwhile: it is held once it is out, unless it is held already. */
  async #takeOut(id: string, shared: SharedDaemon): Promise<void> {
    // Of a process that stops, the daemon may be another's in a moment.
    if (this.#stopping.signal.aborted || this.#held.has(id) || this.#leaving.has(id)) return;
    const removal = shared.removeSpeaker(id).finally(() => this.#leaving.delete(id));
    this.#leaving.set(
      id,
      removal.catch(() => undefined), // reported by the sweep
    );
    await removal;
  }

  /** Another process holds them now, or none may: only then are the routes withdrawn. Leases are renewed meanwhile. */
  async #giveUp(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const { db, onFault } = this.#options;
    const wanted = await db.inSystem((tx) => listWantedSpeakers(tx, ids));
    for (const id of ids) {
      const speaker = this.#held.get(id)!;
      this.#held.delete(id);
      const stays = wanted.includes(id);
      const why = stays ? null : await db.inSystem((tx) => findLeaving(tx, id));
      const leaving = speaker
        .close(why)
        // A speaker that must not be held has no sessions, and no other process reports that.
        .then(() => (stays ? undefined : speaker.forgetSessions()))
        .then(() => db.inSystem((tx) => releaseLeases(tx, this.#holder, [id])))
        .catch((error: unknown) => onFault(id, error))
        .finally(() => {
          this.#leaving.delete(id);
          // It may be in its daemon still: because that failed, or because its routes are to stay.
          for (const daemon of this.#options.daemons) this.#unswept.add(daemon);
        });
      this.#leaving.set(id, leaving);
    }
  }

  #hold(lease: SpeakerLease): void {
    const { db, secrets, driverOf, peerReach, onFault, onEvent } = this.#options;
    const speaker = new HeldSpeaker({
      db,
      secrets,
      tenantId: lease.tenant_id,
      holder: this.#holder,
      speakerId: lease.speaker_id,
      daemon: lease.daemon,
      peerReach,
      driver: driverOf(lease.daemon, lease.speaker_id),
      clock: this.#clock,
      ...(this.#options.calm === undefined ? {} : { calm: this.#options.calm }),
      onFault: (error) => onFault(lease.speaker_id, error),
      emit: (event) => onEvent?.(lease.tenant_id, event),
    });
    this.#held.set(lease.speaker_id, speaker);
    speaker.start();
  }
}
