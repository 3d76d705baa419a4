/** Finds what BIRD's configuration can't express before anything is written. What passes is a number or an address. */
import { reasonsAgainst, refuseRouterId, refuseSession, type PasswordRule } from '../../check.ts';
import type { PeerModel, SpeakerModel } from '../../speaker.ts';

/** BIRD's strings have no escapes: a quotation mark or a line end would end the string. */
const PASSWORD: PasswordRule = {
  daemon: 'BIRD',
  pattern: /^[\x20\x21\x23-\x7e]{1,80}$/,
  allowed: '80 printable ASCII characters without "',
};

/** Why BIRD can't hold a session with the peer, or null. */
export function refusePeer(peer: PeerModel): string | null {
  return refuseSession(peer, PASSWORD);
}

/** Every reason why `model` is rejected, each with the peer's name. */
export function checkModel(model: SpeakerModel): string[] {
  return reasonsAgainst(model, refuseRouterId, refusePeer);
}
