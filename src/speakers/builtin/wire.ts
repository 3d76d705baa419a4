/**
 * Sockets and the timer of one session state machine: carries out its actions and reports events to it. Each peer of a speaker has one, and
 * so has every session of `prefixcast listen`.
 */
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import type { Direction } from '../../bgp/connection.ts';
import type { BgpError } from '../../bgp/notification.ts';
import type { Action, Session } from '../../bgp/session.ts';
import type { ReadingTurns } from './reading-turns.ts';
import { socketReason } from './socket-reason.ts';

/** For a connection attempt, and for a closing socket to deliver its last octets. */
const CONNECT_MILLISECONDS = 15_000;
const LINGER = 3_000;

export interface WireTarget {
  readonly host: string;
  readonly port: number;
  readonly localAddress: string | null;
  /** False: a call is to wait until {@link Wire.callNow}; absent: none has to. */
  readonly mayCall?: () => boolean;
}

/** Actions that the wire does not handle. */
export type SessionEvent = Exclude<Action, { type: 'connect' | 'cancel_connect' | 'send' | 'close' }>;

export class Wire {
  readonly #session: Session;
  readonly #target: WireTarget;
  readonly #onEvent: (event: SessionEvent) => void;
  /** Called when the socket of the established session has room again. */
  readonly #onDrain: () => void;
  readonly #reading: ReadingTurns | null;
  readonly #sockets = new Map<number, Socket>();
  readonly #closing = new Set<Promise<void>>();
  #lastId = 0;
  #calling: Socket | null = null;
  #isHeld = false;
  #timer: NodeJS.Timeout | null = null;
  #timerAt = Infinity;

  constructor(
    session: Session,
    target: WireTarget,
    onEvent: (event: SessionEvent) => void,
    onDrain: () => void,
    reading: ReadingTurns | null = null,
  ) {
    this.#session = session;
    this.#target = target;
    this.#onEvent = onEvent;
    this.#onDrain = onDrain;
    this.#reading = reading;
  }

  start(): void {
    this.#perform(this.#session.start());
  }

  /** See {@link Session.hurry}. */
  hurry(): void {
    this.#perform(this.#session.hurry(performance.now()));
  }

  /** Makes the call that waits, if it may be made by now. */
  callNow(): void {
    if (this.#isHeld) this.#call();
  }

  /** Resolves when the connections are closed. */
  async stop(error: BgpError | null): Promise<void> {
    this.#perform(this.#session.stop(error));
    await Promise.all(this.#closing);
  }

  /** Takes over a connection that the peer opened, with the octets already read from it. */
  accept(socket: Socket, octets: Uint8Array | null): void {
    const id = this.#adopt(socket, 'incoming');
    if (octets !== null) this.#perform(this.#session.received(id, octets, performance.now()));
  }

  get connections(): number {
    return this.#sockets.size;
  }

  socket(id: number): Socket | undefined {
    return this.#sockets.get(id);
  }

  /** Writes to the session's socket; false when it is full: `onDrain` is called later. */
  write(id: number, octets: Uint8Array): boolean {
    const socket = this.#sockets.get(id);
    if (socket === undefined) return false;
    if (socket.write(octets)) return true;
    this.#session.stalled(id, performance.now());
    this.#arm();
    return false;
  }

  #perform(actions: readonly Action[]): void {
    for (const action of actions) {
      switch (action.type) {
        case 'connect':
          this.#call();
          break;
        case 'cancel_connect':
          this.#calling?.destroy();
          this.#calling = null;
          this.#isHeld = false;
          break;
        case 'send':
          this.#sockets.get(action.connection)?.write(action.octets);
          break;
        case 'close':
          this.#close(action.connection);
          break;
        case 'established':
        case 'down':
        case 'update':
        case 'refresh':
        case 'error':
          this.#onEvent(action);
      }
    }
    this.#arm();
  }

  #call(): void {
    this.#isHeld = this.#target.mayCall?.() === false;
    if (this.#isHeld) return;
    const { host, port, localAddress } = this.#target;
    const socket = connect({ host, port, ...(localAddress === null ? {} : { localAddress }) });
    this.#calling = socket;
    socket.setTimeout(CONNECT_MILLISECONDS, () => socket.destroy(new Error('no answer')));
    socket.once('connect', () => {
      if (this.#calling !== socket) return;
      this.#calling = null;
      socket.setTimeout(0).removeAllListeners('timeout').removeAllListeners('error');
      this.#adopt(socket, 'outgoing');
    });
    socket.once('error', (error) => {
      if (this.#calling !== socket) return;
      this.#calling = null;
      const reason = `cannot connect to ${host} port ${port}: ${socketReason(error)}`;
      this.#perform(this.#session.connectFailed(reason, performance.now()));
    });
  }

  #adopt(socket: Socket, direction: Direction): number {
    const id = ++this.#lastId;
    let reason = 'the peer closed the connection';
    this.#sockets.set(id, socket);
    socket.setNoDelay(true);
    socket.on('data', (octets) => {
      this.#reading?.hasRead(socket, octets.length);
      this.#perform(this.#session.received(id, octets, performance.now()));
    });
    socket.on('drain', () => {
      this.#session.progressed(id);
      this.#onDrain();
    });
    socket.on('error', (error) => {
      reason = socketReason(error);
    });
    socket.on('end', () => socket.destroy());
    socket.on('close', () => {
      if (this.#sockets.delete(id)) this.#perform(this.#session.disconnected(id, reason, performance.now()));
    });
    this.#perform(this.#session.connected(id, direction, performance.now()));
    return id;
  }

  #close(id: number): void {
    const socket = this.#sockets.get(id);
    if (socket === undefined) return;
    this.#sockets.delete(id);
    const closed = closeSoon(socket).finally(() => this.#closing.delete(closed));
    this.#closing.add(closed);
  }

  /** One timer for the session's next deadline; it may fire early and is then set again, which costs less than moving it each time. */
  #arm(): void {
    const { deadline } = this.#session;
    if (deadline >= this.#timerAt && deadline !== Infinity) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#timerAt = deadline;
    if (deadline === Infinity) return;
    this.#timer = setTimeout(
      () => {
        // Reads what has arrived first: after a busy time, octets may be waiting although a deadline seems to have passed.
        setImmediate(() => {
          this.#timer = null;
          this.#timerAt = Infinity;
          this.#perform(this.#session.expire(performance.now()));
        });
      },
      Math.max(0, deadline - performance.now()),
    );
  }
}

/** Sends what is pending, then closes, and resolves when that is done; a peer that does not read is cut off after a timeout. */
export function closeSoon(socket: Socket): Promise<void> {
  socket.removeAllListeners('data');
  socket.resume();
  socket.on('error', () => undefined);
  socket.destroySoon();
  const timer = setTimeout(() => socket.destroy(), LINGER);
  return new Promise((resolve) => {
    socket.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
