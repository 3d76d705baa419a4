/**
 * Names that the driver gives to things in BIRD's configuration. They are made of hashes of ids: nothing that a tenant typed
 * gets into the configuration, and two speakers of one BIRD never meet.
 */
import { createHash } from 'node:crypto';
import type { Family } from '../../core/address.ts';

function digest(text: string, digits: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, digits);
}

/** What every name of the speaker begins with, and its files too. */
export function speakerTag(speakerId: string): string {
  return `pc_${digest(speakerId, 8)}`;
}

export function tableName(tag: string, family: Family): string {
  return `${tag}_${family}`;
}

export function peerName(tag: string, peerId: string): string {
  return `${tag}_peer_${digest(peerId, 12)}`;
}

/** The session that the speaker's routes come in by, where files do not hold them. */
export function feedName(tag: string): string {
  return `${tag}_feed`;
}

/** @param communities as text: a group is its communities */
export function groupName(tag: string, family: Family, communities: string): string {
  return `${tag}_${family}_${digest(communities, 12)}`;
}

/** @param body what the filter does: equal ones are one */
export function filterName(tag: string, body: string): string {
  return `${tag}_out_${digest(body, 12)}`;
}
