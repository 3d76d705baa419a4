/**
 * `npm run bench -- map [ROUNDS]`: how long it takes to draw a million routes, and the difference of two such revisions, from what is stored of them,
 * beside reading the stored table alone.
 */
import { PrefixTableBuilder, type PrefixTable } from '../../src/core/tables/prefix-table.ts';
import { parsePrefix } from '../../src/core/prefix.ts';
import { decodeStoredTable, storedAs } from '../../src/core/stored/stored-table.ts';
import { encodeTable } from '../../src/core/stored/table-codec.ts';
import { drawMap } from '../../src/control/tables/map-work.ts';
import { fullTable } from './prefix-lists.ts';
import { compared, machine } from '../measure/report.ts';

const ROUTES = 1_000_000;
/** A map takes as long as this many readings of its tables. */
const GOALS = { revision: 4, difference: 4 };

export function run(args: readonly string[]): Promise<void> {
  const rounds = Number(args[0] ?? 5);
  const before = storedAs(encodeTable(tableOf(0)), null);
  const stored = storedAs(encodeTable(tableOf(1_000)), null);
  const parsed = parsePrefix('0.0.0.0/0');
  if (!parsed.ok) throw new Error(parsed.reason);
  const within = parsed.value;
  const times = (work: () => unknown): number[] =>
    Array.from({ length: rounds + 2 }, () => timed(work)).slice(2);
  const reading = times(() => decodeStoredTable(stored));
  const readingBoth = times(() => [decodeStoredTable(before), decodeStoredTable(stored)]);
  const revision = times(() => drawMap({ kind: 'map', stored, before: null, within }));
  const difference = times(() => drawMap({ kind: 'map', stored, before, within }));
  console.log(`${machine()}; medians of ${rounds} rounds; ${ROUTES} routes`);
  console.log(compared('map of a revision, beside reading it', revision, reading, GOALS.revision));
  console.log(
    compared('map of a difference, beside reading both', difference, readingBoth, GOALS.difference),
  );
  return Promise.resolve();
}

/** A million routes without the first few. */
function tableOf(skipped: number): PrefixTable {
  const routes = fullTable('ipv4', ROUTES + 1_000);
  const builder = new PrefixTableBuilder();
  const { words, lengths } = routes;
  for (let i = skipped; i < skipped + ROUTES; i++)
    builder.add('ipv4', words.subarray(i, i + 1), lengths[i]!, '65000:100');
  return builder.build();
}

function timed(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}
