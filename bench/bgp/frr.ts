/** 1,000 changes by the builtin speaker, beside an FRR that is given a delta of 1,000 commands by hand, in one `vtysh`. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { formatPrefixAt } from '../../src/core/prefix.ts';
import type { Bird } from '../../test/daemons/bird.ts';
import { startFrr, type Frr } from '../../test/daemons/frr.ts';
import { freePort, loopbackAddress } from '../../test/daemons/ports.ts';
import { programPath } from '../../test/daemons/programs.ts';
import { compared } from '../report.ts';
import { builtinRound } from './direct.ts';
import { CHANGES, SPEAKER_ASN, mixedTable, startPeer, timed } from './scene.ts';

const ROUNDS = 3;
const GOAL = 0.3;
/** What FRR holds: more `network` statements take it long to read, and change nothing about the delta. */
const HELD = 10_000;

export async function run(count: number): Promise<void> {
  const before = mixedTable(count, 0);
  const after = mixedTable(count, CHANGES / 2);
  const ours: number[] = [];
  const byHand: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    byHand.push(await frrRound());
    ours.push((await builtinRound(before, after)).changes);
  }
  console.log(compared(`${CHANGES} changes in ${count}, FRR's in ${HELD}`, ours, byHand, GOAL));
}

async function frrRound(): Promise<number> {
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
    const options = ['--config_dir', directory, '--vty_socket', socketDirectory(frr), '-f', file];
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

function socketDirectory({ pid }: Frr): string {
  const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  return words[words.indexOf('--vty_socket') + 1]!;
}
