/** Finds what OpenBGPD does not support before anything is written. */
import { reasonsAgainst, refuseSession, refuseTwin } from '../check.ts';
import type { PeerModel, SpeakerModel } from '../speaker.ts';

const PASSWORDS = {
  daemon: 'OpenBGPD',
  pattern: /^[\x20\x21\x23-\x5b\x5d-\x7e]{1,79}$/,
  allowed: '79 printable ASCII characters without " and \\',
} as const;

/** Why OpenBGPD can't hold a session with the peer, or null. */
export function refusePeer(model: Pick<SpeakerModel, 'peers'>, peer: PeerModel): string | null {
  if (peer.bfd) return 'OpenBGPD has no BFD: set bfd of the peer to false';
  if (peer.holdTime === 0) return 'OpenBGPD takes no hold time of 0: set hold_time to 3 to 65535 (RFC 4271)';
  return refuseSession(peer, PASSWORDS) ?? refuseTwin(model, peer, PASSWORDS.daemon);
}

/** Every reason why `model` is rejected, each with the peer's name. The router id is that of the operator's OpenBGPD. */
export function checkModel(model: SpeakerModel): string[] {
  return reasonsAgainst(
    model,
    () => null,
    (peer) => refusePeer(model, peer),
  );
}
