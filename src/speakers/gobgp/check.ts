/** What GoBGP can't be told, found before anything is sent to it. */
import { reasonsAgainst, refuseSession, refuseTwin, type PasswordRule } from '../check.ts';
import { addressOf } from '../export-policy.ts';
import type { PeerModel, SpeakerModel } from '../speaker.ts';

const PASSWORD: PasswordRule = {
  daemon: 'GoBGP',
  pattern: /^[\x20-\x7e]{1,80}$/,
  allowed: '80 printable ASCII characters',
};

/** Why GoBGP can't hold a session with the peer, or null. */
export function refusePeer(model: Pick<SpeakerModel, 'peers'>, peer: PeerModel): string | null {
  if (peer.holdTime === 0)
    return 'its hold time is 0, which GoBGP takes for its default of 90: set hold_time to 3 to 65535';
  if (peer.bfd)
    return 'BFD is more than GoBGP 3 can do: move the peer to a speaker with the daemon bird, or set bfd to false';
  return refuseTwin(model, peer, 'GoBGP') ?? refuseSession(peer, PASSWORD);
}

/** What is wrong with the speaker's own identity, or null. */
export function refuseIdentity({ routerId, localAsn }: SpeakerModel): string | null {
  const id = addressOf(routerId, 'ipv4');
  if (id === null || id === '0.0.0.0')
    return `the router id ${JSON.stringify(routerId)} is none: set router_id to four numbers such as 192.0.2.1 (RFC 6286)`;
  if (!(Number.isInteger(localAsn) && localAsn >= 1 && localAsn <= 4_294_967_294))
    return `local_asn ${localAsn} is no AS number: set it to 1 to 4294967294`;
  return null;
}

/** Every reason against `model`, each with the peer's name. */
export function checkModel(model: SpeakerModel): string[] {
  return reasonsAgainst(model, refuseIdentity, (peer) => refusePeer(model, peer));
}
