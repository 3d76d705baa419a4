/** Which settings a session depends on: these distinguish a change of a speaker or a peer from one that no router notices. */
import type { SessionSettings } from '../bgp/negotiation.ts';
import { parseAddress } from '../core/address.ts';
import type { PeerModel, SpeakerModel } from './speaker.ts';

/** Seconds that a peer keeps our routes while we are away (RFC 4724). */
const RESTART_TIME = 120;

/** What both sides say of themselves when a session begins. */
export function sessionSettings(speaker: SpeakerModel, peer: PeerModel): SessionSettings {
  return {
    localAsn: peer.localAsn,
    remoteAsn: peer.remoteAsn,
    identifier: identifierOf(speaker.routerId) ?? 0,
    families: peer.families,
    holdTime: peer.holdTime,
    restartTime: peer.gracefulRestart ? (peer.restartTime ?? RESTART_TIME) : null,
    ...(peer.staleTime === undefined ? {} : { staleTime: peer.staleTime }),
    passive: peer.passive,
  };
}

/** A router id as a number; null for one that is not a dotted quad, or 0.0.0.0. */
export function identifierOf(routerId: string): number | null {
  const address = parseAddress(routerId);
  const word = address.ok && address.value.family === 'ipv4' ? address.value.words[0]! : 0;
  return word === 0 ? null : word;
}

/** Settings of the session itself: a change of them needs a new session. */
export function sessionKey(speaker: SpeakerModel, peer: PeerModel): string {
  const { address, port, localAddress, password, refusal, bfd } = peer;
  return JSON.stringify([
    sessionSettings(speaker, peer),
    ...[address, port, localAddress, password, refusal, bfd],
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
