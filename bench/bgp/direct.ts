/** Routes from apply to the last one seen by a BIRD peer, and then 1,000 changes, by the builtin speaker. */
import { emptyTable } from '../../src/core/prefix-table.ts';
import type { PrefixTable } from '../../src/core/prefix-table.ts';
import { BuiltinEngine } from '../../src/speakers/builtin/engine.ts';
import { compared, median } from '../report.ts';
import {
  CHANGES,
  birdRound,
  mixedTable,
  peakMemory,
  speakerTo,
  startPeer,
  timed,
  type Round,
} from './scene.ts';

const ROUNDS = 3;
const GOALS = { all: 0.2, changes: 0.05 };

export async function run(count: number): Promise<void> {
  const before = mixedTable(count, 0);
  // Half of the changes are withdrawals, half announcements.
  const after = mixedTable(count, CHANGES / 2);
  const ours: Round[] = [];
  const birds: Round[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    birds.push(await birdRound(before, after));
    ours.push(await builtinRound(before, after));
  }
  const of = (rounds: readonly Round[], key: keyof Round): number[] => rounds.map((round) => round[key]);
  const all = `${before.ipv4.size} routes, apply to last one seen`;
  console.log(compared(all, of(ours, 'all'), of(birds, 'all'), GOALS.all));
  console.log(
    compared(`${CHANGES} changes, apply to seen`, of(ours, 'changes'), of(birds, 'changes'), GOALS.changes),
  );
  const peak = (rounds: readonly Round[]): string => median(of(rounds, 'peak')).toFixed(0);
  console.log(
    `peak memory: builtin ${peak(ours)} MB (with this benchmark and its tables), BIRD ${peak(birds)} MB`,
  );
}

export async function builtinRound(before: PrefixTable, after: PrefixTable): Promise<Round> {
  const log = { info: () => undefined, warn: console.warn, error: console.error };
  const engine = new BuiltinEngine({ listen: { host: '127.0.0.1', port: 0 }, version: 'test', log });
  await engine.start();
  const peer = await startPeer('127.0.0.1', 1);
  try {
    const driver = engine.driver('bench');
    const apply = (table: PrefixTable): Promise<unknown> =>
      driver.apply({ revisionId: '', table, labels: {}, noExport: false }, new AbortController().signal);
    await driver.configure(speakerTo(peer));
    await apply(emptyTable());
    await peer.waitEstablished();
    const all = await timed(peer, before.ipv4.size, 0, () => apply(before));
    const changes = await timed(peer, CHANGES / 2, CHANGES / 2, () => apply(after));
    return { all, changes, peak: peakMemory(process.pid) };
  } finally {
    await engine.close(false);
    await peer.stop();
  }
}
