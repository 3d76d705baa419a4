import type { Job as Message, PgBoss } from 'pg-boss';
import type { JobType } from '../api/activity/jobs.ts';
import { GroupCounts } from '../concurrency/group-counts.ts';
import { forGroup } from '../concurrency/groups.ts';
import { HEARTBEAT_SECONDS, type JobMessage, queueOf } from './queue.ts';

/** Jobs of one type that run concurrently in this process, and of one tenant in all processes. */
const PLACES = 4;
const PLACES_OF_A_TENANT = 2;
/**
 * More places of this process, for tenants without a running job: however slow the jobs of some tenants are, for example because a source
 * hardly answers, another's first job finds a place.
 */
const PLACES_OF_OTHERS = 8;

/** Messages of dead workers are taken over after {@link HEARTBEAT_SECONDS}: three heartbeats may come late. */
const TOUCH_MILLISECONDS = (HEARTBEAT_SECONDS * 1_000) / 3;
/** Pause after a fault, such as a database that is down. */
const RETRY_MILLISECONDS = 1_000;

export interface IntakeOptions {
  readonly boss: PgBoss;
  readonly type: JobType;
  /** Rejects to have the message delivered again. */
  readonly run: (message: JobMessage) => Promise<void>;
  readonly onFault: (error: unknown) => void;
}

interface Run {
  /** As it was delivered last. */
  message: Message<JobMessage>;
  readonly end: Promise<void>;
}

/**
 * Takes the messages of one type while there are places, and runs their jobs. It fetches messages when it is woken and when a place becomes
 * free, never on a timer: senders of messages wake it.
 */
export class Intake {
  readonly #options: IntakeOptions;
  readonly #queue: string;
  readonly #running = new Set<Run>();
  /** Running jobs by tenant, in this process. */
  readonly #atWork = new GroupCounts();
  #taking: Promise<void> | null = null;
  #isWoken = false;
  #isClosed = false;
  #retry: NodeJS.Timeout | undefined;
  #touching: NodeJS.Timeout | undefined;

  constructor(options: IntakeOptions) {
    this.#options = options;
    this.#queue = queueOf(options.type);
  }

  /** There may be messages. */
  wake(): void {
    this.#isWoken = true;
    if (this.#isClosed) return;
    this.#taking ??= this.#take().finally(() => {
      this.#taking = null;
      // It was woken between the last fetch and here.
      if (this.#isWoken && this.#retry === undefined) this.wake();
    });
  }

  /** Takes no more messages, and resolves when nothing runs. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    await this.#taking;
    await Promise.all([...this.#running].map(({ end }) => end));
    clearInterval(this.#touching);
  }

  async #take(): Promise<void> {
    try {
      while (this.#isWoken && !this.#isClosed) {
        this.#isWoken = false;
        while (!this.#isClosed && (await this.#takeSome())) continue;
      }
    } catch (error) {
      this.#options.onFault(error);
      this.#retry = setTimeout(() => {
        this.#retry = undefined;
        this.wake();
      }, RETRY_MILLISECONDS);
    }
  }

  /** @returns whether another fetch may find more */
  async #takeSome(): Promise<boolean> {
    const { size } = this.#running;
    if (size >= PLACES + PLACES_OF_OTHERS) return false;
    const share = size < PLACES ? PLACES_OF_A_TENANT : 1;
    const full = [...this.#atWork.groups()].filter((tenant) => this.#atWork.of(tenant) >= share);
    // One at a time: of several messages of a tenant, pg-boss would choose by their ids, not by their age.
    const [message] = await this.#options.boss.fetch<JobMessage>(this.#queue, {
      groupConcurrency: PLACES_OF_A_TENANT,
      ...(full.length > 0 ? { ignoreGroups: full } : {}),
    });
    if (message === undefined) return false;
    this.#begin(message);
    return true;
  }

  /**
   * On a machine with too much to do heartbeats come late, and the message of a run that goes on is delivered once more. To take the job
   * away from that run would be the death of a worker that lives, and the third such death is the end of the job.
   */
  #begin(message: Message<JobMessage>): void {
    const earlier = [...this.#running].find((one) => one.message.id === message.id);
    if (earlier !== undefined) {
      earlier.message = message;
      return;
    }
    const { promise: end, resolve } = Promise.withResolvers<void>();
    const run: Run = { message, end };
    this.#running.add(run);
    void this.#run(run).finally(() => {
      this.#running.delete(run);
      resolve();
      this.wake();
    });
    this.#touching ??= setInterval(() => void this.#touch(), TOUCH_MILLISECONDS).unref();
  }

  async #run(run: Run): Promise<void> {
    const { boss, run: runMessage, onFault } = this.#options;
    const { data } = run.message;
    const { tenant_id: tenantId } = data;
    this.#atWork.add(tenantId, 1);
    try {
      await forGroup(tenantId, () => runMessage(data)).then(
        () => boss.complete(this.#queue, run.message),
        (error: unknown) => boss.fail(this.#queue, run.message, { message: String(error) }),
      );
    } catch (error) {
      onFault(error); // the message is delivered again when its heartbeat is overdue
    } finally {
      this.#atWork.add(tenantId, -1);
    }
  }

  async #touch(): Promise<void> {
    const messages = [...this.#running].map(({ message }) => message);
    if (messages.length === 0) return;
    await this.#options.boss.touch(this.#queue, messages).catch(this.#options.onFault);
  }
}
