/** Recognises NOTIFICATIONs by the words of daemons that report neither code nor subcode. Pure. */
import { notificationName } from '../bgp/notification.ts';
import type { SessionNotification } from './speaker.ts';

/** A daemon's words for each subcode, by code; the first is what it says of a code without a subcode. */
export type NotificationWords = Readonly<Record<number, readonly (string | null)[]>>;

/**
 * Finds code and subcode by the daemon's words, in any case.
 * @param text the peer's own words; null: none
 * @returns null where the words are not those of a known NOTIFICATION
 */
export function notificationOf(
  known: NotificationWords,
  direction: SessionNotification['direction'],
  words: string,
  text: string | null,
): SessionNotification | null {
  const wanted = words.toLowerCase();
  for (const [code, names] of Object.entries(known)) {
    const subcode = names.findIndex((name) => name?.toLowerCase() === wanted);
    if (subcode >= 0) return numbered(direction, Number(code), subcode, text);
  }
  return null;
}

/** A NOTIFICATION whose numbers the daemon reports. */
export function numbered(
  direction: SessionNotification['direction'],
  code: number,
  subcode: number,
  text: string | null,
): SessionNotification {
  return { direction, code, subcode, name: notificationName(code, subcode), text };
}
