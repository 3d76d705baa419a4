/** Reads the NOTIFICATION from the last error of a session in BIRD's output. Pure. */
import { notificationOf, numbered, type NotificationWords } from '../../daemon-notifications.ts';
import type { SessionNotification } from '../../speaker.ts';

/** As in `bgp_msg_table` of BIRD 2 and 3. */
const WORDS: NotificationWords = {
  1: ['Invalid message header', 'Connection not synchronized', 'Bad message length', 'Bad message type'],
  2: [
    'Invalid OPEN message',
    'Unsupported version number',
    'Bad peer AS',
    'Bad BGP identifier',
    'Unsupported optional parameter',
    'Authentication failure',
    'Unacceptable hold time',
    'Required capability missing',
    'No supported AFI/SAFI',
    null,
    null,
    'Role mismatch',
  ],
  3: [
    'Invalid UPDATE message',
    'Malformed attribute list',
    'Unrecognized well-known attribute',
    'Missing mandatory attribute',
    'Invalid attribute flags',
    'Invalid attribute length',
    'Invalid ORIGIN attribute',
    'AS routing loop',
    'Invalid NEXT_HOP attribute',
    'Optional attribute error',
    'Invalid network field',
    'Malformed AS_PATH',
  ],
  4: ['Hold timer expired'],
  5: [
    'Finite state machine error',
    'Unexpected message in OpenSent state',
    'Unexpected message in OpenConfirm state',
    'Unexpected message in Established state',
  ],
  6: [
    'Cease',
    'Maximum number of prefixes reached',
    'Administrative shutdown',
    'Peer de-configured',
    'Administrative reset',
    'Connection rejected',
    'Other configuration change',
    'Connection collision resolution',
    'Out of Resources',
    'Hard reset',
    'BFD down',
  ],
  7: ['Invalid ROUTE-REFRESH message', 'Invalid ROUTE-REFRESH message length'],
  8: ['Send hold timer expired'],
};

/**
 * @param error such as `Received: Administrative shutdown`, or `BGP Error: Hold timer expired` for one that BIRD sent
 * @param message the peer's own words (RFC 9003) as BIRD reports them; null: none
 */
export function readNotification(error: string, message: string | null): SessionNotification | null {
  const [, origin, words] = /^(Received|BGP Error): (.+)$/.exec(error) ?? [];
  if (words === undefined) return null;
  const direction = origin === 'Received' ? 'received' : 'sent';
  const text = direction === 'received' ? message : null;
  const [, code, subcode] = /^Unknown error (\d+)\.(\d+)$/.exec(words) ?? [];
  return code === undefined
    ? notificationOf(WORDS, direction, words, text)
    : numbered(direction, Number(code), Number(subcode), text);
}
