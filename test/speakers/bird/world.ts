// A BIRD that the driver works on, BIRDs that it peers with, and models for both.
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BirdDaemon, type BirdOptions } from '../../../src/speakers/bird/daemon.ts';
import { BirdDriver } from '../../../src/speakers/bird/driver.ts';
import type { BuiltinEngine } from '../../../src/speakers/builtin/engine.ts';
import type { PeerModel, SpeakerModel } from '../../../src/speakers/speaker.ts';
import { startBird, type Bird } from '../../daemons/bird/bird.ts';
import type { BirdOptions as DaemonOptions } from '../../daemons/bird/bird-config.ts';
import type { Neighbor } from '../../daemons/daemon.ts';
import { freePort, loopbackAddress } from '../../daemons/machine/ports.ts';
import { daemonDirectory } from '../../daemons/process.ts';
import { programPath } from '../../daemons/programs.ts';
import { SPEAKER_ASN, speakerModel, startEngine } from '../builtin/models.ts';
import { WorldPeers } from '../world-peers.ts';

export interface World {
  /** BIRD of the speaker; its own configuration has a static route and includes our directory. */
  readonly bird: Bird;
  readonly address: string;
  readonly port: number;
  readonly directory: string;
  readonly options: BirdOptions;
  readonly daemon: BirdDaemon;
  /** Feeds BIRD where the model says so. */
  readonly engine: BuiltinEngine;
  driver(speakerId?: string): BirdDriver;
  /** A BIRD that calls the speaker's, and is called by it. */
  peer(neighbor?: Partial<Neighbor>, options?: Partial<DaemonOptions>): Promise<Bird>;
  peerOf(bird: Bird, changes?: Partial<PeerModel>): PeerModel;
  modelOf(peers: readonly PeerModel[], changes?: Partial<SpeakerModel>): SpeakerModel;
  stop(): Promise<void>;
}

export async function startWorld(changes: Partial<BirdOptions> = {}, extraConfig = ''): Promise<World> {
  const address = loopbackAddress();
  const port = await freePort(address);
  const directory = daemonDirectory('config');
  const bird = await startBird({
    listen: { address, port },
    routerId: '192.0.2.2',
    localAsn: SPEAKER_ASN,
    neighbors: [],
    announce: [{ prefix: '198.18.0.0/15' }],
    extraConfig: `include "${directory}/*.conf";\n${extraConfig}`,
  });
  const home = dirname(bird.socketPath);
  const options: BirdOptions = {
    socket: bird.socketPath,
    directory,
    program: programPath('bird'),
    mainConfig: join(home, 'bird.conf'),
    port,
    strictBind: true,
    feed: { address, port: await freePort(address) },
    ...changes,
  };
  const daemon = new BirdDaemon(options);
  const engine = await startEngine();
  const peers = new WorldPeers({ address, port });
  return {
    ...{ bird, address, port, directory, options, daemon, engine },
    driver: (speakerId = 'speaker') => new BirdDriver(daemon, speakerId, (id) => engine.driver(id)),
    peer: peers.start,
    peerOf: peers.modelOf,
    modelOf: (models, more = {}) => speakerModel(models, more),
    async stop() {
      await engine.close(true);
      await peers.stop();
      await bird.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
