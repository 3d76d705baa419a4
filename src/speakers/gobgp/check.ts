/** Finds what GoBGP does not support before anything is sent to it. */
import { reasonsAgainst, refuseIdentity, refuseSession, refuseTwin, type PasswordRule } from '../check.ts';
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

/** Every reason why `model` is rejected, each with the peer's name. */
export function checkModel(model: SpeakerModel): string[] {
  return reasonsAgainst(model, refuseIdentity, (peer) => refusePeer(model, peer));
}
