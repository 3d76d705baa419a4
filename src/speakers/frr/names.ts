/**
 * Names of objects in FRR. They are hashes: no text of a tenant gets into the configuration, two speakers of one FRR never collide, and an
 * object named by its content is never changed in place, which FRR would apply only seconds later.
 */
import { createHash } from 'node:crypto';

function digest(text: string, digits: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, digits);
}

/** The speaker's view, and the start of all its names. */
export function speakerTag(speakerId: string): string {
  return `pcast_${digest(speakerId, 8)}`;
}

/** @param content what the list or route map contains: equal content gives an equal name */
export function contentName(tag: string, kind: 'any' | 'all_but' | 'bars' | 'out', content: string): string {
  return `${tag}_${kind}_${digest(content, 12)}`;
}

/** The route map that rejects everything. */
export function nothingName(tag: string): string {
  return `${tag}_none`;
}

/** The route map that restores well-known communities. */
export function marksName(tag: string): string {
  return `${tag}_marks`;
}

/** The route map for what comes in from the feed. */
export function feedName(tag: string): string {
  return `${tag}_feed`;
}

/** A route map that nothing uses: its description names the owner of the speaker. */
export function ownerName(tag: string): string {
  return `${tag}_owner`;
}
