/** 1,000 changes by the builtin speaker, and by one in FRR, beside an FRR that is given a delta of 1,000 commands by hand, in one `vtysh`. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { formatPrefixAt } from '../../src/core/prefix.ts';
import { emptyTable, type PrefixTable } from '../../src/core/tables/prefix-table.ts';
import { BuiltinEngine } from '../../src/speakers/builtin/engine.ts';
import { FrrDaemon } from '../../src/speakers/frr/daemon.ts';
import { FrrDriver } from '../../src/speakers/frr/driver.ts';
import type { Bird } from '../../test/daemons/bird/bird.ts';
import { startFrr } from '../../test/daemons/frr/frr.ts';
import { freePort, loopbackAddress } from '../../test/daemons/machine/ports.ts';
import { programPath } from '../../test/daemons/programs.ts';
import { compared, median } from '../measure/report.ts';
import { builtinRound } from './direct.ts';
import { CHANGES, SPEAKER_ASN, mixedTable, speakerTo, startPeer, timed } from './scene.ts';

const ROUNDS = 3;
const GOAL = 0.3;
/** What FRR holds: more `network` statements take it long to read, and change nothing about the delta. */
const HELD = 10_000;

/** Milliseconds after which FRR looks at new route maps a second time, and sends all routes again. */
const SECOND_LOOK = 6_000;

/** Milliseconds. */
interface FedRound {
  readonly all: number;
  readonly changes: number;
  /** Until the apply of the changes has ended, which waits until FRR has been quiet for a while. */
  readonly ended: number;
}

export async function run(count: number): Promise<void> {
  const before = mixedTable(count, 0);
  const after = mixedTable(count, CHANGES / 2);
  const ours: number[] = [];
  const fed: FedRound[] = [];
  const byHand: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    byHand.push(await handRound());
    ours.push((await builtinRound(before, after)).changes);
    fed.push(await fedRound(before, after));
  }
  const of = (key: keyof FedRound): number[] => fed.map((round) => round[key]);
  console.log(compared(`${CHANGES} changes in ${count}, FRR's in ${HELD}`, ours, byHand, GOAL));
  console.log(compared(`${CHANGES} changes in ${count}, fed to FRR`, of('changes'), byHand, GOAL));
  const shown = (key: keyof FedRound): string => `${median(of(key)).toFixed(0)} ms`;
  console.log(
    `fed to FRR: ${count} routes to last one seen ${shown('all')}, apply of the changes ended after ${shown('ended')}`,
  );
}

/** A speaker in FRR, which is fed the routes, and a peer that FRR tells them. */
async function fedRound(before: PrefixTable, after: PrefixTable): Promise<FedRound> {
  const listen = { address: loopbackAddress(), port: await freePort() };
  const feed = { address: loopbackAddress(), port: await freePort() };
  const peer = await startPeer(listen.address, listen.port);
  const frr = await startFrr({ listen, routerId: '192.0.2.2', localAsn: 65_530, neighbors: [] });
  const log = { info: () => undefined, warn: console.warn, error: console.error };
  const engine = new BuiltinEngine({ listen: { host: feed.address, port: feed.port }, version: 'test', log });
  await engine.start();
  try {
    const daemon = new FrrDaemon({ directory: frr.directory, program: programPath('vtysh'), feed });
    const driver = new FrrDriver(daemon, 'bench', (id) => engine.driver(id));
    const apply = (table: PrefixTable): Promise<unknown> =>
      driver.apply({ revisionId: '', table, labels: {}, noExport: false }, new AbortController().signal);
    await driver.configure(speakerTo(peer, { localAddress: listen.address, multihop: 2 }));
    await apply(emptyTable());
    await peer.waitEstablished();
    await sleep(SECOND_LOOK);
    const all = await timed(peer, before.ipv4.size, 0, () => apply(before));
    let ended = 0;
    let applying: Promise<void> | undefined;
    // Peers have the routes before the driver is sure of that.
    const changes = await timed(peer, CHANGES / 2, CHANGES / 2, () => {
      const start = performance.now();
      applying = apply(after).then(() => {
        ended = performance.now() - start;
      });
      return Promise.resolve();
    });
    await applying;
    return { all, changes, ended };
  } finally {
    await engine.close(false);
    await frr.stop();
    await peer.stop();
  }
}

async function handRound(): Promise<number> {
  const { ipv4 } = mixedTable(HELD, 0);
  const prefixes = Array.from({ length: ipv4.size }, (_, row) => formatPrefixAt(ipv4, row));
  const listen = { address: loopbackAddress(), port: await freePort() };
  const peer = await startPeer(listen.address, listen.port);
  const frr = await startFrr({
    ...{ listen, routerId: '192.0.2.2', localAsn: SPEAKER_ASN, neighbors: [], bare: true },
    extraConfig: configuration(listen.address, peer, prefixes),
  });
  const directory = mkdtempSync(join(tmpdir(), 'pc-bench-'));
  try {
    await peer.waitRoutes(prefixes.length);
    const file = join(directory, 'delta');
    writeFileSync(file, delta(prefixes).join('\n') + '\n');
    // Else it would ask the system's PAM, which knows no FRR that is not installed.
    writeFileSync(join(directory, 'vtysh.conf'), `username ${userInfo().username} nopassword\n`);
    const options = ['--config_dir', directory, '--vty_socket', frr.directory, '-f', file];
    return await timed(peer, CHANGES / 2, CHANGES / 2, () => {
      const { status, stderr } = spawnSync(programPath('vtysh'), options, { encoding: 'utf8' });
      if (status !== 0) throw new Error(`vtysh ended with ${status}: ${stderr}`);
      return Promise.resolve();
    });
  } finally {
    rmSync(directory, { recursive: true });
    await frr.stop();
    await peer.stop();
  }
}

/** As one would write it, one `network` for each prefix. */
function configuration(address: string, peer: Bird, prefixes: readonly string[]): string {
  const neighbor = (words: string): string => ` neighbor ${peer.address} ${words}`;
  return [
    'route-map out permit 10',
    ' set ip next-hop 192.0.2.179',
    `router bgp ${SPEAKER_ASN}`,
    ' bgp router-id 192.0.2.2',
    ' no bgp network import-check',
    neighbor(`remote-as ${peer.localAsn}`),
    neighbor(`port ${peer.port}`),
    neighbor(`update-source ${address}`),
    neighbor('ebgp-multihop 255'),
    neighbor('timers connect 1'),
    neighbor('advertisement-interval 0'),
    ' address-family ipv4 unicast',
    ` ${neighbor('activate')}`,
    ` ${neighbor('route-map out out')}`,
    ` ${neighbor('route-map out in')}`,
    ...prefixes.map((prefix) => `  network ${prefix}`),
  ].join('\n');
}

/** Half of the changes are withdrawals, half announcements. */
function delta(prefixes: readonly string[]): string[] {
  const half = CHANGES / 2;
  return [
    `router bgp ${SPEAKER_ASN}`,
    'address-family ipv4 unicast',
    ...prefixes.slice(0, half).map((prefix) => `no network ${prefix}`),
    ...Array.from({ length: half }, (_, i) => `network 16.${i >> 8}.${i & 255}.0/24`),
  ];
}
