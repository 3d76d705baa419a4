/**
 * Outgoing UPDATEs: a buffer filled with whole messages straight from typed arrays, with as many prefixes in a message as fit. One chunk is
 * one write to the socket; callers fill the next when the socket has taken the last.
 */
import { AFI, SAFI_UNICAST } from './capability.ts';
import { AttributeFlag, AttributeType } from './attributes.ts';
import type { EncodedAttributes } from './attributes.ts';
import { HEADER_LENGTH, MAX_EXTENDED_MESSAGE_LENGTH, MessageType, writeHeader } from './message.ts';
import type { Family } from './message.ts';
import { maxPrefixOctets, wordsPerAddress, writePrefix } from './nlri.ts';
import type { Rows } from './nlri.ts';
import { writeU16 } from './octets.ts';

/** Rows to send: all of `rows` from `from` to `to`, or where `order` is given, the rows that it names at these positions. */
export interface RowRange {
  readonly rows: Rows;
  readonly order: Uint32Array | null;
  readonly to: number;
}

/** Octets of an announcement beside the prefixes and the shared attributes: header, two lengths, MP_REACH_NLRI's head. */
function overhead(attributes: EncodedAttributes): number {
  const multiprotocol = attributes.family === 'ipv4' ? 0 : 4 + 2 + 1 + 1 + attributes.nextHop.length + 1;
  return HEADER_LENGTH + 4 + multiprotocol + attributes.octets.length;
}

/** True when a message of `maxMessage` octets has room for these attributes and one prefix of any length. */
export function attributesFit(attributes: EncodedAttributes, maxMessage: number): boolean {
  return overhead(attributes) + maxPrefixOctets(attributes.family) <= maxMessage;
}

export class UpdateChunk {
  readonly #bytes: Uint8Array;
  readonly #maxMessage: number;
  #length = 0;
  #messages = 0;

  /** `maxMessage`: what the peer takes, 4,096 or 65,535 octets. */
  constructor(maxMessage: number, bytes: Uint8Array = new Uint8Array(MAX_EXTENDED_MESSAGE_LENGTH)) {
    this.#maxMessage = maxMessage;
    this.#bytes = bytes;
  }

