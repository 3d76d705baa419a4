/**
 * NOTIFICATION (RFC 4271 section 4.5) and the error that becomes one. Codes and subcodes are those of IANA's "BGP Error
 * (Notification) Codes" registry: RFC 4271, 4486 and 8538 (Cease), 5492, 7313, 9687.
 */
import { MessageType, frameMessage } from './message.ts';
import { concatOctets } from './octets.ts';

export const ErrorCode = {
  header: 1,
  open: 2,
  update: 3,
  holdTimer: 4,
  stateMachine: 5,
  cease: 6,
  routeRefresh: 7,
  sendHoldTimer: 8,
} as const;

export const HeaderSubcode = { notSynchronized: 1, badLength: 2, badType: 3 } as const;

export const OpenSubcode = {
  unspecific: 0,
  unsupportedVersion: 1,
  badPeerAs: 2,
  badIdentifier: 3,
  unsupportedParameter: 4,
  unacceptableHoldTime: 6,
  unsupportedCapability: 7,
} as const;

export const UpdateSubcode = {
  malformedAttributes: 1,
  unrecognizedWellKnown: 2,
  optionalAttribute: 9,
  invalidNetwork: 10,
} as const;

export const StateMachineSubcode = { openSent: 1, openConfirm: 2, established: 3 } as const;

export const CeaseSubcode = {
  maximumPrefixes: 1,
  administrativeShutdown: 2,
  peerDeconfigured: 3,
  administrativeReset: 4,
  connectionRejected: 5,
  configurationChange: 6,
  collision: 7,
  outOfResources: 8,
  hardReset: 9,
} as const;

const CODE_NAMES: readonly string[] = [
  'Reserved',
  'Message Header Error',
  'OPEN Message Error',
  'UPDATE Message Error',
  'Hold Timer Expired',
  'Finite State Machine Error',
  'Cease',
  'ROUTE-REFRESH Message Error',
  'Send Hold Timer Expired',
];

const SUBCODE_NAMES: Readonly<Record<number, readonly string[]>> = {
  1: ['Unspecific', 'Connection Not Synchronized', 'Bad Message Length', 'Bad Message Type'],
  2: [
    'Unspecific',
    'Unsupported Version Number',
    'Bad Peer AS',
    'Bad BGP Identifier',
    'Unsupported Optional Parameter',
    'Authentication Failure',
    'Unacceptable Hold Time',
    'Unsupported Capability',
    '',
    '',
    '',
    'Role Mismatch',
  ],
  3: [
    'Unspecific',
    'Malformed Attribute List',
    'Unrecognized Well-known Attribute',
    'Missing Well-known Attribute',
    'Attribute Flags Error',
    'Attribute Length Error',
    'Invalid ORIGIN Attribute',
    'AS Routing Loop',
    'Invalid NEXT_HOP Attribute',
    'Optional Attribute Error',
    'Invalid Network Field',
    'Malformed AS_PATH',
  ],
  5: ['Unspecific', 'Unexpected in OpenSent', 'Unexpected in OpenConfirm', 'Unexpected in Established'],
  6: [
    'Unspecific',
    'Maximum Number of Prefixes Reached',
    'Administrative Shutdown',
    'Peer De-configured',
    'Administrative Reset',
    'Connection Rejected',
    'Other Configuration Change',
    'Connection Collision Resolution',
    'Out of Resources',
    'Hard Reset',
    'BFD Down',
  ],
  7: ['Reserved', 'Invalid Message Length'],
};

export interface Notification {
  readonly code: number;
  readonly subcode: number;
  readonly data: Uint8Array;
}

/** An error that ends the session: becomes the NOTIFICATION that is sent. The only error that this room throws. */
export class BgpError extends Error implements Notification {
  override readonly name = 'BgpError';
  readonly code: number;
  readonly subcode: number;
  readonly data: Uint8Array;

  constructor(code: number, subcode: number, detail = '', data: Uint8Array = new Uint8Array(0)) {
    super(detail === '' ? notificationName(code, subcode) : `${notificationName(code, subcode)}: ${detail}`);
    this.code = code;
    this.subcode = subcode;
    this.data = data;
  }
}

/** "Cease, Administrative Shutdown": code and subcode in the registry's words. */
export function notificationName(code: number, subcode: number): string {
  const name = CODE_NAMES[code] ?? `error code ${code}`;
  const detail = SUBCODE_NAMES[code]?.[subcode] || (subcode === 0 ? '' : `subcode ${subcode}`);
  return detail === '' || detail === 'Unspecific' ? name : `${name}, ${detail}`;
}

