/** The same through the builtin speaker into a local BIRD, which serves the peer: the feed of the driver `bird`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { emptyTable, type PrefixTable } from '../../src/core/tables/prefix-table.ts';
import { BirdDaemon } from '../../src/speakers/bird/daemon.ts';
import { BirdDriver } from '../../src/speakers/bird/driver.ts';
import { BuiltinEngine } from '../../src/speakers/builtin/engine.ts';
import { startBird } from '../../test/daemons/bird/bird.ts';
import { freePort, loopbackAddress } from '../../test/daemons/machine/ports.ts';
import { programPath } from '../../test/daemons/programs.ts';
import {
  CHANGES,
  SPEAKER_ASN,
  besideBird,
  peakMemory,
  speakerTo,
  startPeer,
  timed,
  type Round,
} from './scene.ts';

const GOAL = 0.35;

export async function run(count: number): Promise<void> {
  await besideBird(count, 'fed to BIRD,', { all: GOAL, changes: GOAL }, fedRound);
}

async function fedRound(before: PrefixTable, after: PrefixTable): Promise<Round> {
  const directory = mkdtempSync(join(tmpdir(), 'pc-bench-'));
  const address = loopbackAddress();
  const port = await freePort(address);
  const bird = await startBird({
    ...{ listen: { address, port }, routerId: '192.0.2.2', localAsn: SPEAKER_ASN, neighbors: [] },
    extraConfig: `include "${directory}/*.conf";`,
  });
  const log = { info: () => undefined, warn: console.warn, error: console.error };
  const engine = new BuiltinEngine({ listen: { host: '127.0.0.1', port: 0 }, version: 'test', log });
  await engine.start();
  const peer = await startPeer(address, port);
  try {
    const daemon = new BirdDaemon({
      ...{ socket: bird.socketPath, directory, program: programPath('bird') },
      ...{ mainConfig: join(dirname(bird.socketPath), 'bird.conf'), port, strictBind: true },
      feed: { address, port: await freePort(address) },
    });
    const driver = new BirdDriver(daemon, 'bench', (id) => engine.driver(id));
    const apply = (table: PrefixTable): Promise<unknown> =>
      driver.apply({ revisionId: '', table, labels: {}, noExport: false }, new AbortController().signal);
    const model = speakerTo(peer, { localAddress: address, multihop: 2 });
    await driver.configure({ ...model, birdRoutes: 'feed' });
    await apply(emptyTable());
    await peer.waitEstablished();
    const all = await timed(peer, before.ipv4.size, 0, () => apply(before));
    const changes = await timed(peer, CHANGES / 2, CHANGES / 2, () => apply(after));
    return { all, changes, peak: peakMemory(bird.pid) };
  } finally {
    await engine.close(false);
    await bird.stop();
    await peer.stop();
    rmSync(directory, { recursive: true });
  }
}
