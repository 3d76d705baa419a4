/**
 * Inside OpenBGPD a network carries one mark instead of its communities, and the filter of each peer replaces the mark by the communities.
 * OpenBGPD acts on well-known communities, so a network with NO_EXPORT would reach no peer; the mark also distinguishes our networks from
 * the operator's.
 */
import { createHash } from 'node:crypto';
import { formatCommunity, type Community } from '../../core/community.ts';

/** No network has this AS number (RFC 7300), so no other large community begins with it. */
const MARK = 4_294_967_295;

export const ANY_MARK = `${MARK}:*:*`;

/** The large community that stands for these communities. */
export function markOf(communities: readonly Community[]): string {
  const text = communities.map(formatCommunity).join(' ');
  const digest = createHash('sha256').update(text).digest();
  return `${MARK}:${digest.readUInt32BE(0)}:${digest.readUInt32BE(4)}`;
}

/** A community in the syntax of OpenBGPD's filters. */
export function renderCommunity(community: Community): string {
  switch (community.kind) {
    case 'large':
      return `large-community ${community.asn}:${community.data1}:${community.data2}`;
    case 'standard':
      return `community ${community.asn}:${community.value}`;
    case 'well-known':
      return `community ${community.value >>> 16}:${community.value & 0xffff}`;
  }
}

export const NO_EXPORT = 'community 65535:65281';