export function encodeNotification({ code, subcode, data }: Notification): Uint8Array {
  return frameMessage(MessageType.notification, concatOctets([Uint8Array.of(code, subcode), data]));
}

/** `body` holds at least the two octets that the message reader enforces. */
export function decodeNotification(body: Uint8Array): Notification {
  return { code: body[0]!, subcode: body[1]!, data: body.slice(2) };
}

/** A received NOTIFICATION as one readable line, with the peer's own words (RFC 9003), or the limit that was reached (RFC 4486), where it sent them. */
export function describeNotification({ code, subcode, data }: Notification): string {
  const name = notificationName(code, subcode);
  if (code !== ErrorCode.cease) return name;
  if (subcode === CeaseSubcode.hardReset && data.length >= 2) {
    const inner = decodeNotification(data);
    // A hard reset inside a hard reset could recurse as deep as the peer likes.
    const cause = inner.subcode === CeaseSubcode.hardReset ? 'Hard Reset' : describeNotification(inner);
    return `${name} (${cause})`;
  }
  const limit = subcode === CeaseSubcode.maximumPrefixes ? prefixLimit(data) : null;
  if (limit !== null) return `${name}: ${limit}`;
  const words = shutdownCommunication(subcode, data);
  return words === '' ? name : `${name}: "${words}"`;
}

/** A NOTIFICATION as it is reported: its numbers, the registry's words for them, and the peer's own. */
export interface NotificationReport {
  readonly direction: 'received' | 'sent';
  readonly code: number;
  readonly subcode: number;
  readonly name: string;
  /** The shutdown communication (RFC 9003), or the limit that was reached (RFC 4486 section 4); null: there is none. */
  readonly text: string | null;
}

export function reportNotification(
  direction: NotificationReport['direction'],
  { code, subcode, data }: Notification,
): NotificationReport {
  const name = notificationName(code, subcode);
  if (code !== ErrorCode.cease) return { direction, code, subcode, name, text: null };
  if (subcode === CeaseSubcode.hardReset && data.length >= 2) {
    // The error inside a hard reset is why it was sent (RFC 8538 section 3.1).
    const inner = decodeNotification(data);
    if (inner.code !== ErrorCode.cease || inner.subcode !== CeaseSubcode.hardReset) {
      const cause = reportNotification(direction, inner);
      return { ...cause, name: `${cause.name} (${name})` };
    }
  }
  const text =
    subcode === CeaseSubcode.maximumPrefixes ? prefixLimit(data) : shutdownCommunication(subcode, data);
  return { direction, code, subcode, name, text: text || null };
}

/** Address family, subsequent family, and the upper bound. */
function prefixLimit(data: Uint8Array): string | null {
  if (data.length < 7) return null;
  const view = new DataView(data.buffer, data.byteOffset);
  const family = FAMILY_NAMES[view.getUint16(0)] ?? `address family ${view.getUint16(0)}`;
  return `the limit is ${view.getUint32(3)} ${family} prefixes`;
}

const FAMILY_NAMES: Readonly<Record<number, string>> = { 1: 'IPv4', 2: 'IPv6' };

function shutdownCommunication(subcode: number, data: Uint8Array): string {
  const speaks =
    subcode === CeaseSubcode.administrativeShutdown || subcode === CeaseSubcode.administrativeReset;
  if (!speaks || data.length === 0) return '';
  const text = new TextDecoder().decode(data.subarray(1, 1 + data[0]!));
  // Written by a stranger and shown in logs and consoles: control characters are removed.
  return text.replace(/\p{C}/gu, ' ').trim();
}

/** Cease with a text for the operator at the other end (RFC 9003), cut to the 255 octets that fit. */
export function administrativeShutdown(
  text: string,
  subcode: number = CeaseSubcode.administrativeShutdown,
): BgpError {
  let words = new TextEncoder().encode(text);
  for (let kept = text; words.length > 255; words = new TextEncoder().encode(kept))
    kept = [...kept].slice(0, -1).join('');
  return new BgpError(ErrorCode.cease, subcode, text, concatOctets([Uint8Array.of(words.length), words]));
}

/** Wraps a Cease so that a peer with the N bit (RFC 8538 section 3.1) drops the routes instead of keeping them. */
export function hardReset(error: BgpError): BgpError {
  const data = concatOctets([Uint8Array.of(error.code, error.subcode), error.data]);
  return new BgpError(ErrorCode.cease, CeaseSubcode.hardReset, error.message, data);
}
