/**
 * `npm run bench -- reverted [ROUNDS]`: what a reverted peer goes on with of a million routes beside newer ones that lack some of them, and
 * how long the event loop is held by that, beside the same work on the loop.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { PrefixTableBuilder, type PrefixTable } from '../../src/core/tables/prefix-table.ts';
import { leftBeside } from '../../src/control/tables/table-threads.ts';
import { leftOf } from '../../src/speakers/still-held.ts';
import { fullTable } from './prefix-lists.ts';
import { BusyMonitor } from '../measure/busy-monitor.ts';
import { machine, median } from '../measure/report.ts';

const ROUTES = 1_000_000;
/** One of so many routes is lost. */
const LOST = { none: Infinity, 'one of a thousand': 1_000, 'one of ten': 10, half: 2 };
/** Milliseconds of processor time between two turns of the loop. */
const GOAL = 20;
const SENT = { labels: null, families: ['ipv4'] } as const;

export async function run(args: readonly string[]): Promise<void> {
  const rounds = Number(args[0] ?? 5);
  console.log(`${machine()}; medians of ${rounds} rounds; ${ROUTES} routes`);
  const held = tableOf(Infinity);
  await leftBeside(held, tableOf(10), SENT);
  for (const [title, one] of Object.entries(LOST)) {
    const latest = tableOf(one);
    const seen: Record<'inThread' | 'onLoop', Observation[]> = { inThread: [], onLoop: [] };
    for (let round = 0; round < rounds; round++) {
      seen.inThread.push(await observe(() => leftBeside(held, latest, SENT)));
      seen.onLoop.push(await observe(() => Promise.resolve(leftOf(held, latest, SENT))));
    }
    const longest = median(seen.inThread.map((each) => each.held));
    const of = (some: readonly Observation[]): string =>
      `loop held ${median(some.map((each) => each.held)).toFixed(1)} ms, done after ${median(some.map(({ ms }) => ms)).toFixed(0)} ms`;
    console.log(
      `lost: ${title.padEnd(18)} ${of(seen.inThread)} (goal ${GOAL} ms: ${longest <= GOAL ? 'met' : 'NOT met'}); on the loop: ${of(seen.onLoop)}`,
    );
  }
}

interface Observation {
  /** The longest that the loop was held. */
  readonly held: number;
  readonly ms: number;
}

async function observe(work: () => Promise<unknown>): Promise<Observation> {
  await turn();
  const busy = new BusyMonitor();
  const start = performance.now();
  await work();
  const ms = performance.now() - start;
  return { held: busy.end().max, ms };
}

function tableOf(lost: number): PrefixTable {
  const { words, lengths, size } = fullTable('ipv4', ROUTES);
  const builder = new PrefixTableBuilder();
  for (let row = 0; row < size; row++)
    if (row % lost !== lost - 1)
      builder.add('ipv4', words.subarray(row, row + 1), lengths[row]!, '65000:100');
  return builder.build();
}
