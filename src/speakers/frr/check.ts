/** What FRR can't be told, found before anything is sent. Whatever passes here is a number or an address. */
import { parseAddress, type Family } from '../../core/address.ts';
import { reasonsAgainst } from '../check.ts';
import { addressOf } from '../export-policy.ts';
import type { PeerModel, SpeakerModel } from '../speaker.ts';

/** One word of FRR's command line: a blank would end it. */
const PASSWORD = /^[\x21-\x7e]{1,80}$/;

/** Why FRR can't hold a session with the peer, or null. */
export function refusePeer(speaker: Pick<SpeakerModel, 'localAsn'>, peer: PeerModel): string | null {
  const remote = parseAddress(peer.address);
  if (!remote.ok) return `its address is none: ${remote.reason}`;
  if (peer.localAddress !== null && addressOf(peer.localAddress, remote.value.family) === null) {
    return `its local address ${JSON.stringify(peer.localAddress)} is none of the family of its address ${peer.address}: set local_ip to one`;
  }
  if (!isWhole(peer.port, 1, 65_535))
    return `its port ${peer.port} is none: set port to a number from 1 to 65535, usually 179`;
  for (const [name, asn] of [
    ['remote_asn', peer.remoteAsn],
    ['local_asn', peer.localAsn],
  ] as const) {
    if (!isAsn(asn)) return `${name} ${asn} is no AS number: set it to 1 to 4294967294`;
  }
  if (peer.localAsn !== speaker.localAsn && peer.localAsn === peer.remoteAsn)
    return `FRR takes no local_asn of a peer that is the peer's own AS number: give the speaker local_asn ${peer.localAsn}, or the peer another`;
  if (peer.families.length === 0) return 'it has no address family: set families to ipv4, ipv6 or both';
  if (peer.holdTime !== 0 && !isWhole(peer.holdTime, 3, 65_535)) {
    return `its hold time of ${peer.holdTime} s is not allowed: set hold_time to 0, or to 3 to 65535 (RFC 4271)`;
  }
  if (peer.multihop !== null && !isWhole(peer.multihop, 1, 255))
    return `its multihop ${peer.multihop} is none: set it to 1 to 255 hops, or to null`;
  if (peer.maxPrefixesOut !== null && !isWhole(peer.maxPrefixesOut, 1, 4_294_967_295))
    return `its max_prefixes_out ${peer.maxPrefixesOut} is none: set it to a whole number, or to null`;
  if (peer.password !== null && !PASSWORD.test(peer.password)) {
    return "its password has characters that FRR can't be told: use up to 80 printable ASCII characters without blanks";
  }
  return null;
}

/** What is wrong with the speaker's own identity, or null. */
export function refuseIdentity({ routerId, localAsn }: SpeakerModel): string | null {
  const id = addressOf(routerId, 'ipv4');
  if (id === null || id === '0.0.0.0')
    return `the router id ${JSON.stringify(routerId)} is none: set router_id to four numbers such as 192.0.2.1 (RFC 6286)`;
  return isAsn(localAsn) ? null : `local_asn ${localAsn} is no AS number: set it to 1 to 4294967294`;
}

/** Every reason against `model`, each with the peer's name. */
export function checkModel(model: SpeakerModel): string[] {
  return reasonsAgainst(model, refuseIdentity, (peer) => refuseTwin(model, peer) ?? refusePeer(model, peer));
}

/** FRR knows a neighbour by its address alone: the first of the peers with an address has it. */
export function refuseTwin({ peers }: Pick<SpeakerModel, 'peers'>, peer: PeerModel): string | null {
  const family = (address: string): Family => (address.includes(':') ? 'ipv6' : 'ipv4');
  const plain = ({ address }: PeerModel): string | null => addressOf(address, family(address));
  const first = peers.find((other) => plain(other) !== null && plain(other) === plain(peer));
  return first === undefined || first === peer
    ? null
    : `the peer ${first.name} has the same address ${peer.address}, by which FRR tells neighbours apart: take one of them out`;
}

/** What to do for a family that no next hop is known of. */
export function missingNextHop(family: Family): string {
  const version = family === 'ipv4' ? 'IPv4' : 'IPv6';
  return `there is no ${version} next hop, so no ${version} route is sent: set local_${family} of the speaker, or next_hop_${family} of the peer`;
}

function isAsn(value: number): boolean {
  return isWhole(value, 1, 4_294_967_294);
}

function isWhole(value: number, from: number, to: number): boolean {
  return Number.isInteger(value) && value >= from && value <= to;
}
