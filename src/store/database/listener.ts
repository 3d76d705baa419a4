import pg from 'pg';
import { SerialQueue } from '../../concurrency/serial-queue.ts';
import type { DatabaseAddress } from './database-address.ts';

export interface Subscription {
  close(): void;
}

type OnHint = (payload: string | null) => void;

const RECONNECT_MS = 1_000;
/** A connection that died silently is detected by a query. */
const HEARTBEAT_MS = 10_000;
const TIMEOUT_MS = 5_000;

/** One connection that listens for all subscribers of a process. Opened at the first subscription, and again when it breaks. */
export class Listener {
  readonly #address: DatabaseAddress;
  readonly #onFault: (error: unknown) => void;
  readonly #subscribers = new Map<string, Set<OnHint>>();
  /** A connection takes one statement at a time. */
  readonly #statements = new SerialQueue();
  #client: pg.Client | null = null;
  #connecting: Promise<void> | null = null;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(address: DatabaseAddress, onFault: (error: unknown) => void) {
    this.#address = address;
    this.#onFault = onFault;
  }

  subscribe(channel: string, onHint: OnHint): Subscription {
    const subscribers = this.#subscribers.get(channel) ?? new Set();
    this.#subscribers.set(channel, subscribers.add(onHint));
    const client = this.#client;
    if (client === null) {
      this.#connect();
    } else {
      this.#run(client, listenOn(channel)).then(() => {
        if (subscribers.has(onHint)) onHint(null);
      }, this.#onFault);
    }
    return {
      close: () => {
        subscribers.delete(onHint);
      },
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#connecting;
    clearTimeout(this.#timer);
    const client = this.#client;
    this.#client = null;
    await client?.end().catch(() => undefined);
  }

  #connect(): void {
    if (this.#closed || this.#client !== null || this.#connecting !== null) return;
    this.#connecting = this.#open()
      .catch((error: unknown) => {
        this.#onFault(error);
        this.#again();
      })
      .finally(() => (this.#connecting = null));
  }

  #again(): void {
    if (this.#closed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#connect();
    }, RECONNECT_MS).unref();
  }

  async #open(): Promise<void> {
    const client = new pg.Client({
      ...this.#address,
      connectionTimeoutMillis: TIMEOUT_MS,
      query_timeout: TIMEOUT_MS,
      keepAlive: true,
      application_name: 'prefixcast listener',
    });
    client.on('error', this.#onFault);
    client.on('end', () => {
      if (this.#client !== client) return;
      this.#client = null;
      this.#again();
    });
    client.on('notification', ({ channel, payload }) => {
      this.#notify(channel, payload ?? '');
    });
    try {
      await client.connect();
      for (const channel of this.#subscribers.keys()) await client.query(listenOn(channel));
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    this.#client = client;
    // Whatever was said while nobody listened is lost.
    for (const channel of this.#subscribers.keys()) this.#notify(channel, null);
    this.#beat(client);
  }

  #beat(client: pg.Client): void {
    this.#timer = setTimeout(() => {
      this.#run(client, 'SELECT 1').then(
        () => {
          if (this.#client === client) this.#beat(client);
        },
        () => {
          void client.end().catch(() => undefined);
        },
      );
    }, HEARTBEAT_MS).unref();
  }

  #run(client: pg.Client, statement: string): Promise<unknown> {
    return this.#statements.run(() => client.query(statement));
  }

  #notify(channel: string, payload: string | null): void {
    for (const onHint of this.#subscribers.get(channel) ?? []) onHint(payload);
  }
}

function listenOn(channel: string): string {
  return `LISTEN ${pg.escapeIdentifier(channel)}`;
}
