import { createHash } from 'node:crypto';
import type { Peer } from '../../api/speakers/peers.ts';
import { SETTINGS, type Settings } from '../../api/operation/settings.ts';
import type { Speaker } from '../../api/speakers/speakers.ts';
import type { PeerWithPassword } from '../../store/speakers/peers.ts';
import type { PeerModel, SpeakerModel } from '../../speakers/speaker.ts';
import type { CommunityLabels } from './community-labels.ts';

/** The model of a speaker for its daemon. */
export type SpeakerSettings = Pick<
  Speaker,
  'id' | 'name' | 'router_id' | 'local_asn' | 'local_ipv4' | 'local_ipv6' | 'policies_json' | 'enabled'
>;

/** Settings with the default addresses of speakers. */
export const SOURCE_SETTINGS = ['bgp_source_ipv4', 'bgp_source_ipv6'] as const;

/** Settings that sessions have in common. */
export const SESSION_SETTINGS = [...SOURCE_SETTINGS, 'bgp_restart_time'] as const;
export type SessionSettings = Pick<Settings, (typeof SESSION_SETTINGS)[number]>;

/** For many speakers at once: of each the peers that should have a session on it, in the order given. */
export function peersBySpeaker<P extends Peer>(
  peers: readonly P[],
  speakerIds: readonly string[],
): ReadonlyMap<string, readonly P[]> {
  const byId = new Map<string, P[]>(speakerIds.map((id) => [id, []]));
  for (const peer of peers.filter(({ enabled }) => enabled))
    for (const id of peer.speaker_ids.length === 0 ? speakerIds : peer.speaker_ids) byId.get(id)?.push(peer);
  return byId;
}

/**
 * What a speaker's daemon is to run: `policies_json` of the speaker applied (its own for all peers, then per peer), the peers
 * that belong to it, and for each the communities it is sent.
 */
export function speakerModel(
  tenantId: string,
  speaker: SpeakerSettings,
  peers: readonly PeerWithPassword[],
  labels: CommunityLabels,
  settings: SessionSettings,
): SpeakerModel {
  return {
    tenantId,
    speakerId: speaker.id,
    name: speaker.name,
    routerId: speaker.router_id ?? speaker.local_ipv4 ?? routerIdOf(speaker.id),
    localAsn: speaker.policies_json.local_asn ?? speaker.local_asn,
    localIpv4: speaker.local_ipv4 ?? settings.bgp_source_ipv4,
    localIpv6: speaker.local_ipv6 ?? settings.bgp_source_ipv6,
    ...(speaker.policies_json.bird_routes === undefined
      ? {}
      : { birdRoutes: speaker.policies_json.bird_routes }),
    peers: speaker.enabled
      ? peers
          .filter((peer) => isOn(peer, speaker.id))
          .map((peer) => peerModel(speaker, peer, labels, settings))
      : [],
  };
}

/** Whether `peer` should have a session on the speaker. */
export function isOn(peer: Peer, speakerId: string): boolean {
  return peer.enabled && (peer.speaker_ids.length === 0 || peer.speaker_ids.includes(speakerId));
}

function peerModel(
  speaker: SpeakerSettings,
  peer: PeerWithPassword,
  labels: CommunityLabels,
  settings: SessionSettings,
): PeerModel {
  const { local_ip: commonIp, local_asn: commonAsn, peers: perPeer } = speaker.policies_json;
  const own = perPeer?.[peer.id];
  const isIpv6 = peer.address.includes(':');
  return {
    id: peer.id,
    name: peer.name,
    address: peer.address,
    port: peer.port,
    remoteAsn: peer.remote_asn,
    localAsn: own?.local_asn ?? commonAsn ?? speaker.local_asn,
    localAddress:
      ofFamily(own?.local_ip, isIpv6) ??
      ofFamily(commonIp, isIpv6) ??
      (isIpv6
        ? (speaker.local_ipv6 ?? settings.bgp_source_ipv6)
        : (speaker.local_ipv4 ?? settings.bgp_source_ipv4)),
    families: peer.families,
    passive: peer.passive,
    multihop: peer.multihop,
    password: peer.password,
    ...(peer.password_fault === null ? {} : { refusal: peer.password_fault }),
    holdTime: peer.hold_time,
    nextHopIpv4: peer.next_hop_ipv4,
    nextHopIpv6: peer.next_hop_ipv6,
    labels: peer.community_ids.length === 0 ? null : peer.community_ids.flatMap((id) => labels.get(id) ?? []),
    maxPrefixesOut: peer.max_prefixes_out,
    ...(peer.when_too_many === 'fit' && peer.max_prefixes_out !== null ? { fits: true as const } : {}),
    gracefulRestart: peer.graceful_restart,
    // What a daemon takes by itself is left to it: else every bundle would be another one.
    ...(settings.bgp_restart_time === SETTINGS.bgp_restart_time.default
      ? {}
      : { restartTime: settings.bgp_restart_time }),
    bfd: peer.bfd,
  };
}

function ofFamily(address: string | undefined, isIpv6: boolean): string | null {
  return address?.includes(':') === isIpv6 ? address : null;
}

/** A BGP identifier (RFC 6286: any non-zero 4 octets) that stays the same for the same speaker. */
function routerIdOf(speakerId: string): string {
  const octets = createHash('sha256').update(speakerId).digest().subarray(0, 4);
  octets[0] = (octets[0]! % 223) + 1; // some implementations take a unicast address only
  return octets.join('.');
}
