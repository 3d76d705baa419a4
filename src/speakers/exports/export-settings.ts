import type { Family } from '../../core/address.ts';
import type { PeerModel, SpeakerModel } from '../speaker.ts';
import type { ExportSettings } from './adj-rib-out.ts';

/** What decides which routes the peer receives over a session from this local address. */
export function exportSettings(
  { localIpv4, localIpv6 }: Pick<SpeakerModel, 'localIpv4' | 'localIpv6'>,
  { labels, nextHopIpv4, nextHopIpv6, isBird = false }: PeerModel,
  localAddress: string,
): ExportSettings {
  const session: Family = localAddress.includes(':') ? 'ipv6' : 'ipv4';
  return {
    labels: labels === null ? null : [...labels].sort(),
    isBird,
    nextHop: { ipv4: nextHopIpv4, ipv6: nextHopIpv6 },
    self: {
      ipv4: session === 'ipv4' ? localAddress : localIpv4,
      ipv6: session === 'ipv6' ? localAddress : localIpv6,
    },
  };
}