  get octets(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  get messages(): number {
    return this.#messages;
  }

  /** False when another message might not fit: the chunk should be written. */
  get hasRoom(): boolean {
    return this.#bytes.length - this.#length >= this.#maxMessage;
  }

  /** Announces rows from position `from` on until the chunk is full or the range ends; returns the next position. */
  announce(attributes: EncodedAttributes, range: RowRange, from: number): number {
    let at = from;
    while (at < range.to && this.hasRoom) {
      at =
        attributes.family === 'ipv4'
          ? this.#announceIpv4(attributes, range, at)
          : this.#announceIpv6(attributes, range, at);
    }
    return at;
  }

  /** Withdraws likewise. */
  withdraw(family: Family, range: RowRange, from: number): number {
    let at = from;
    while (at < range.to && this.hasRoom) {
      at = family === 'ipv4' ? this.#withdrawIpv4(range, at) : this.#withdrawIpv6(range, at);
    }
    return at;
  }

  /** End-of-RIB (RFC 4724 section 2). Needs room for a message. */
  endOfRib(family: Family): void {
    const start = this.#length;
    writeU16(this.#bytes, start + HEADER_LENGTH, 0);
    if (family === 'ipv4') {
      writeU16(this.#bytes, start + HEADER_LENGTH + 2, 0);
      this.#finish(start, start + HEADER_LENGTH + 4);
    } else {
      writeU16(this.#bytes, start + HEADER_LENGTH + 2, 6);
      this.#bytes.set(
        [AttributeFlag.optional, AttributeType.mpUnreach, 3, 0, AFI[family], SAFI_UNICAST],
        start + HEADER_LENGTH + 4,
      );
      this.#finish(start, start + HEADER_LENGTH + 10);
    }
  }

  #announceIpv4(attributes: EncodedAttributes, range: RowRange, from: number): number {
    const start = this.#length;
    const bytes = this.#bytes;
    writeU16(bytes, start + HEADER_LENGTH, 0);
    writeU16(bytes, start + HEADER_LENGTH + 2, attributes.octets.length);
    bytes.set(attributes.octets, start + HEADER_LENGTH + 4);
    const nlriAt = start + HEADER_LENGTH + 4 + attributes.octets.length;
    const next = this.#fill('ipv4', range, from, nlriAt, start + this.#maxMessage);
    this.#finish(start, this.#filledTo);
    return next;
  }

  #announceIpv6(attributes: EncodedAttributes, range: RowRange, from: number): number {
    const start = this.#length;
    const bytes = this.#bytes;
    writeU16(bytes, start + HEADER_LENGTH, 0);
    const reachAt = start + HEADER_LENGTH + 4;
    // First attribute, as RFC 7606 section 5.1 wants it; its length is known once the prefixes are in.
    let at = this.#multiprotocolHead(reachAt, AttributeType.mpReach);
    bytes[at++] = attributes.nextHop.length;
    bytes.set(attributes.nextHop, at);
    at += attributes.nextHop.length;
    bytes[at++] = 0;
    const limit = start + this.#maxMessage - attributes.octets.length;
    const next = this.#fill('ipv6', range, from, at, limit);
    const end = this.#filledTo + attributes.octets.length;
    bytes.set(attributes.octets, this.#filledTo);
    writeU16(bytes, reachAt + 2, this.#filledTo - reachAt - 4);
    writeU16(bytes, reachAt - 2, end - reachAt);
    this.#finish(start, end);
    return next;
  }

  #withdrawIpv4(range: RowRange, from: number): number {
    const start = this.#length;
    const routesAt = start + HEADER_LENGTH + 2;
    const next = this.#fill('ipv4', range, from, routesAt, start + this.#maxMessage - 2);
    writeU16(this.#bytes, routesAt - 2, this.#filledTo - routesAt);
    writeU16(this.#bytes, this.#filledTo, 0);
    this.#finish(start, this.#filledTo + 2);
    return next;
  }

  #withdrawIpv6(range: RowRange, from: number): number {
    const start = this.#length;
    writeU16(this.#bytes, start + HEADER_LENGTH, 0);
    const unreachAt = start + HEADER_LENGTH + 4;
    const at = this.#multiprotocolHead(unreachAt, AttributeType.mpUnreach);
    const next = this.#fill('ipv6', range, from, at, start + this.#maxMessage);
    writeU16(this.#bytes, unreachAt + 2, this.#filledTo - unreachAt - 4);
    writeU16(this.#bytes, unreachAt - 2, this.#filledTo - unreachAt);
    this.#finish(start, this.#filledTo);
    return next;
  }

  #multiprotocolHead(at: number, type: number): number {
    const flags = AttributeFlag.optional | AttributeFlag.extendedLength;
    this.#bytes.set([flags, type, 0, 0, 0, AFI.ipv6, SAFI_UNICAST], at);
    return at + 7;
  }

  /** Where the last {@link #fill} stopped: a field, because the hot path allocates nothing. */
  #filledTo = 0;

  #fill(family: Family, range: RowRange, from: number, at: number, limit: number): number {
    const stride = wordsPerAddress(family);
    const lastStart = limit - maxPrefixOctets(family);
    let position = from;
    let cursor = at;
    while (position < range.to && cursor <= lastStart) {
      const row = range.order === null ? position : range.order[position]!;
      cursor = writePrefix(this.#bytes, cursor, range.rows, stride, row);
      position++;
    }
    this.#filledTo = cursor;
    return position;
  }

  #finish(start: number, end: number): void {
    writeHeader(this.#bytes, start, MessageType.update, end - start);
    this.#length = end;
    this.#messages++;
  }
}
