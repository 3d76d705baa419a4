/**
 * Names that the driver gives to things in FRR. They are made of hashes: nothing that a tenant typed gets into the configuration, two
 * speakers of one FRR never meet, and what is named by its content is never changed in place, which FRR would heed seconds later.
 */
import { createHash } from 'node:crypto';

function digest(text: string, digits: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, digits);
}

/** The speaker's view, and what every name of it begins with. */
export function speakerTag(speakerId: string): string {
  return `pcast_${digest(speakerId, 8)}`;
}

/** @param content what the list or route map holds: equal ones are one */
export function contentName(tag: string, kind: 'any' | 'all_but' | 'bars' | 'out', content: string): string {
  return `${tag}_${kind}_${digest(content, 12)}`;
}

/** The route map that lets nothing through. */
export function nothingName(tag: string): string {
  return `${tag}_none`;
}

/** The route map that puts well-known communities back. */
export function marksName(tag: string): string {
  return `${tag}_marks`;
}

/** The route map of what comes in from the feed. */
export function feedName(tag: string): string {
  return `${tag}_feed`;
}

/** The route map, used by nobody, whose description says whose the speaker is. */
export function ownerName(tag: string): string {
  return `${tag}_owner`;
}
