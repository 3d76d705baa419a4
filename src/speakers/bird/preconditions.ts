/** What must hold before BIRD is given a configuration. */
import { SpeakerError, type SpeakerModel } from '../speaker.ts';
import { refuseRouterId } from '../check.ts';
import type { BirdDaemon } from './daemon.ts';
import type { Configuration } from './render.ts';

/** @throws {SpeakerError} for an identity that no BIRD can have */
export function refuseUnknown(model: SpeakerModel): void {
  const refusal = refuseRouterId(model);
  if (refusal !== null) throw new SpeakerError('config_refused', refusal);
}

/** BIRD itself would send such a peer some routes and not others, as they come. */
export function refuseTooMany(model: SpeakerModel, { peers }: Configuration): void {
  const limits = new Map(model.peers.map((peer) => [peer.id, peer]));
  for (const { peerId, routes } of peers) {
    const { name, maxPrefixesOut } = limits.get(peerId)!;
    if (maxPrefixesOut !== null && routes > maxPrefixesOut)
      throw new SpeakerError(
        'max_prefixes_exceeded',
        `the peer ${name} would be sent ${routes} routes, more than its max_prefixes_out of ${maxPrefixesOut}: raise it, or send the peer fewer communities`,
      );
  }
}

export async function requireBfd(model: SpeakerModel, daemon: BirdDaemon): Promise<void> {
  if (!model.peers.some((peer) => peer.bfd) || (await daemon.hasBfd())) return;
  throw new SpeakerError(
    'bfd_missing',
    'a peer asks for BFD and BIRD runs no BFD protocol: add  protocol bfd { }  to its main configuration, or set bfd of the peer to false',
  );
}
