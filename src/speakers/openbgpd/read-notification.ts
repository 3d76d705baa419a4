/** Reads the NOTIFICATION from the last error of a session in bgpctl's output. Pure. */
import { notificationOf, numbered, type NotificationWords } from '../daemon-notifications.ts';
import type { SessionNotification } from '../speaker.ts';

/** bgpctl's words before the comma, and its words for codes without subcodes. */
const CODES: NotificationWords = {
  1: ['Header error'],
  2: ['error in OPEN message'],
  3: ['error in UPDATE message'],
  4: ['HoldTimer expired'],
  5: ['Finite State Machine error'],
  6: ['Cease'],
  7: ['error in ROUTE-REFRESH message'],
  8: ['SendHoldTimer expired'],
};

const SUBCODES: NotificationWords = {
  1: ['none', 'synchronization error', 'wrong length', 'unknown message type'],
  2: [
    'none',
    'version mismatch',
    'AS unacceptable',
    'BGPID invalid',
    'optional parameter error',
    'authentication error',
    'unacceptable holdtime',
    'unsupported capability',
    null,
    null,
    null,
    'role mismatch',
  ],
  3: [
    'none',
    'attribute list error',
    'unknown well-known attribute',
    'well-known attribute missing',
    'attribute flags error',
    'attribute length wrong',
    'origin unacceptable',
    'loop detected',
    'nexthop unacceptable',
    'optional attribute error',
    'network unacceptable',
    'AS-Path unacceptable',
  ],
  5: [
    'none',
    'received unexpected message in OpenSent',
    'received unexpected message in OpenConfirm',
    'received unexpected message in Established',
  ],
  6: [
    'none',
    'received max-prefix exceeded',
    'administratively down',
    'peer unconfigured',
    'administrative reset',
    'connection rejected',
    'other config change',
    'collision',
    'resource exhaustion',
    'hard reset',
    'BFD down',
  ],
};

/**
 * @param words such as `Cease, administratively down`
 * @param text the peer's own words (RFC 9003); null: none
 */
export function readNotification(
  direction: SessionNotification['direction'],
  words: string,
  text: string | null,
): SessionNotification | null {
  const [of, detail] = words.split(', ', 2) as [string, string?];
  const whole = notificationOf(CODES, direction, of, text);
  if (whole === null || detail === undefined) return whole;
  const unknown = /^unknown subcode (\d+)$/.exec(detail)?.[1];
  if (unknown !== undefined) return numbered(direction, whole.code, Number(unknown), text);
  return notificationOf({ [whole.code]: SUBCODES[whole.code] ?? [] }, direction, detail, text) ?? whole;
}
