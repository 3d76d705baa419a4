/**
 * The session with one peer as a state machine (RFC 4271 section 8): events and the time go in, actions come out, and `deadline` says when
 * to call `expire`. Idle, Connect and Active are handled here; from OpenSent on a {@link Connection} takes over, or two of them until a
 * collision is resolved (section 6.8).
 */
import { Connection } from './connection.ts';
import type { ConnectionEvent, Direction } from './connection.ts';
import type { Negotiated, SessionSettings } from './negotiation.ts';
import {
  BgpError,
  CeaseSubcode,
  describeNotification,
  encodeNotification,
  ErrorCode,
  hardReset,
  reportNotification,
} from './notification.ts';
import type { NotificationReport } from './notification.ts';
import { DEFAULT_TIMING } from './timing.ts';
import type { SessionTiming } from './timing.ts';
import type { Family } from './message.ts';
import type { Update } from './update.ts';

export type SessionState = 'idle' | 'connect' | 'active' | 'open_sent' | 'open_confirm' | 'established';

/** What the owner of the sockets must do, in order. `connection` is the number under which it reported the connection. */
export type Action =
  /** Connect to the peer; report `connected` or `connectFailed`. */
  | { readonly type: 'connect' }
  /** Abort the connection attempt; nothing needs to be reported. */
  | { readonly type: 'cancel_connect' }
  | { readonly type: 'send'; readonly connection: number; readonly octets: Uint8Array }
  /** Close after what was sent is out; nothing needs to be reported. */
  | { readonly type: 'close'; readonly connection: number }
  | { readonly type: 'established'; readonly connection: number; readonly negotiated: Negotiated }
  /** The established session ended. */
  | { readonly type: 'down' }
  | { readonly type: 'update'; readonly update: Update }
  | { readonly type: 'refresh'; readonly family: Family }
  /** Something failed; the text is for people. With the NOTIFICATION, if there was one. */
  | { readonly type: 'error'; readonly text: string; readonly notification: NotificationReport | null };

const STATE_ORDER: readonly SessionState[] = ['open_sent', 'open_confirm', 'established'];

/** Cease subcodes after which the peer should drop the routes even with graceful restart (RFC 8538 section 3.1). */
const FINAL_CEASE: readonly number[] = [CeaseSubcode.administrativeShutdown, CeaseSubcode.peerDeconfigured];

export class Session {
  readonly #settings: SessionSettings;
  readonly #timing: SessionTiming;
  readonly #random: () => number;
  readonly #connections = new Map<number, Connection>();
  #started = false;
  #connecting = false;
  #restarting: boolean;
  #failures = 0;
  #upSince = Infinity;
  #retryDeadline = Infinity;
  #hurriedAt = -Infinity;
  #actions: Action[] = [];
  /** Families for which `#actions` has a `refresh`. */
  readonly #refreshes = new Set<Family>();

  /**
   * `restarting`: no session with this peer has been established by this process (sets the R bit until one is).
   * `random`: numbers from 0 to 1 for jitter.
   */
  constructor(
    settings: SessionSettings,
    restarting: boolean,
    random: () => number,
    timing: SessionTiming = DEFAULT_TIMING,
  ) {
    this.#settings = settings;
    this.#restarting = restarting;
    this.#random = random;
    this.#timing = timing;
  }

