/** Splits a byte stream into messages and checks their headers (RFC 4271 section 6.1). */
import { HEADER_LENGTH, MAX_EXTENDED_MESSAGE_LENGTH, MAX_MESSAGE_LENGTH, MessageType } from './message.ts';
import { BgpError, ErrorCode, HeaderSubcode } from './notification.ts';
import { concatOctets, readU16 } from './octets.ts';

/** A message without its header; `body` is a view of the received octets and valid until the next push. */
export interface RawMessage {
  readonly type: number;
  readonly body: Uint8Array;
}

/** Smallest complete message of each type, header included. */
const MINIMUM: Readonly<Record<number, number>> = {
  [MessageType.open]: 29,
  [MessageType.update]: 23,
  [MessageType.notification]: 21,
  [MessageType.keepalive]: 19,
  [MessageType.routeRefresh]: 23,
};

/**
 * Splits a stream into messages. Holds at most one incomplete message, so a peer cannot make it grow beyond 64 KiB plus the octets of one
 * read.
 */
export class MessageReader {
  #pending: Uint8Array = new Uint8Array(0);
  #at = 0;

  push(octets: Uint8Array): void {
    const rest = this.#pending.subarray(this.#at);
    this.#pending = rest.length === 0 ? octets : concatOctets([rest, octets]);
    this.#at = 0;
  }

  /**
   * The next whole message, or null when more octets are needed.
   * @throws BgpError Message Header Error, RFC 4271 section 6.1.
   */
  next(): RawMessage | null {
    const available = this.#pending.length - this.#at;
    if (available < HEADER_LENGTH) return null;
    const { type, length } = this.#header();
    if (available < length) return null;
    const body = this.#pending.subarray(this.#at + HEADER_LENGTH, this.#at + length);
    this.#at += length;
    return { type, body };
  }

  #header(): { type: number; length: number } {
    for (let i = 0; i < 16; i++) {
      if (this.#pending[this.#at + i] !== 0xff) {
        throw new BgpError(ErrorCode.header, HeaderSubcode.notSynchronized, 'the marker is not all ones');
      }
    }
    const length = readU16(this.#pending, this.#at + 16);
    const type = this.#pending[this.#at + 18]!;
    const minimum = MINIMUM[type];
    if (minimum === undefined) {
      throw new BgpError(
        ErrorCode.header,
        HeaderSubcode.badType,
        `message type ${type} is unknown`,
        Uint8Array.of(type),
      );
    }
    // OPEN and KEEPALIVE never grow with RFC 8654. The others may, because our OPEN offers the capability.
    const maximum =
      type === MessageType.keepalive
        ? HEADER_LENGTH
        : type === MessageType.open
          ? MAX_MESSAGE_LENGTH
          : MAX_EXTENDED_MESSAGE_LENGTH;
    if (length < minimum || length > maximum) {
      const data = this.#pending.slice(this.#at + 16, this.#at + 18);
      throw new BgpError(
        ErrorCode.header,
        HeaderSubcode.badLength,
        `length ${length} is impossible for type ${type}`,
        data,
      );
    }
    return { type, length };
  }
}
