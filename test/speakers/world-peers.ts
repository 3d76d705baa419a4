/** BIRDs that a speaker of a routing daemon peers with, and their models. */
import { basename, dirname } from 'node:path';
import type { PeerModel } from '../../src/speakers/speaker.ts';
import { startBird, type Bird } from '../daemons/bird/bird.ts';
import type { BirdOptions } from '../daemons/bird/bird-config.ts';
import type { Neighbor } from '../daemons/daemon.ts';
import { freePort, loopbackAddress } from '../daemons/machine/ports.ts';
import { peerModel, SPEAKER_ASN } from './builtin/models.ts';

export class WorldPeers {
  readonly #daemon: { readonly address: string; readonly port: number };
  readonly #neighbor: Partial<Neighbor>;
  readonly #birds: Bird[] = [];

  /**
   * @param daemon where the speaker's daemon listens
   * @param neighbor how each BIRD has it as a neighbour
   */
  constructor(daemon: { readonly address: string; readonly port: number }, neighbor: Partial<Neighbor> = {}) {
    this.#daemon = daemon;
    this.#neighbor = neighbor;
  }

  /** A BIRD that calls the daemon, unless it is passive, and is called by it. */
  readonly start = async (
    neighbor: Partial<Neighbor> = {},
    options: Partial<BirdOptions> = {},
  ): Promise<Bird> => {
    const address = loopbackAddress();
    const bird = await startBird({
      ...{ listen: { address, port: await freePort(address) }, routerId: address, localAsn: 65_001 },
      neighbors: [{ ...this.#daemon, asn: SPEAKER_ASN, ...this.#neighbor, ...neighbor }],
      ...options,
    });
    this.#birds.push(bird);
    return bird;
  };

  readonly modelOf = (bird: Bird, changes: Partial<PeerModel> = {}): PeerModel =>
    peerModel({
      ...{ id: `peer ${basename(dirname(bird.socketPath))}`, address: bird.address, port: bird.port },
      ...{ remoteAsn: bird.localAsn, localAddress: this.#daemon.address, multihop: 2 },
      ...changes,
    });

  async stop(): Promise<void> {
    for (const bird of this.#birds) await bird.stop();
  }
}
