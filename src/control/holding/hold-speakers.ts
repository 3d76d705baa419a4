import { randomUUID } from 'node:crypto';
import type { OperatorEvent } from '../../api/operator-events.ts';
import type { Daemon } from '../../api/speakers.ts';
import type { Prefix } from '../../core/prefix.ts';
import type { SharedDaemon, SpeakerDriver } from '../../speakers/speaker.ts';
import type { Database } from '../../store/database/database.ts';
import { DatabaseClock } from '../../store/database/database-clock.ts';
import {
  LEASE_SECONDS,
  claimLeases,
  findLeaving,
  listOthersLeases,
  listWantedSpeakers,
  noteObstacle,
  releaseLeases,
  secondsToExpiry,
  type SpeakerLease,
} from '../../store/leases.ts';
import type { SecretBox } from '../../store/secrets.ts';
import { HeldSpeaker } from './held-speaker.ts';

/** Often enough for readers to tell a process that died from one that was late. */
const RENEW_MILLISECONDS = 1_000;
/** How long after the end of another's lease it is claimed: clocks tick in milliseconds. */
const EXPIRED_MILLISECONDS = 5;

export interface SpeakerHolderOptions {
  readonly db: Database;
  /** What leases are renewed over: with a connection of its own no renewal waits for whatever else is asked. Absent: `db`. */
  readonly leases?: Database;
  readonly secrets: SecretBox;
  /** Daemons this process can drive, and the driver for one speaker. */
  readonly daemons: readonly Daemon[];
  readonly driverOf: (daemon: Daemon, speakerId: string) => SpeakerDriver;
  /** Networks of `APP_PEER_ALLOW`. */
  readonly peerAllow: readonly Prefix[];
  /** See {@link HeldSpeakerOptions.calm}. */
  readonly calm?: number;
  /** Of these daemons, those that one process at a time may drive. */
  readonly shared?: ReadonlyMap<Daemon, SharedDaemon>;
  readonly onFault: (speakerId: string | null, error: unknown) => void;
  /** Gets what operators are told of speakers. */
  readonly onTold?: (tenantId: string, event: OperatorEvent) => void;
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
  /** What is against driving a daemon, as it was told last; null: nothing. */
  readonly #obstacles = new Map<Daemon, string | null>();
  /** Daemons that may hold speakers that nobody wants there. */
  readonly #unswept: Set<Daemon>;
  readonly #clock: DatabaseClock;
  readonly #stopping = new AbortController();
  #renewing: Promise<void> = Promise.resolve();
  #wake: () => void = () => undefined;
  #expiry: NodeJS.Timeout | undefined;

  constructor(options: SpeakerHolderOptions) {
    this.#options = options;
    this.#unswept = new Set(options.daemons);
    this.#clock = new DatabaseClock(options.db);
  }

  start(): void {
    this.#renewing = this.#renewForever();
  }

  /** Speakers that this process holds now. */
  get count(): number {
    return this.#held.size;
  }

  /** Something changed that a speaker may have to follow; saves waiting for the next look. */
  hint(): void {
    for (const speaker of this.#held.values()) speaker.hint();
    this.#wake();
  }

  /** Stops driving. Peers keep their routes (RFC 4724), and the leases are free at once. */
  async close(): Promise<void> {
    this.#stopping.abort();
    this.#wake();
    await this.#renewing;
    this.#clock.close();
    const closing = [...this.#held.values()].map((speaker) => speaker.close(null));
    this.#held.clear();
    await Promise.all([...closing, ...this.#leaving.values()]);
    const { db, shared = new Map<Daemon, SharedDaemon>() } = this.#options;
    for (const daemon of shared.values()) await daemon.release();
    await db.inSystem((tx) => releaseLeases(tx, this.#holder)).catch(() => undefined); // it expires by itself
  }

  async #renewForever(): Promise<void> {
    await this.#clock.learn();
    while (!this.#stopping.signal.aborted) {
      const pause = this.#pause();
      try {
        await this.#renew();
      } catch (error) {
        this.#options.onFault(null, error);
      }
      await pause;
    }
    clearTimeout(this.#expiry);
  }

  /** Ends when leases are to be renewed or at the next hint, such as that of a new speaker. */
  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, RENEW_MILLISECONDS);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async #renew(): Promise<void> {
    const { db, leases: renewals = db } = this.#options;
    const daemons = await this.#claimDaemons();
    const { leases, expiry } = await renewals.inSystem(async (tx) => ({
      leases: await claimLeases(tx, this.#holder, LEASE_SECONDS, daemons),
      expiry: await secondsToExpiry(tx, this.#holder, daemons),
    }));
    this.#wakeAtExpiry(expiry);
    const mine = new Set(leases.map((lease) => lease.speaker_id));
    await this.#giveUp([...this.#held.keys()].filter((id) => !mine.has(id)));
    for (const lease of leases) {
      const { speaker_id: id, reload_job_id: job } = lease;
      if (!this.#held.has(id) && !this.#leaving.has(id)) this.#hold(lease);
      if (job !== null) this.#held.get(id)?.reload(job);
    }
  }

  /** Another process that does not renew its lease is followed when it runs out, not at the next look. */
  #wakeAtExpiry(seconds: number | null): void {
    clearTimeout(this.#expiry);
    if (seconds === null || seconds * 1_000 > RENEW_MILLISECONDS) return;
    this.#expiry = setTimeout(() => this.#wake(), seconds * 1_000 + EXPIRED_MILLISECONDS);
  }

  /** @returns the daemons that this process may drive now */
  async #claimDaemons(): Promise<Daemon[]> {
    const free: Daemon[] = [];
    for (const daemon of this.#options.daemons) {
      const shared = this.#options.shared?.get(daemon);
      const obstacle = (await shared?.claim()) ?? null;
      const before = this.#obstacles.get(daemon);
      this.#obstacles.set(daemon, obstacle);
      if (obstacle !== null) {
        this.#unswept.add(daemon);
        await this.#tellObstacle(daemon, obstacle, before !== obstacle);
        continue;
      }
      free.push(daemon);
      if (shared !== undefined && this.#unswept.delete(daemon)) this.#sweep(daemon, shared);
    }
    return free;
  }

  async #tellObstacle(daemon: Daemon, obstacle: string, isNew: boolean): Promise<void> {
    const { db, onFault } = this.#options;
    if (isNew) onFault(null, new Error(obstacle));
    await db.inSystem((tx) => noteObstacle(tx, { holder: this.#holder, daemon, obstacle }));
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
      removal.catch(() => undefined), // told by who sweeps
    );
    await removal;
  }

  /** Another process has them now, or nobody shall: only then the routes are to go. Leases are renewed meanwhile. */
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
        // What nobody shall hold has no sessions any more, and nobody else would say so.
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
    const { db, secrets, driverOf, peerAllow, onFault, onTold } = this.#options;
    const speaker = new HeldSpeaker({
      db,
      secrets,
      tenantId: lease.tenant_id,
      holder: this.#holder,
      speakerId: lease.speaker_id,
      daemon: lease.daemon,
      peerAllow,
      driver: driverOf(lease.daemon, lease.speaker_id),
      clock: this.#clock,
      ...(this.#options.calm === undefined ? {} : { calm: this.#options.calm }),
      onFault: (error) => onFault(lease.speaker_id, error),
      tell: (event) => onTold?.(lease.tenant_id, event),
    });
    this.#held.set(lease.speaker_id, speaker);
    speaker.start();
  }
}
