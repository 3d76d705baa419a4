import type { PeerModel, SpeakerModel } from './speaker.ts';

/** Every reason of a driver against `model`: against the speaker itself first, then against each peer, by its name. */
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
