/**
 * Names of objects in GoBGP. They are hashes, so that no text of a tenant gets into GoBGP and our objects are recognised by their names.
 */
import { createHash } from 'node:crypto';

const OURS = 'pcast-';

export function digest(text: string, digits: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, digits);
}

/** Name of a set that no policy refers to: it names the owner of the speaker. */
export function ownerName(serviceId: string, speakerId: string): string {
  return `${speakerTag(speakerId)}-of-${serviceId}-${speakerId}`;
}

/** The id of the speaker that a set is named for, if it belongs to the service. */
export function speakerNamed(name: string, serviceId: string): string | null {
  const speakerId = name.slice(-serviceId.length);
  return name === ownerName(serviceId, speakerId) ? speakerId : null;
}

/** The start of every name of the speaker. */
export function speakerTag(speakerId: string): string {
  return OURS + digest(speakerId, 8);
}

/** The tag at the start of a name; null for the name of an object that is not ours. */
export function tagOf(name: string): string | null {
  return /^pcast-[0-9a-f]{8}(?=-)/.exec(name)?.[0] ?? null;
}

/**
 * A large community that every route of the speaker carries inside GoBGP, and none outside: it distinguishes our routes from those of
 * others. AS 4294967295 is not assigned to anyone (RFC 7300). Numbers other than 0 are for routes that some peers are about to lose.
 */
export function markOf(tag: string, number = 0): string {
  return `4294967295:${Number.parseInt(tag.slice(OURS.length), 16)}:${number}`;
}

/** Matches every mark of the speaker. */
export function markPattern(tag: string): string {
  return markOf(tag).replace(/0$/, '[0-9]+');
}
