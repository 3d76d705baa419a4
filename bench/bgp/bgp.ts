/**
 * `npm run bench -- bgp [ROW…] [--routes N]`: from apply to what routers hear, beside what one would do without Prefixcast. Without a
 * name every row is measured, in turns with its peer; the figures are medians.
 */
import { parseArgs } from 'node:util';
import { machine } from '../measure/report.ts';

interface Row {
  /** @param routes how many, where a row's size is free */
  run(routes: number): Promise<void>;
}

const ROWS: Readonly<Record<string, () => Promise<Row>>> = {
  direct: () => import('./direct.ts'),
  feed: () => import('./feed.ts'),
  grouping: () => import('./grouping.ts'),
  frr: () => import('./frr.ts'),
  refresh: () => import('./refresh.ts'),
  'fan-out': () => import('./fan-out.ts'),
  memory: () => import('./memory.ts'),
};

export async function run(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { routes: { type: 'string', default: '1000000' } },
  });
  const unknown = positionals.find((name) => !(name in ROWS));
  const routes = Number(values.routes);
  if (unknown !== undefined || !Number.isInteger(routes) || routes < 1) {
    console.error(`usage: npm run bench -- bgp [ROW…] [--routes N], rows: ${Object.keys(ROWS).join(', ')}`);
    process.exitCode = 2;
    return;
  }
  console.log(`${machine()}; medians, ours first`);
  for (const name of positionals.length === 0 ? Object.keys(ROWS) : positionals) {
    console.log(`\n${name}`);
    await (await ROWS[name]!()).run(routes);
  }
}
