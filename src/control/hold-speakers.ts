import { randomUUID } from 'node:crypto';
import type { Daemon } from '../api/speakers.ts';
import type { SpeakerDriver } from '../speakers/speaker.ts';
import type { Database } from '../store/database.ts';
import {
  LEASE_SECONDS,
  claimLeases,
  listWantedSpeakers,
  releaseLeases,
  type SpeakerLease,
} from '../store/leases.ts';
import type { SecretBox } from '../store/secrets.ts';
import { HeldSpeaker } from './held-speaker.ts';

/** Often enough for readers to tell a process that died from one that was late. */
const RENEW_MILLISECONDS = 1_000;

export interface SpeakerHolderOptions {
  readonly db: Database;
  readonly secrets: SecretBox;
  /** Daemons this process can drive, and the driver for one speaker. */
  readonly daemons: readonly Daemon[];
  readonly driverOf: (daemon: Daemon, speakerId: string) => SpeakerDriver;
  readonly onFault: (speakerId: string | null, error: unknown) => void;
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
  readonly #stopping = new AbortController();
  #renewing: Promise<void> = Promise.resolve();
  #wake: () => void = () => undefined;

  constructor(options: SpeakerHolderOptions) {
    this.#options = options;
  }

  start(): void {
    this.#renewing = this.#renewForever();
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
    await Promise.all([...this.#held.keys()].map((id) => this.#release(id, true)));
    await this.#options.db.inSystem((tx) => releaseLeases(tx, this.#holder)).catch(() => undefined); // it expires by itself
  }

  async #renewForever(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const pause = this.#pause();
      try {
        await this.#renew();
      } catch (error) {
        this.#options.onFault(null, error);
      }
      await pause;
    }
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
    const { db, daemons } = this.#options;
    const leases = await db.inSystem((tx) => claimLeases(tx, this.#holder, LEASE_SECONDS, daemons));
    const mine = new Set(leases.map((lease) => lease.speaker_id));
    const gone = [...this.#held.keys()].filter((id) => !mine.has(id));
    if (gone.length > 0) await this.#giveUp(gone);
    for (const lease of leases) {
      if (!this.#held.has(lease.speaker_id)) this.#hold(lease);
      if (lease.reload_job_id !== null) this.#held.get(lease.speaker_id)?.reload(lease.reload_job_id);
    }
  }

  /** Another process has them now, or nobody shall: only then the routes are to go. */
  async #giveUp(ids: readonly string[]): Promise<void> {
    const { db } = this.#options;
    const wanted = await db.inSystem((tx) => listWantedSpeakers(tx, ids));
    await Promise.all(ids.map((id) => this.#release(id, wanted.includes(id))));
    await db.inSystem((tx) => releaseLeases(tx, this.#holder, ids));
  }

  #hold(lease: SpeakerLease): void {
    const { db, secrets, driverOf, onFault } = this.#options;
    const speaker = new HeldSpeaker({
      db,
      secrets,
      tenantId: lease.tenant_id,
      holder: this.#holder,
      speakerId: lease.speaker_id,
      driver: driverOf(lease.daemon, lease.speaker_id),
      onFault: (error) => onFault(lease.speaker_id, error),
    });
    this.#held.set(lease.speaker_id, speaker);
    speaker.start();
  }

  async #release(speakerId: string, graceful: boolean): Promise<void> {
    const speaker = this.#held.get(speakerId);
    this.#held.delete(speakerId);
    await speaker?.close(graceful);
  }
}
