/**
 * `npm run bench -- diff [ROUNDS]`: what changed between two revisions of a million routes, 1,000 of them different, beside SQL `EXCEPT` both ways
 * in the embedded PostgreSQL. In memory, and from what is stored of both. The rows of `EXCEPT` must be the same.
 */
import { diffTables } from '../../src/core/tables/diff.ts';
import { PrefixBuffer } from '../../src/core/prefix-buffer.ts';
import { type PrefixTable, PrefixTableBuilder } from '../../src/core/tables/prefix-table.ts';
import { type PrefixList, formatPrefixAt } from '../../src/core/prefix.ts';
import {
  type StoredTable,
  type TableDelta,
  decodeDiffering,
  encodeAfter,
  storedAs,
} from '../../src/core/stored/stored-table.ts';
import { encodeTable } from '../../src/core/stored/table-codec.ts';
import { fillTable, serverTime, withPostgres } from '../measure/postgres.ts';
import { fullTable } from './prefix-lists.ts';
import { compared, comparedLeast, machine, median } from '../measure/report.ts';

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
  const storedFirst = storedAs(encodeTable(first), null);
  const whole = storedAs(encodeTable(after), null);
  const asDelta = storedAs(encodeAfter(after, storedFirst) as TableDelta, storedFirst);
  const decoded = (stored: StoredTable): number[] =>
    Array.from({ length: rounds + 3 }, () => timed(() => diffStored(storedFirst, stored))).slice(3);
  const [decodedWhole, decodedDelta] = [decoded(whole), decoded(asDelta)];
  const { times: sql, lines } = await exceptBothWays(first.ipv4, after.ipv4, rounds);
  for (const stored of [whole, asDelta]) requireSame(diffStored(storedFirst, stored), lines);
  console.log(
    `${machine()}; medians of ${rounds} rounds; ${first.ipv4.size} routes, ${CHANGES} of them different`,
  );
  for (const [title, times, goal] of [
    ['diff in memory, beside EXCEPT', own, GOALS.memory],
    ['from two tables stored whole', decodedWhole, GOALS.decoded],
    ['from a table and its delta', decodedDelta, GOALS.decoded],
  ] as const) {
    console.log(compared(title, times, sql, goal));
    console.log(comparedLeast('  least time', times, sql));
  }
  console.log(`  the same ${lines.length} rows as EXCEPT finds`);
  console.log('\ngrowth, in memory');
  for (const count of [10_000, 100_000, 1_000_000, 10_000_000]) growth(count, rounds);
}

/** Times of the statement, and its rows as {@link diffStored} gives them. */
async function exceptBothWays(
  before: PrefixList,
  after: PrefixList,
  rounds: number,
): Promise<{ times: number[]; lines: string[] }> {
  return withPostgres(async (client) => {
    await fillTable(client, 'a', before);
    await fillTable(client, 'b', after);
    const both =
      '(SELECT * FROM a EXCEPT SELECT * FROM b) UNION ALL (SELECT * FROM b EXCEPT SELECT * FROM a)';
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) times.push(await serverTime(client, both));
    const { rows } = await client.query<{ line: string }>(
      `SELECT '- ' || prefix AS line FROM (SELECT * FROM a EXCEPT SELECT * FROM b) AS withdrawn
       UNION ALL SELECT '+ ' || prefix FROM (SELECT * FROM b EXCEPT SELECT * FROM a) AS announced`,
    );
    return { times, lines: rows.map(({ line }) => line) };
  });
}

/** What came and what went, a prefix a line. */
function diffStored(first: StoredTable, second: StoredTable): string[] {
  const { before, after } = decodeDiffering(first, second);
  const { ipv4 } = diffTables(before, after);
  return [
    ...Array.from(ipv4.withdrawn, (row) => `- ${formatPrefixAt(before.ipv4, row)}`),
    ...Array.from(ipv4.announced, (row) => `+ ${formatPrefixAt(after.ipv4, row)}`),
  ];
}

function requireSame(own: readonly string[], peer: readonly string[]): void {
  if ([...own].sort().join() !== [...peer].sort().join()) throw new Error('EXCEPT finds other rows');
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
