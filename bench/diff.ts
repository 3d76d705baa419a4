/**
 * `npm run bench -- diff [ROUNDS]`: what changed between two revisions of a million routes, 1,000 of them different, beside SQL `EXCEPT` both ways
 * in the embedded PostgreSQL. In memory, and from the stored blocks of both.
 */
import { diffTables } from '../src/core/diff.ts';
import { PrefixBuffer } from '../src/core/prefix-buffer.ts';
import { type PrefixTable, PrefixTableBuilder } from '../src/core/prefix-table.ts';
import type { PrefixList } from '../src/core/prefix.ts';
import { type EncodedTable, decodeTable, encodeTable } from '../src/core/table-codec.ts';
import { fillTable, serverTime, withPostgres } from './postgres.ts';
import { fullTable } from './prefix-lists.ts';
import { compared, machine, median } from './report.ts';

const COMMUNITY = '65000:100';
const CHANGES = 1_000;
const GOALS = { memory: 0.005, decoded: 0.02 };

export async function run(args: readonly string[]): Promise<void> {
  const rounds = Number(args[0] ?? 5);
  const before = tableOf(distinct(fullTable('ipv4', 1_700_000), 1_000_000 + CHANGES / 2), 0);
  const after = tableOf(before.ipv4, CHANGES / 2);
  const first = tableOf(before.ipv4, -CHANGES / 2);
  const expected = diffTables(first, after);
  if (expected.announced !== CHANGES / 2 || expected.withdrawn !== CHANGES / 2) {
    throw new Error(
      `${expected.announced} announced and ${expected.withdrawn} withdrawn are not what was changed`,
    );
  }
  const own = Array.from({ length: rounds + 3 }, () => timed(() => diffTables(first, after))).slice(3);
  const [storedFirst, storedAfter] = [encodeTable(first), encodeTable(after)];
  const decoded = Array.from({ length: rounds + 1 }, () =>
    timed(() => diffTables(decode(storedFirst), decode(storedAfter))),
  ).slice(1);
  const sql = await exceptBothWays(first.ipv4, after.ipv4, rounds);
  console.log(
    `${machine()}; medians of ${rounds} rounds; ${first.ipv4.size} routes, ${CHANGES} of them different`,
  );
  console.log(compared('diff in memory, beside EXCEPT', own, sql, GOALS.memory));
  console.log(compared('diff with decoding, beside EXCEPT', decoded, sql, GOALS.decoded));
  console.log('\ngrowth, in memory');
  for (const count of [10_000, 100_000, 1_000_000, 10_000_000]) growth(count, rounds);
}

async function exceptBothWays(before: PrefixList, after: PrefixList, rounds: number): Promise<number[]> {
  return withPostgres(async (client) => {
    await fillTable(client, 'a', before);
    await fillTable(client, 'b', after);
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const both =
        '(SELECT * FROM a EXCEPT SELECT * FROM b) UNION ALL (SELECT * FROM b EXCEPT SELECT * FROM a)';
      times.push(await serverTime(client, both));
    }
    return times;
  });
}

function growth(count: number, rounds: number): void {
  const rows = new PrefixBuffer('ipv4', count);
  for (let i = 0; i < count; i++) rows.pushWord(i * 256, 32);
  const [before, after] = [tableOf(rows, 5), tableOf(rows, -5)];
  const time = median(
    Array.from({ length: rounds + 2 }, () => timed(() => diffTables(before, after))).slice(2),
  );
  console.log(
    `  ${String(count).padStart(9)} routes ${time.toFixed(2).padStart(8)} ms ${((time * 1e6) / count).toFixed(1).padStart(5)} ns a route`,
  );
}

function decode({ manifest, blocks }: EncodedTable): PrefixTable {
  return decodeTable(manifest, new Map(blocks.map(({ hash, bytes }) => [hash, bytes])));
}

function timed(work: () => unknown): number {
  const started = performance.now();
  work();
  return performance.now() - started;
}

/** The first `count` different prefixes of a sorted list. */
function distinct(list: PrefixList, count: number): PrefixList {
  const rows = new PrefixBuffer(list.family, count);
  for (let i = 0; i < list.size && rows.size < count; i++) {
    const again = i > 0 && list.words[i] === list.words[i - 1] && list.lengths[i] === list.lengths[i - 1];
    if (!again) rows.push(list.words, i, list.lengths[i]!);
  }
  return rows.toList();
}

/** The list as routes, without `skipped` rows spread over it: from the beginning on, or from the one behind it when negative. */
function tableOf(list: PrefixList, skipped: number): PrefixTable {
  const rows = new PrefixBuffer(list.family, list.size);
  const step = skipped === 0 ? Infinity : Math.floor(list.size / Math.abs(skipped));
  let left = Math.abs(skipped);
  for (let i = 0; i < list.size; i++) {
    if (left > 0 && i % step === (skipped > 0 ? 0 : 1)) left--;
    else rows.push(list.words, i, list.lengths[i]!);
  }
  const builder = new PrefixTableBuilder();
  builder.addSet(rows.toList(), COMMUNITY);
  return builder.build();
}
