/** Which settings a session depends on: by these a change of a speaker or a peer is told from one that no router notices. */
import type { PeerModel, SpeakerModel } from './speaker.ts';

/** Settings of the session itself: a change of them needs a new session. */
export function sessionKey(speaker: SpeakerModel, peer: PeerModel): string {
  const { address, port, localAddress, password, refusal, bfd } = peer;
  const { localAsn, remoteAsn, families, holdTime, gracefulRestart, restartTime, staleTime, passive } = peer;
  return JSON.stringify([
    speaker.routerId,
    ...[localAsn, remoteAsn, families, holdTime, gracefulRestart, gracefulRestart ? restartTime : null],
    ...[staleTime, passive, address, port, localAddress, password, refusal, bfd],
  ]);
}

/** Settings that identify us to the peer: while they stay the same, it may keep our routes across sessions. */
export function identityKey(speaker: SpeakerModel, peer: PeerModel): string {
  const { address, localAddress, localAsn, remoteAsn, gracefulRestart, refusal } = peer;
  return JSON.stringify([
    speaker.routerId,
    ...[address, localAddress, localAsn, remoteAsn, gracefulRestart, refusal],
  ]);
}

/** What becomes of a session by a change of settings. */
export type SessionChange = 'same' | 'restarted' | 'replaced';

/**
 * `restarted`: it ends and begins again, and a peer with graceful restart (RFC 4724) keeps its routes meanwhile. `replaced`: it ends with
 * Cease, so that its routes leave the peer until another is up.
 */
export function sessionChange(
  before: { readonly speaker: SpeakerModel; readonly peer: PeerModel },
  after: { readonly speaker: SpeakerModel; readonly peer: PeerModel },
): SessionChange {
  if (sessionKey(before.speaker, before.peer) === sessionKey(after.speaker, after.peer)) return 'same';
  const isKnown =
    identityKey(before.speaker, before.peer) === identityKey(after.speaker, after.peer) &&
    after.peer.gracefulRestart;
  return isKnown ? 'restarted' : 'replaced';
}
