/** Routes from apply to the last one seen by a BIRD peer, and then 1,000 changes, by the builtin speaker. */
import { emptyTable } from '../../src/core/tables/prefix-table.ts';
import type { PrefixTable } from '../../src/core/tables/prefix-table.ts';
import { BuiltinEngine } from '../../src/speakers/builtin/engine.ts';
import { median } from '../measure/report.ts';
import { CHANGES, besideBird, peakMemory, speakerTo, startPeer, timed, type Round } from './scene.ts';

const GOALS = { all: 0.2, changes: 0.05 };

export async function run(count: number): Promise<void> {
  const { ours, birds } = await besideBird(count, 'apply', GOALS, builtinRound);
  const peak = (rounds: readonly Round[]): string => median(rounds.map((round) => round.peak)).toFixed(0);
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
