/** Sessions that only listen: accepts calls, or makes one, and keeps what arrives. */
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import type { Negotiated } from '../../bgp/negotiation.ts';
import type { SessionSettings } from '../../bgp/negotiation.ts';
import { administrativeShutdown } from '../../bgp/notification.ts';
import { Session } from '../../bgp/session.ts';
import type { Family } from '../../core/address.ts';
import { plainAddress } from '../../core/socket-address.ts';
import { socketReason } from '../../speakers/builtin/socket-reason.ts';
import { Wire } from '../../speakers/builtin/wire.ts';
import type { SessionEvent } from '../../speakers/builtin/wire.ts';
import { ReceivedRoutes } from './received-routes.ts';
import type { RouteChange } from './received-routes.ts';

export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

export interface ReceiverOptions {
  readonly asn: number;
  /** null: any. */
  readonly peerAsn: number | null;
  /** BGP identifier as a number. */
  readonly identifier: number;
  /** Seconds, RFC 4271 section 4.2. */
  readonly holdTime: number;
  readonly onEvent: (event: ReceiverEvent) => void;
}

/** `peer` is the other end's address. */
export type ReceiverEvent =
  | { readonly type: 'up'; readonly peer: string; readonly negotiated: Negotiated }
  | { readonly type: 'down'; readonly peer: string; readonly routes: number }
  | { readonly type: 'error'; readonly peer: string; readonly text: string }
  | { readonly type: 'routes'; readonly peer: string; readonly changes: readonly RouteChange[] }
  | {
      readonly type: 'end_of_rib';
      readonly peer: string;
      readonly family: Family;
      /** Held of this family now. */
      readonly routes: number;
    };

/** One session and its routes. They go with it, as in a router without graceful restart. */
class ListeningSession {
  readonly peer: string;
  readonly routes = new ReceivedRoutes();
  readonly #wire: Wire;
  readonly #onEvent: (event: ReceiverEvent) => void;
  #pending: ReadonlySet<Family> | null = null;

  constructor(settings: SessionSettings, target: Endpoint, onEvent: (event: ReceiverEvent) => void) {
    this.peer = target.host;
    this.#onEvent = onEvent;
    const session = new Session(settings, false, Math.random);
    this.#wire = new Wire(session, { ...target, localAddress: null }, this.#handle, () => undefined);
  }

  /** Every family of an established session has been received to its end. */
  get complete(): boolean {
    return this.#pending?.size === 0;
  }

  start(): void {
    this.#wire.start();
  }

  accept(socket: Socket): void {
    this.#wire.accept(socket, null);
  }

  stop(): Promise<void> {
    return this.#wire.stop(administrativeShutdown('the listener ends'));
  }

  readonly #handle = (event: SessionEvent): void => {
    const { peer } = this;
    switch (event.type) {
      case 'established':
        this.#pending = new Set(event.negotiated.families);
        this.#onEvent({ type: 'up', peer, negotiated: event.negotiated });
        break;
      case 'down':
        this.#pending = null;
        this.#onEvent({ type: 'down', peer, routes: this.routes.size });
        this.routes.routes.clear();
        break;
      case 'error':
        this.#onEvent({ type: 'error', peer, text: event.text });
        break;
      case 'update': {
        const { endOfRib } = event.update;
        const changes = this.routes.take(event.update);
        if (changes.length > 0) this.#onEvent({ type: 'routes', peer, changes });
        if (endOfRib === null) break;
        this.#pending = new Set([...(this.#pending ?? [])].filter((family) => family !== endOfRib));
        this.#onEvent({ type: 'end_of_rib', peer, family: endOfRib, routes: this.routes.count(endOfRib) });
        break;
      }
      case 'refresh':
        break; // there is nothing to send again
    }
  };
}

export class RouteReceiver {
  readonly #options: ReceiverOptions;
  readonly #sessions = new Set<ListeningSession>();
  #server: Server | null = null;

  constructor(options: ReceiverOptions) {
    this.#options = options;
  }

  /** The routes of every session. */
  get tables(): ReceivedRoutes[] {
    return [...this.#sessions].map(({ routes }) => routes);
  }

  /** True when a session stands and all that stand have received everything. */
  get complete(): boolean {
    return [...this.#sessions].some(({ complete }) => complete);
  }

  /** Accepts sessions; resolves to the address when the socket is open. Rejects with a readable reason. */
  listen({ host, port }: Endpoint): Promise<Endpoint> {
    const server = createServer((socket) => this.#accept(socket));
    this.#server = server;
    return new Promise((resolve, reject) => {
      server.once('error', (error) => {
        const reason = `cannot listen on ${host} port ${port}: ${socketReason(error)}; choose another with --listen`;
        reject(new Error(reason, { cause: error }));
      });
      server.listen(port, host, () => {
        const bound = server.address() as AddressInfo;
        resolve({ host: bound.address, port: bound.port });
      });
    });
  }

  /** Calls a speaker, again and again until it answers. */
  connect(target: Endpoint): void {
    const session = this.#add(target, false);
    session.start();
  }

  /** Ends the sessions by Cease. */
  async close(): Promise<void> {
    this.#server?.close();
    await Promise.all([...this.#sessions].map((session) => session.stop()));
  }

  #accept(socket: Socket): void {
    const host = plainAddress(socket.remoteAddress);
    const session = this.#add({ host, port: socket.remotePort ?? 0 }, true);
    session.start();
    session.accept(socket);
    // Its own timers and answers have run by then; `down` reports what it held.
    socket.once('close', () => setImmediate(() => this.#sessions.delete(session)));
  }

  #add(target: Endpoint, passive: boolean): ListeningSession {
    const { asn, peerAsn, identifier, holdTime, onEvent } = this.#options;
    const settings: SessionSettings = {
      localAsn: asn,
      remoteAsn: peerAsn,
      identifier,
      families: ['ipv4', 'ipv6'],
      holdTime,
      restartTime: null,
      passive,
    };
    const session = new ListeningSession(settings, target, onEvent);
    this.#sessions.add(session);
    return session;
  }
}
