/**
 * Bars: large communities that routes carry inside a daemon to keep them from single peers (limited-peers.ts). The policies of the peer
 * refuse its bar, and those of every peer take bars away, so that none leaves the daemon.
 */
import { createHash } from 'node:crypto';
import type { Community } from '../core/community.ts';

/** What a bar begins with. No network has this AS number (RFC 7300), so no large community of anybody begins by it. */
export const BARS = { asn: 4_294_967_295, data1: 65_534 };

/** The community by which routes are kept from the peer. */
export function barOf(peerId: string): Community {
  const number = createHash('sha256').update(peerId).digest().readUInt32BE(0);
  return { kind: 'large', ...BARS, data2: number };
}

export function isBar(community: Community): boolean {
  return community.kind === 'large' && community.asn === BARS.asn && community.data1 === BARS.data1;
}
