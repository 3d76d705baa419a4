/** Checks of a model that all daemons share. What passes is a number, an address, or a password of harmless characters. */
import { parseAddress, type Family } from '../core/address.ts';
import { addressOf } from './export-policy.ts';
import type { PeerModel, SpeakerModel } from './speaker.ts';

/** Every reason why a driver rejects `model`: first those of the speaker itself, then those of each peer, with its name. */
export function reasonsAgainst(
  model: SpeakerModel,
  refuseIdentity: (model: SpeakerModel) => string | null,
  refusePeer: (peer: PeerModel) => string | null,
): string[] {
  const identity = refuseIdentity(model);
  const peers = model.peers.flatMap((peer) => {
    const reason = refusePeer(peer);
    return reason === null ? [] : [`peer ${peer.name}: ${reason}`];
  });
  return identity === null ? peers : [identity, ...peers];
}

/** What is wrong with the speaker's router id, or null. */
export function refuseRouterId({ routerId }: Pick<SpeakerModel, 'routerId'>): string | null {
  const id = addressOf(routerId, 'ipv4');
  return id === null || id === '0.0.0.0'
    ? `invalid router id ${JSON.stringify(routerId)}: set router_id to four numbers such as 192.0.2.1 (RFC 6286)`
    : null;
}

/** What is wrong with the speaker's own identity, for daemons that have one AS number for a speaker; or null. */
export function refuseIdentity(model: Pick<SpeakerModel, 'routerId' | 'localAsn'>): string | null {
  const { localAsn } = model;
  const isAsn = isWhole(localAsn, 1, 4_294_967_294);
  return refuseRouterId(model) ?? (isAsn ? null : `invalid local_asn ${localAsn}: set it to 1 to 4294967294`);
}

/** Passwords that the configuration of a daemon can hold. */
export interface PasswordRule {
  readonly daemon: string;
  readonly pattern: RegExp;
  /** How many characters may be used, and which. */
  readonly allowed: string;
}

/** Why the configuration can hold no session with the peer, or null. */
export function refuseSession(peer: PeerModel, rule: PasswordRule): string | null {
  if (peer.refusal !== undefined) return peer.refusal;
  const remote = parseAddress(peer.address);
  if (!remote.ok) return `its address is invalid: ${remote.reason}`;
  if (peer.localAddress !== null && addressOf(peer.localAddress, remote.value.family) === null) {
    return `its local address ${JSON.stringify(peer.localAddress)} is not of the family of its address ${peer.address}: set local_ip to one`;
  }
  if (!isWhole(peer.port, 1, 65_535))
    return `its port ${peer.port} is invalid: set port to a number from 1 to 65535, usually 179`;
  for (const [name, asn] of [
    ['remote_asn', peer.remoteAsn],
    ['local_asn', peer.localAsn],
  ] as const) {
    if (!isWhole(asn, 1, 4_294_967_294))
      return `${name} ${asn} is not an AS number: set it to 1 to 4294967294`;
  }
  if (peer.families.length === 0) return 'it has no address family: set families to ipv4, ipv6 or both';
  if (peer.holdTime !== 0 && !isWhole(peer.holdTime, 3, 65_535)) {
    return `its hold time of ${peer.holdTime} s is not allowed: set hold_time to 0, or to 3 to 65535 (RFC 4271)`;
  }
  if (peer.multihop !== null && !isWhole(peer.multihop, 1, 255))
    return `its multihop ${peer.multihop} is invalid: set it to 1 to 255 hops, or to null`;
  if (peer.maxPrefixesOut !== null && !isWhole(peer.maxPrefixesOut, 1, 4_294_967_295))
    return `its max_prefixes_out ${peer.maxPrefixesOut} is invalid: set it to a whole number, or to null`;
  if (peer.password !== null && !rule.pattern.test(peer.password))
    return `its password is one that ${rule.daemon} does not support: use up to ${rule.allowed}`;
  return null;
}

/** For daemons that identify a neighbour by its address alone: only the first of several peers with one address gets a session. */
export function refuseTwin(
  { peers }: Pick<SpeakerModel, 'peers'>,
  peer: PeerModel,
  daemon: string,
): string | null {
  const first = peers.find((other) => hostOf(other) !== null && hostOf(other) === hostOf(peer));
  return first === undefined || first === peer
    ? null
    : `the peer ${first.name} has the same address ${peer.address}, by which ${daemon} identifies neighbours: remove one of them`;
}

/** The one text of the peer's address; null for none. */
export function hostOf({ address }: Pick<PeerModel, 'address'>): string | null {
  return addressOf(address, address.includes(':') ? 'ipv6' : 'ipv4');
}

/** What to do about a family without a known next hop. */
export function missingNextHop(family: Family): string {
  const version = family === 'ipv4' ? 'IPv4' : 'IPv6';
  return `there is no ${version} next hop, so no ${version} route is sent: set local_${family} of the speaker, or next_hop_${family} of the peer`;
}

/** What to do about a peer that is up and negotiated none of these families; null if there are none. */
export function refusedFamilies(families: readonly Family[]): string | null {
  return families.length === 0
    ? null
    : `the peer takes no ${families.join(' and ')} routes: configure the family there, or leave it out of families here`;
}

/** For a session that was up and ended without a known reason. */
export const ENDED_SILENTLY =
  'the session ended without a NOTIFICATION: see whether the peer still runs, and what is between';

function isWhole(value: number, from: number, to: number): boolean {
  return Number.isInteger(value) && value >= from && value <= to;
}
