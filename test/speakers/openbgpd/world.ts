// An OpenBGPD that the driver works on, BIRDs that it peers with, and models for both.
import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OpenbgpdDaemon, type OpenbgpdOptions } from '../../../src/speakers/openbgpd/daemon.ts';
import { OpenbgpdDriver } from '../../../src/speakers/openbgpd/driver.ts';
import { NO_SPEAKER } from '../../../src/speakers/openbgpd/render.ts';
import { ProvisionalDriver } from '../../../src/speakers/provisional.ts';
import type { PeerModel } from '../../../src/speakers/speaker.ts';
import type { Bird } from '../../daemons/bird/bird.ts';
import type { DaemonOptions, Neighbor } from '../../daemons/daemon.ts';
import { startOpenbgpd, type Openbgpd } from '../../daemons/openbgpd/openbgpd.ts';
import { freePort, loopbackAddress } from '../../daemons/machine/ports.ts';
import { daemonDirectory } from '../../daemons/process.ts';
import { programPath } from '../../daemons/programs.ts';
import { SPEAKER_ASN } from '../builtin/models.ts';
import { WorldPeers } from '../world-peers.ts';

export interface World {
  /** OpenBGPD of the speaker; its own configuration has a network and includes our file. */
  readonly openbgpd: Openbgpd;
  /** How the driver reaches it, whichever OpenBGPD runs. */
  readonly options: OpenbgpdOptions;
  readonly directory: string;
  daemon(): OpenbgpdDaemon;
  /** As a process would that has just started. */
  driver(speakerId?: string): ProvisionalDriver;
  /** A BIRD that OpenBGPD calls, and that calls it. */
  peer(neighbor?: Partial<Neighbor>): Promise<Bird>;
  peerOf(bird: Bird, changes?: Partial<PeerModel>): PeerModel;
  /** Another OpenBGPD in the place of the one that was stopped, with the same files. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export async function startWorld(extraConfig = '', changes: Partial<DaemonOptions> = {}): Promise<World> {
  const address = loopbackAddress();
  const port = await freePort(address);
  const directory = daemonDirectory('config');
  writeFileSync(join(directory, 'prefixcast.conf'), NO_SPEAKER, { mode: 0o600 });
  const daemonOptions = {
    listen: { address, port },
    routerId: '192.0.2.2',
    localAsn: SPEAKER_ASN,
    neighbors: [],
    announce: [{ prefix: '198.18.0.0/15' }],
    ...changes,
    extraConfig: `include "${directory}/prefixcast.conf"\n${extraConfig}`,
  };
  // Names that stay the same whichever OpenBGPD is behind them.
  const [socket, mainConfig] = [join(directory, 'ctl'), join(directory, 'bgpd.conf')];
  const start = async (): Promise<Openbgpd> => {
    const started = await startOpenbgpd(daemonOptions);
    rmSync(socket, { force: true });
    rmSync(mainConfig, { force: true });
    symlinkSync(started.socket, socket);
    symlinkSync(started.mainConfig, mainConfig);
    return started;
  };
  let openbgpd = await start();
  const peers = new WorldPeers({ address, port }, { families: ['ipv4', 'ipv6'] });
  const options: OpenbgpdOptions = {
    ...{ socket, directory, mainConfig },
    program: programPath('openbgpd'),
    controlProgram: programPath('bgpctl'),
  };
  const daemon = (): OpenbgpdDaemon => new OpenbgpdDaemon(options);
  return {
    get openbgpd() {
      return openbgpd;
    },
    ...{ options, directory },
    daemon,
    driver: (speakerId = 'speaker') => new ProvisionalDriver(new OpenbgpdDriver(daemon(), speakerId)),
    peer: peers.start,
    peerOf: peers.modelOf,
    async restart() {
      await openbgpd.stop();
      openbgpd = await start();
    },
    async stop() {
      await peers.stop();
      await openbgpd.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
