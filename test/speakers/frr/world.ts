// An FRR that the driver works on, BIRDs that it peers with, the builtin speaker that feeds it, and models for all.
import type { BuiltinEngine } from '../../../src/speakers/builtin/engine.ts';
import { FrrDaemon, type FrrOptions } from '../../../src/speakers/frr/daemon.ts';
import { FrrDriver } from '../../../src/speakers/frr/driver.ts';
import { readStatements } from '../../../src/speakers/frr/statements.ts';
import type { PeerModel } from '../../../src/speakers/speaker.ts';
import type { Bird } from '../../daemons/bird/bird.ts';
import type { BirdOptions } from '../../daemons/bird/bird-config.ts';
import type { Neighbor } from '../../daemons/daemon.ts';
import { startFrr, type Frr } from '../../daemons/frr/frr.ts';
import type { FrrDaemonOptions } from '../../daemons/frr/frr-config.ts';
import { freePort, loopbackAddress } from '../../daemons/machine/ports.ts';
import { programPath } from '../../daemons/programs.ts';
import { startEngine } from '../builtin/models.ts';
import { WorldPeers } from '../world-peers.ts';

export interface World {
  /** FRR of the speaker, which has a BGP instance of its operator's beside. */
  readonly frr: Frr;
  readonly address: string;
  readonly port: number;
  readonly options: FrrOptions;
  /** The builtin speaker of the process that the driver is in. */
  engine: BuiltinEngine;
  /** What drives FRR, of this process until the world stops. */
  daemon(changes?: Partial<FrrOptions>): FrrDaemon;
  driver(speakerId?: string, changes?: { restartTime?: number }): FrrDriver;
  /** A BIRD that the speaker's FRR calls. */
  peer(neighbor?: Partial<Neighbor>, options?: Partial<BirdOptions>): Promise<Bird>;
  peerOf(bird: Bird, changes?: Partial<PeerModel>): PeerModel;
  /** What a process that was killed leaves, taken up by a new one. */
  restartEngine(): Promise<void>;
  stop(): Promise<void>;
}

/** AS number of the operator's own instance. */
const OPERATOR_ASN = 65_530;

export async function startWorld(
  changes: Partial<FrrDaemonOptions> = {},
  place: Partial<FrrOptions> = {},
): Promise<World> {
  const address = loopbackAddress();
  const port = await freePort(address);
  const frr = await startFrr({
    ...{ listen: { address, port }, routerId: '192.0.2.2', localAsn: OPERATOR_ASN, neighbors: [] },
    announce: [{ prefix: '198.18.0.0/15' }],
    ...changes,
  });
  const own = loopbackAddress();
  const feed = { address: own, port: await freePort(own) };
  const listen = { host: feed.address, port: feed.port };
  const options: FrrOptions = { directory: frr.directory, program: programPath('vtysh'), feed, ...place };
  const peers = new WorldPeers({ address, port }, { passive: true });
  const daemons: FrrDaemon[] = [];
  const world: World = {
    ...{ frr, address, port, options },
    engine: await startEngine({ listen }),
    daemon(more = {}) {
      const daemon = new FrrDaemon({ ...options, ...more });
      daemons.push(daemon);
      return daemon;
    },
    driver: (speakerId = 'speaker', more = {}) =>
      new FrrDriver(world.daemon(), speakerId, (id) => world.engine.driver(id), more),
    peer: peers.start,
    peerOf: peers.modelOf,
    async restartEngine() {
      await world.engine.close(true);
      world.engine = await startEngine({ listen });
    },
    async stop() {
      await world.engine.close(false);
      await peers.stop();
      // The next FRR may have its sockets in what is the same directory to the disk.
      for (const daemon of daemons) await daemon.release();
      await frr.stop();
    },
  };
  return world;
}

/** What FRR runs that is none of ours, and the routes of its operator's instance. */
export async function foreign(frr: Frr): Promise<string[]> {
  const statements = readStatements(await frr.command('show running-config'));
  const table = JSON.parse(await frr.command('show bgp ipv4 unicast json')) as { routes?: object };
  return [
    ...statements.filter(([head]) => !head.includes('pcast_')).map((statement) => statement.join(' / ')),
    ...Object.keys(table.routes ?? {}),
  ];
}
