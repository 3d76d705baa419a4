import { parseAddress } from '../../core/address.ts';
import { reasonsAgainst } from '../check.ts';
import { identifierOf } from '../session-settings.ts';
import type { PeerModel, SpeakerModel } from '../speaker.ts';

/**
 * Why the builtin speaker can't hold a session with the peer, or null. Node cannot set a TTL, so `multihop` has no effect and any distance
 * works.
 */
export function refusePeer(peer: PeerModel): string | null {
  if (peer.refusal !== undefined) return peer.refusal;
  if (peer.password !== null) {
    return 'a password (TCP MD5, RFC 2385) is more than the builtin speaker can do on this platform: move the peer to a speaker with the daemon bird, or remove its password';
  }
  if (peer.bfd) {
    return 'BFD is more than the builtin speaker can do: move the peer to a speaker with the daemon bird, or set bfd to false';
  }
  const remote = parseAddress(peer.address);
  if (!remote.ok) return `its address is invalid: ${remote.reason}`;
  if (peer.localAddress !== null) {
    const local = parseAddress(peer.localAddress);
    if (!local.ok) return `its local address is invalid: ${local.reason}`;
    if (local.value.family !== remote.value.family) {
      return `its local address ${peer.localAddress} and its address ${peer.address} are of different families: set local_ip to an address of the peer's family`;
    }
  }
  if (!Number.isInteger(peer.port) || peer.port < 1 || peer.port > 65_535) {
    return `its port ${peer.port} is invalid: set port to a number from 1 to 65535, usually 179`;
  }
  if (peer.families.length === 0) return 'it has no address family: set families to ipv4, ipv6 or both';
  if (peer.holdTime !== 0 && peer.holdTime < 3) {
    return `its hold time of ${peer.holdTime} s is too short: set hold_time to 0 or at least 3 (RFC 4271)`;
  }
  return null;
}

/** Every reason why `model` is rejected, each with the peer's name. */
export function checkModel(model: SpeakerModel): string[] {
  return reasonsAgainst(model, refuseIdentity, refusePeer);
}

/** What is wrong with the speaker's own identity, or null. */
export function refuseIdentity({ routerId }: SpeakerModel): string | null {
  return identifierOf(routerId) === null
    ? `invalid router id ${routerId}: set router_id to four numbers such as 192.0.2.1 (RFC 6286)`
    : null;
}
