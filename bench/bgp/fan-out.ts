/** The same routes to 1, 10, 100 and 1,000 peers of one builtin speaker: time until the last has the last route, and memory. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { emptyTable, type PrefixTable } from '../../src/core/tables/prefix-table.ts';
import { BuiltinEngine } from '../../src/speakers/builtin/engine.ts';
import type { PeerModel, SpeakerModel } from '../../src/speakers/speaker.ts';
import { waitFor } from '../../test/daemons/wait.ts';
import { mixedTable, peakMemory } from './scene.ts';
import type { FromReceivers, ToReceivers } from './receivers.ts';

const PEERS = [1, 10, 100, 1_000];
const MOST_ROUTES = 100_000;
const SPEAKER_ASN = 64_512;
const PEER_ASN = 65_001;

export async function run(count: number): Promise<void> {
  const table = mixedTable(Math.min(count, MOST_ROUTES), 0);
  console.log(`${table.ipv4.size} routes; receivers of our own, which count, in a process of their own`);
  console.log('peers   to the last   per peer   peak memory of the speaker with this benchmark');
  for (const peers of PEERS) {
    const time = await fanOut(table, peers);
    const memory = peakMemory(process.pid).toFixed(0);
    console.log(
      `${String(peers).padStart(5)} ${time.toFixed(0).padStart(10)} ms ${(time / peers).toFixed(2).padStart(7)} ms ${memory.padStart(8)} MB`,
    );
  }
}

/** Milliseconds. */
async function fanOut(table: PrefixTable, peers: number): Promise<number> {
  const log = { info: () => undefined, warn: console.warn, error: console.error };
  const engine = new BuiltinEngine({ listen: { host: '127.0.0.1', port: 0 }, version: 'test', log });
  await engine.start();
  const receivers = fork(new URL('receivers.ts', import.meta.url), { stdio: 'inherit' });
  try {
    const { port } = await answer(receivers, { kind: 'listen', asn: PEER_ASN });
    const driver = engine.driver('bench');
    await driver.configure(speakerTo(peers, port));
    const apply = (routes: PrefixTable): Promise<unknown> =>
      driver.apply(
        { revisionId: '', table: routes, labels: {}, noExport: false },
        new AbortController().signal,
      );
    await apply(emptyTable());
    const isUp = async (): Promise<boolean> =>
      (await driver.status()).sessions.every(({ state }) => state === 'established');
    await waitFor(isUp, { what: `${peers} sessions`, timeoutMs: 120_000 });
    const all = answer(receivers, { kind: 'await', sessions: peers, routes: table.ipv4.size });
    const start = performance.now();
    await apply(table);
    await all;
    return performance.now() - start;
  } finally {
    await engine.close(false);
    receivers.kill();
  }
}

async function answer(child: ChildProcess, question: ToReceivers): Promise<FromReceivers> {
  const answered = once(child, 'message') as Promise<[FromReceivers]>;
  child.send(question);
  return (await answered)[0];
}

function speakerTo(peers: number, port: number): SpeakerModel {
  return {
    ...{ tenantId: 'bench', speakerId: 'bench', name: 'bench', routerId: '192.0.2.2', localAsn: SPEAKER_ASN },
    ...{ localIpv4: null, localIpv6: null },
    peers: Array.from({ length: peers }, (_, i): PeerModel => {
      const address = `127.1.${(i + 1) >> 8}.${(i + 1) & 255}`;
      return {
        ...{ id: `peer ${i}`, name: `peer ${i}`, address, port, remoteAsn: PEER_ASN, localAsn: SPEAKER_ASN },
        ...{ localAddress: '127.0.0.1', families: ['ipv4'], passive: false, multihop: null, password: null },
        ...{
          holdTime: 90,
          nextHopIpv4: '192.0.2.179',
          nextHopIpv6: null,
          labels: null,
          maxPrefixesOut: null,
        },
        ...{ gracefulRestart: true, bfd: false },
      };
    }),
  };
}
