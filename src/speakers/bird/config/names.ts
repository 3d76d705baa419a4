/**
 * Names of objects in BIRD's configuration. They are hashes of ids: no text of a tenant gets into the configuration, and two speakers of
 * one BIRD never collide.
 */
import { createHash } from 'node:crypto';
import type { Family } from '../../../core/address.ts';

function digest(text: string, digits: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, digits);
}

/** The start of all names of the speaker, including those of its files. */
export function speakerTag(speakerId: string): string {
  return `pc_${digest(speakerId, 8)}`;
}

export function tableName(tag: string, family: Family): string {
  return `${tag}_${family}`;
}

export function peerName(tag: string, peerId: string): string {
  return `${tag}_peer_${digest(peerId, 12)}`;
}

/** The session over which the speaker's routes arrive, where files do not hold them. */
export function feedName(tag: string): string {
  return `${tag}_feed`;
}

/** @param communities as text: they identify a group */
export function groupName(tag: string, family: Family, communities: string): string {
  return `${tag}_${family}_${digest(communities, 12)}`;
}

/** @param body the filter's statements: equal statements give an equal name */
export function filterName(tag: string, body: string): string {
  return `${tag}_out_${digest(body, 12)}`;
}
