/** What must hold before BIRD is given a configuration. */
import { SpeakerError, type SpeakerModel } from '../speaker.ts';
import { refuseRouterId } from '../check.ts';
import type { BirdDaemon } from './daemon.ts';

/** @throws {SpeakerError} for an identity that no BIRD supports */
export function refuseUnknown(model: SpeakerModel): void {
  const refusal = refuseRouterId(model);
  if (refusal !== null) throw new SpeakerError('config_refused', refusal);
}

export async function requireBfd(model: SpeakerModel, daemon: BirdDaemon): Promise<void> {
  if (!model.peers.some((peer) => peer.bfd) || (await daemon.hasBfd())) return;
  throw new SpeakerError(
    'bfd_missing',
    'a peer asks for BFD and BIRD runs no BFD protocol: add  protocol bfd { }  to its main configuration, or set bfd of the peer to false',
  );
}
