/**
 * One TCP connection of a session, from OpenSent on (RFC 4271 section 8): its state, its timers as deadlines, and how it handles each
 * message. A session has two of these while a collision is being resolved.
 */
import { encodeKeepalive, MessageType } from './message.ts';
import { MessageReader } from './message-reader.ts';
import type { RawMessage } from './message-reader.ts';
import { negotiate, offerOpen } from './negotiation.ts';
import type { Negotiated, SessionSettings } from './negotiation.ts';
import { BgpError, decodeNotification, ErrorCode, StateMachineSubcode } from './notification.ts';
import type { Notification } from './notification.ts';
import { decodeOpen, encodeOpen } from './open.ts';
import { decodeRouteRefresh } from './route-refresh.ts';
import type { SessionTiming } from './timing.ts';
import { decodeUpdate } from './update.ts';
import type { Update } from './update.ts';
import type { Family } from './message.ts';

/** Who called: `outgoing` when this side did. */
export type Direction = 'outgoing' | 'incoming';

/** What a message means to the session. */
export type ConnectionEvent =
  | { readonly type: 'opened' }
  | { readonly type: 'established'; readonly negotiated: Negotiated }
  | { readonly type: 'update'; readonly update: Update }
  | { readonly type: 'refresh'; readonly family: Family }
  | { readonly type: 'notification'; readonly notification: Notification };

export class Connection {
  readonly id: number;
  readonly direction: Direction;
  state: 'open_sent' | 'open_confirm' | 'established' = 'open_sent';
  negotiated: Negotiated | null = null;
  establishedAt = Infinity;
  readonly #settings: SessionSettings;
  readonly #timing: SessionTiming;
  readonly #random: () => number;
  readonly #reader = new MessageReader();
  #holdDeadline: number;
  #keepaliveDeadline = Infinity;
  #stallDeadline = Infinity;

  constructor(
    id: number,
    direction: Direction,
    settings: SessionSettings,
    timing: SessionTiming,
    random: () => number,
    now: number,
  ) {
    this.id = id;
    this.direction = direction;
    this.#settings = settings;
    this.#timing = timing;
    this.#random = random;
    this.#holdDeadline = now + timing.openHold;
  }

  get deadline(): number {
    return Math.min(this.#holdDeadline, this.#keepaliveDeadline, this.#stallDeadline);
  }

  /** The initial OPEN. */
  open(restarting: boolean): Uint8Array {
    return encodeOpen(offerOpen(this.#settings, restarting));
  }

  push(octets: Uint8Array): void {
    this.#reader.push(octets);
  }

  /** Reads on; null when more octets are needed. @throws BgpError that ends the connection. */
  next(now: number): ConnectionEvent | null {
    for (let message = this.#reader.next(); message !== null; message = this.#reader.next()) {
      const event = this.#accept(message, now);
      if (event !== null) return event;
    }
    return null;
  }

  /** Answers the peer's OPEN: the KEEPALIVE that leads to OpenConfirm. */
  confirm(now: number): Uint8Array {
    this.state = 'open_confirm';
    // Hold time 0 is for sessions: before there is one, a peer that fell silent would block its own next connection.
    if (this.negotiated!.holdTime !== 0) this.#restartHold(now);
    return this.#keepalive(now);
  }

  /** The KEEPALIVE that is due at `now`, or null. @throws BgpError when a deadline of the peer has passed. */
  expire(now: number): Uint8Array | null {
    if (now >= this.#holdDeadline) {
      const seconds = this.negotiated?.holdTime || this.#timing.openHold / 1000;
      throw new BgpError(ErrorCode.holdTimer, 0, `the peer was silent for ${seconds} s`);
    }
    if (now >= this.#stallDeadline) {
      throw new BgpError(ErrorCode.sendHoldTimer, 0, 'the peer has stopped reading');
    }
    return now >= this.#keepaliveDeadline ? this.#keepalive(now) : null;
  }

  /** The socket takes no more octets (RFC 9687): from now on the peer must read some in time. */
  stalled(now: number): void {
    if (this.#stallDeadline !== Infinity) return;
    const holdTime = (this.negotiated?.holdTime ?? 0) * 1000;
    this.#stallDeadline = now + Math.max(this.#timing.sendHold, 2 * holdTime);
  }

  /** The socket takes octets again. */
  progressed(): void {
    this.#stallDeadline = Infinity;
  }

  #accept(message: RawMessage, now: number): ConnectionEvent | null {
    if (message.type === MessageType.notification) {
      return { type: 'notification', notification: decodeNotification(message.body) };
    }
    if (this.state === 'established') return this.#acceptEstablished(message, now);
    if (this.state === 'open_sent' && message.type === MessageType.open) {
      this.negotiated = negotiate(this.#settings, decodeOpen(message.body));
      return { type: 'opened' };
    }
    if (this.state === 'open_confirm' && message.type === MessageType.keepalive) {
      this.state = 'established';
      this.establishedAt = now;
      this.#restartHold(now);
      return { type: 'established', negotiated: this.negotiated! };
    }
    const subcode =
      this.state === 'open_sent' ? StateMachineSubcode.openSent : StateMachineSubcode.openConfirm;
    throw unexpected(message, subcode);
  }

  #acceptEstablished(message: RawMessage, now: number): ConnectionEvent | null {
    this.#restartHold(now);
    switch (message.type) {
      case MessageType.update:
        return { type: 'update', update: decodeUpdate(message.body, this.negotiated!) };
      case MessageType.routeRefresh: {
        const family = decodeRouteRefresh(message.body);
        return family !== null && this.negotiated!.families.includes(family)
          ? { type: 'refresh', family }
          : null;
      }
      case MessageType.keepalive:
        return null;
      default:
        throw unexpected(message, StateMachineSubcode.established);
    }
  }

  #restartHold(now: number): void {
    const { holdTime } = this.negotiated!;
    this.#holdDeadline = holdTime === 0 ? Infinity : now + holdTime * 1000;
  }

  #keepalive(now: number): Uint8Array {
    const { holdTime } = this.negotiated!;
    // A third of the hold time, less up to a quarter of jitter (RFC 4271 sections 4.4 and 10).
    const interval = (holdTime * 1000) / 3;
    this.#keepaliveDeadline = holdTime === 0 ? Infinity : now + interval * (0.75 + 0.25 * this.#random());
    return encodeKeepalive();
  }
}

function unexpected(message: RawMessage, subcode: number): BgpError {
  const data = Uint8Array.of(message.type);
  return new BgpError(ErrorCode.stateMachine, subcode, `message type ${message.type}`, data);
}
