/**
 * BGP-4 as values: messages to octets and back, and the session state machine. Nothing here opens a socket, reads a clock or sets a timer:
 * octets, events and times go in; octets, actions and deadlines come out. `speakers/builtin` and `prefixcast listen` add sockets and
 * timers. This room imports no other room: prefixes are typed arrays of words.
 *
 * A received octet goes message-reader -> open | update | route-refresh | notification -> connection -> session.
 * This file: the header that every message has (RFC 4271 section 4.1).
 */
import { writeU16 } from './octets.ts';

export type Family = 'ipv4' | 'ipv6';

export const HEADER_LENGTH = 19;
/** Largest message without and with the extended message capability (RFC 8654), in octets. */
export const MAX_MESSAGE_LENGTH = 4096;
export const MAX_EXTENDED_MESSAGE_LENGTH = 65_535;

export const MessageType = { open: 1, update: 2, notification: 3, keepalive: 4, routeRefresh: 5 } as const;

/** Puts the header in front of `body`. */
export function frameMessage(type: number, body: Uint8Array): Uint8Array {
  const message = new Uint8Array(HEADER_LENGTH + body.length);
  writeHeader(message, 0, type, message.length);
  message.set(body, HEADER_LENGTH);
  return message;
}

/** Writes marker, length and type at `offset`. */
export function writeHeader(target: Uint8Array, offset: number, type: number, length: number): void {
  target.fill(0xff, offset, offset + 16);
  writeU16(target, offset + 16, length);
  target[offset + 18] = type;
}

export function encodeKeepalive(): Uint8Array {
  return frameMessage(MessageType.keepalive, new Uint8Array(0));
}
