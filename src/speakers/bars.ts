/**
 * Bars: large communities that routes carry inside a daemon so that single peers do not receive them (limited-peers.ts). A peer's policy
 * rejects its own bar, and every peer's policy strips all bars, so that no bar leaves the daemon.
 */
import { createHash } from 'node:crypto';
import type { Community } from '../core/community.ts';

/** The start of every bar. No network has this AS number (RFC 7300), so no other large community begins with it. */
export const BARS = { asn: 4_294_967_295, data1: 65_534 };

/** The community that keeps routes from the peer. */
export function barOf(peerId: string): Community {
  const number = createHash('sha256').update(peerId).digest().readUInt32BE(0);
  return { kind: 'large', ...BARS, data2: number };
}

export function isBar(community: Community): boolean {
  return community.kind === 'large' && community.asn === BARS.asn && community.data1 === BARS.data1;
}
