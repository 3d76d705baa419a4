/** NOTIFICATIONs in the words of daemons, which tell neither code nor subcode. Pure. */
import { notificationName } from '../bgp/notification.ts';
import type { SessionNotification } from './speaker.ts';

/** A daemon's words for each subcode, by code; the first is what it says of a code without a subcode. */
export type NotificationWords = Readonly<Record<number, readonly (string | null)[]>>;

/**
 * Finds code and subcode by the daemon's words, whatever their case.
 * @param text the peer's own words; null: none
 * @returns null where they are no NOTIFICATION that the daemon is known to tell of so
 */
export function notificationOf(
  words: NotificationWords,
  direction: SessionNotification['direction'],
  told: string,
  text: string | null,
): SessionNotification | null {
  const wanted = told.toLowerCase();
  for (const [code, names] of Object.entries(words)) {
    const subcode = names.findIndex((name) => name?.toLowerCase() === wanted);
    if (subcode >= 0) return numbered(direction, Number(code), subcode, text);
  }
  return null;
}

/** One whose numbers the daemon tells. */
export function numbered(
  direction: SessionNotification['direction'],
  code: number,
  subcode: number,
  text: string | null,
): SessionNotification {
  return { direction, code, subcode, name: notificationName(code, subcode), text };
}
