/**
 * Names that the driver gives to things in GoBGP. They are made of hashes: nothing that a tenant typed gets into GoBGP, and what is ours
 * is told from what is not.
 */
import { createHash } from 'node:crypto';

const OURS = 'pcast-';

export function digest(text: string, digits: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, digits);
}

/** Of a set that nothing refers to: it says whose the speaker is. */
export function ownerName(serviceId: string, speakerId: string): string {
  return `${speakerTag(speakerId)}-of-${serviceId}-${speakerId}`;
}

/** The id of the speaker that a set is named for, if it is the service's. */
export function speakerNamed(name: string, serviceId: string): string | null {
  const speakerId = name.slice(-serviceId.length);
  return name === ownerName(serviceId, speakerId) ? speakerId : null;
}

/** What every name of the speaker begins with. */
export function speakerTag(speakerId: string): string {
  return OURS + digest(speakerId, 8);
}

/** The tag that a name begins with; null for a name of somebody else. */
export function tagOf(name: string): string | null {
  return /^pcast-[0-9a-f]{8}(?=-)/.exec(name)?.[0] ?? null;
}

/**
 * A large community that every route of the speaker carries inside GoBGP, and none outside: it tells our routes from those of others.
 * AS 4294967295 is nobody's (RFC 7300). Numbers other than 0 are of routes that some peers are to lose.
 */
export function markOf(tag: string, number = 0): string {
  return `4294967295:${Number.parseInt(tag.slice(OURS.length), 16)}:${number}`;
}

/** Matches every mark of the speaker. */
export function markPattern(tag: string): string {
  return markOf(tag).replace(/0$/, '[0-9]+');
}