  get state(): SessionState {
    if (!this.#started) return 'idle';
    const furthest = Math.max(
      -1,
      ...[...this.#connections.values()].map(({ state }) => STATE_ORDER.indexOf(state)),
    );
    return STATE_ORDER[furthest] ?? (this.#connecting ? 'connect' : 'active');
  }

  /** When `expire` is to be called, in the caller's milliseconds; Infinity: never. */
  get deadline(): number {
    return Math.min(this.#retryDeadline, ...[...this.#connections.values()].map(({ deadline }) => deadline));
  }

  /** When the next attempt to connect begins, in the caller's milliseconds; Infinity: none is planned. */
  get nextAttempt(): number {
    return this.#retryDeadline;
  }

  /** A caller that has sent no OPEN may never do so: it does not prevent our own attempts. */
  get #isUnderWay(): boolean {
    return [...this.#connections.values()].some(
      ({ direction, state }) => direction === 'outgoing' || state !== 'open_sent',
    );
  }

  start(): Action[] {
    if (!this.#started) {
      this.#started = true;
      if (!this.#settings.passive) this.#connect();
    }
    return this.#take();
  }

  /** Ends everything: with `error` by NOTIFICATION, with null by dropping the connections, so that routes are kept (RFC 4724). */
  stop(error: BgpError | null): Action[] {
    this.#started = false;
    this.#retryDeadline = Infinity;
    this.#cancelConnect();
    for (const connection of [...this.#connections.values()]) this.#drop(connection, error);
    return this.#take();
  }

  /** A TCP connection is open, from either side; `id` names it from here on. */
  connected(id: number, direction: Direction, now: number): Action[] {
    if (direction === 'outgoing') this.#connecting = false;
    const connection = new Connection(id, direction, this.#settings, this.#timing, this.#random, now);
    this.#connections.set(id, connection);
    if (this.#started) this.#send(id, connection.open(this.#restarting));
    else this.#drop(connection, new BgpError(ErrorCode.cease, CeaseSubcode.connectionRejected));
    return this.#take();
  }

  connectFailed(reason: string, now: number): Action[] {
    this.#connecting = false;
    this.#fail(reason);
    this.#retry(now);
    return this.#take();
  }

  /** The TCP connection ended without this side closing it. */
  disconnected(id: number, reason: string, now: number): Action[] {
    const connection = this.#connections.get(id);
    if (connection !== undefined) {
      const hint = connection.state === 'established' ? '' : ' before the session was up';
      this.#lost(connection, `${reason}${hint}`, now);
    }
    return this.#take();
  }

  received(id: number, octets: Uint8Array, now: number): Action[] {
    this.#connections.get(id)?.push(octets);
    this.#guard(id, now, (connection) => {
      for (let event = connection.next(now); event !== null; event = connection.next(now)) {
        this.#handle(connection, event, now);
        if (!this.#connections.has(id)) return;
      }
    });
    return this.#take();
  }

  /** The socket of `id` is full, or takes octets again: watched by the send hold timer. */
  stalled(id: number, now: number): void {
    this.#connections.get(id)?.stalled(now);
  }

  progressed(id: number): void {
    this.#connections.get(id)?.progressed();
  }

  /** Does what is due at `now`. Read from sockets first: octets that have arrived but were not read are not silence. */
  expire(now: number): Action[] {
    for (const id of [...this.#connections.keys()]) {
      this.#guard(id, now, (connection) => {
        const keepalive = connection.expire(now);
        if (keepalive !== null) this.#send(id, keepalive);
      });
    }
    if (now >= this.#retryDeadline) {
      this.#retryDeadline = Infinity;
      if (!this.#settings.passive) this.#connect();
    }
    return this.#take();
  }

  /**
   * Somebody may have corrected what kept the peer away: a connection that is to be tried much later is tried now. Not for each of many
   * applies in a row: a peer that ends session after session is to be left alone.
   */
  hurry(now: number): Action[] {
    const { hurryAbove, retryLast } = this.#timing;
    if (this.#retryDeadline === Infinity || this.#retryDeadline - now < hurryAbove) return [];
    if (now - this.#hurriedAt < retryLast) return [];
    this.#hurriedAt = now;
    this.#retryDeadline = now;
    return this.expire(now);
  }

  #handle(connection: Connection, event: ConnectionEvent, now: number): void {
    switch (event.type) {
      case 'opened':
        this.#opened(connection, now);
        break;
      case 'established':
        this.#established(connection, event.negotiated, now);
        break;
      case 'notification':
        this.#lost(
          connection,
          `the peer sent ${describeNotification(event.notification)}`,
          now,
          reportNotification('received', event.notification),
        );
        break;
      case 'update':
        this.#actions.push(event);
        break;
      case 'refresh':
        // A peer that asks a thousand times in a row means what one that asks once means.
        if (!this.#refreshes.has(event.family)) this.#actions.push(event);
        this.#refreshes.add(event.family);
        break;
    }
  }

  /** The peer's OPEN is valid: continue, unless another connection is the one to keep (RFC 4271 section 6.8). */
  #opened(connection: Connection, now: number): void {
    const others = [...this.#connections.values()].filter((other) => other !== connection);
    const rival =
      others.find(({ state }) => state === 'established') ??
      others.find(({ state }) => state === 'open_confirm');
    if (rival !== undefined) {
      const replaced =
        rival.state === 'established'
          ? this.#peerRestarted(rival, connection, now)
          : this.#loses(rival, connection);
      if (!replaced) {
        this.#drop(connection, collision());
        return;
      }
      this.#drop(rival, rival.state === 'established' ? null : collision());
    }
    this.#retryDeadline = Infinity;
    this.#send(connection.id, connection.confirm(now));
  }

  /**
   * A peer with graceful restart that connects while its old session still seems up has lost that session (RFC 4724 section 5). The same
   * holds for hold time 0, where no timer of ours would notice: the peer would be refused for ever.
   */
  #peerRestarted(rival: Connection, { direction }: Connection, now: number): boolean {
    const old = now - rival.establishedAt >= this.#timing.restartAfter;
    const { gracefulRestart, holdTime } = rival.negotiated!;
    return direction === 'incoming' && old && (gracefulRestart !== null || holdTime === 0);
  }

  #loses(rival: Connection, connection: Connection): boolean {
    // Two connections from the same side: the older one is dead, or the peer would not have connected again.
    if (rival.direction === connection.direction) return true;
    const { remoteIdentifier, remoteAsn } = connection.negotiated!;
    const { identifier, localAsn } = this.#settings;
    // Equal identifiers are possible between autonomous systems: then the numbers decide (RFC 6286 section 2.3).
    const ownCallStays =
      identifier === remoteIdentifier ? localAsn > remoteAsn : identifier > remoteIdentifier;
    return rival.direction === (ownCallStays ? 'incoming' : 'outgoing');
  }

  #established(connection: Connection, negotiated: Negotiated, now: number): void {
    this.#restarting = false;
    this.#upSince = now;
    this.#retryDeadline = Infinity;
    this.#cancelConnect();
    for (const other of [...this.#connections.values()]) {
      if (other !== connection) this.#drop(other, collision());
    }
    this.#actions.push({ type: 'established', connection: connection.id, negotiated });
  }

  /** The peer closed a connection; that is not a failure when the other one of a collision continues. */
  #lost(
    connection: Connection,
    reason: string,
    now: number,
    notification: NotificationReport | null = null,
  ): void {
    if (this.#connections.size === 1 || connection.state === 'established') this.#fail(reason, notification);
    this.#drop(connection, null);
    this.#retry(now);
  }

  /** Runs `work` on a connection; an error it throws goes to the peer and ends the connection. */
  #guard(id: number, now: number, work: (connection: Connection) => void): void {
    const connection = this.#connections.get(id);
    if (connection === undefined) return;
    try {
      work(connection);
    } catch (error) {
      if (!(error instanceof BgpError)) throw error;
      // Beside an established session, an error of another connection does not matter.
      if (this.state !== 'established' || connection.state === 'established')
        this.#fail(`sent ${error.message}`, reportNotification('sent', error));
      this.#drop(connection, error);
      this.#retry(now);
    }
  }

  #drop(connection: Connection, error: BgpError | null): void {
    if (!this.#connections.delete(connection.id)) return;
    if (error !== null) {
      const final = error.code === ErrorCode.cease && FINAL_CEASE.includes(error.subcode);
      const wrap = final && connection.negotiated?.gracefulNotification === true;
      this.#send(connection.id, encodeNotification(wrap ? hardReset(error) : error));
    }
    this.#actions.push({ type: 'close', connection: connection.id });
    if (connection.state === 'established') this.#actions.push({ type: 'down' });
  }

  /** Plans the next attempt when none is in progress. A planned attempt stays, whichever side closed meanwhile. */
  #retry(now: number): void {
    if (!this.#started || this.#connecting || this.#isUnderWay || this.#settings.passive) return;
    if (this.#retryDeadline !== Infinity) return;
    if (now - this.#upSince >= this.#timing.stableAfter) this.#failures = 0;
    this.#upSince = Infinity;
    const pause = Math.min(this.#timing.retryLast, this.#timing.retryFirst * 2 ** this.#failures);
    this.#failures = Math.min(this.#failures + 1, 16);
    this.#retryDeadline = now + pause * (0.75 + 0.25 * this.#random());
  }

  #connect(): void {
    if (this.#connecting || this.#isUnderWay) return;
    this.#connecting = true;
    this.#actions.push({ type: 'connect' });
  }

  #cancelConnect(): void {
    if (!this.#connecting) return;
    this.#connecting = false;
    this.#actions.push({ type: 'cancel_connect' });
  }

  #fail(text: string, notification: NotificationReport | null = null): void {
    this.#actions.push({ type: 'error', text, notification });
  }

  #send(connection: number, octets: Uint8Array): void {
    this.#actions.push({ type: 'send', connection, octets });
  }

  #take(): Action[] {
    const actions = this.#actions;
    this.#actions = [];
    this.#refreshes.clear();
    return actions;
  }
}

function collision(): BgpError {
  return new BgpError(ErrorCode.cease, CeaseSubcode.collision);
}
