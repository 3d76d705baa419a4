/** The one listening socket of all speakers: open while any peer may connect. */
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ListenAddress } from './protocol.ts';
import { socketReason } from './socket-reason.ts';

/** A process that hands over to this one may need a moment to release the address. */
const RELEASE_MILLISECONDS = 2_000;
const RETRY = 200;
const RETRY_LATER = 2_000;

export interface ListenerEvents {
  readonly onSocket: (socket: Socket) => void;
  readonly onAddress: (address: ListenAddress | null) => void;
  /** Called once per failure, however long the socket stays closed. */
  readonly onFailure: (reason: string) => void;
}

export class Listener {
  readonly #address: ListenAddress;
  readonly #events: ListenerEvents;
  #server: Server | null = null;
  #opening: Promise<void> | null = null;
  #wanted = false;
  #later: NodeJS.Timeout | null = null;
  #hasReported = false;
  /** Why no peer can connect, or null. */
  error: string | null = null;

  constructor(address: ListenAddress, events: ListenerEvents) {
    this.#address = address;
    this.#events = events;
  }

  /** Resolves when the socket is open or opening it has failed, as `error` says; retries until closed. */
  async open(): Promise<void> {
    this.#wanted = true;
    if (this.#server !== null) return;
    this.#opening ??= this.#open().finally(() => (this.#opening = null));
    await this.#opening;
  }

  close(): void {
    this.#wanted = false;
    this.error = null;
    if (this.#later !== null) clearTimeout(this.#later);
    this.#later = null;
    if (this.#server === null) return;
    this.#server.close();
    this.#server = null;
    this.#events.onAddress(null);
  }

  async #open(): Promise<void> {
    if (this.#later !== null) clearTimeout(this.#later);
    const deadline = performance.now() + RELEASE_MILLISECONDS;
    while (this.#wanted) {
      try {
        this.#server = await this.#listen();
        this.error = null;
        this.#hasReported = false;
        break;
      } catch (error) {
        this.error = this.#explain(error as NodeJS.ErrnoException);
        if (performance.now() > deadline) {
          if (!this.#hasReported) this.#events.onFailure(this.error);
          this.#hasReported = true;
          this.#later = setTimeout(() => void this.open(), RETRY_LATER);
          return;
        }
        await sleep(RETRY);
      }
    }
    if (!this.#wanted) this.close();
    else this.#events.onAddress(this.#bound());
  }

  #listen(): Promise<Server> {
    return new Promise((resolve, reject) => {
      const server = createServer(this.#events.onSocket);
      server.once('error', reject);
      server.listen({ ...this.#address, exclusive: true }, () => {
        server.off('error', reject);
        // An accept that fails because descriptors ran out must not end the thread.
        server.on('error', (error) => (this.error = this.#explain(error)));
        resolve(server);
      });
    });
  }

  #bound(): ListenAddress {
    const { address, port } = this.#server!.address() as AddressInfo;
    return { host: address, port };
  }

  #explain(error: NodeJS.ErrnoException): string {
    const { host, port } = this.#address;
    return `cannot listen for BGP on ${host} port ${port}: ${socketReason(error)}; set APP_BGP_LISTEN to a free address, or end the other program`;
  }
}
