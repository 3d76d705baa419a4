// A GoBGP that the driver works on, BIRDs that it peers with, and models for both.
import { GobgpDaemon } from '../../../src/speakers/gobgp/daemon.ts';
import { GobgpDriver } from '../../../src/speakers/gobgp/driver.ts';
import { ProvisionalDriver } from '../../../src/speakers/provisional.ts';
import type { PeerModel, SpeakerDriver, SpeakerModel } from '../../../src/speakers/speaker.ts';
import type { Bird } from '../../daemons/bird/bird.ts';
import type { BirdOptions } from '../../daemons/bird/bird-config.ts';
import type { Neighbor } from '../../daemons/daemon.ts';
import { startGobgp, type Gobgp, type GobgpOptions } from '../../daemons/gobgp/gobgp.ts';
import { freePort, loopbackAddress } from '../../daemons/machine/ports.ts';
import { SPEAKER_ASN, speakerModel } from '../builtin/models.ts';
import { WorldPeers } from '../world-peers.ts';

export interface World {
  /** GoBGP of the speaker, the one that runs now. */
  readonly gobgp: Gobgp;
  readonly address: string;
  readonly port: number;
  /** What {@link driver} works on. */
  readonly daemon: GobgpDaemon;
  driver(speakerId?: string): SpeakerDriver;
  /** A driver that knows nothing yet of what GoBGP was sent, as after a restart of the service. */
  newProcess(speakerId?: string): SpeakerDriver;
  /** A BIRD that calls the speaker's GoBGP, and is called by it. */
  peer(neighbor?: Partial<Neighbor>, options?: Partial<BirdOptions>): Promise<Bird>;
  peerOf(bird: Bird, changes?: Partial<PeerModel>): PeerModel;
  modelOf(peers: readonly PeerModel[], changes?: Partial<SpeakerModel>): SpeakerModel;
  /** Another GoBGP in the place of the one that was stopped, which knows nothing of what that was sent. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** @param serviceId of the process whose drivers work on it */
export async function startWorld(options: Partial<GobgpOptions> = {}, serviceId?: string): Promise<World> {
  const address = loopbackAddress();
  const port = await freePort(address);
  const start = (apiPort?: number): Promise<Gobgp> =>
    startGobgp({
      listen: { address, port },
      routerId: '192.0.2.2',
      localAsn: SPEAKER_ASN,
      neighbors: [],
      ...(apiPort === undefined ? {} : { apiPort }),
      ...options,
    });
  let gobgp = await start();
  const daemons: GobgpDaemon[] = [];
  const newDaemon = (): GobgpDaemon => {
    const daemon = new GobgpDaemon({
      ...{ api: gobgp.api, listen: { port, addresses: [address] } },
      ...(serviceId === undefined ? {} : { serviceId }),
    });
    daemons.push(daemon);
    return daemon;
  };
  const daemon = newDaemon();
  const driverOf = (one: GobgpDaemon, speakerId = 'speaker'): SpeakerDriver =>
    new ProvisionalDriver(new GobgpDriver(one, speakerId));
  const peers = new WorldPeers({ address, port });
  return {
    get gobgp() {
      return gobgp;
    },
    ...{ address, port, daemon },
    driver: (speakerId) => driverOf(daemon, speakerId),
    newProcess: (speakerId) => driverOf(newDaemon(), speakerId),
    peer: peers.start,
    peerOf: peers.modelOf,
    modelOf: (models, more = {}) => speakerModel(models, more),
    async restart() {
      await gobgp.stop();
      gobgp = await start(Number(gobgp.api.split(':')[1]));
    },
    async stop() {
      for (const one of daemons) one.api.close();
      await peers.stop();
      await gobgp.stop();
    },
  };
}
