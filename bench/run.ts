/** `npm run bench -- NAME`: runs bench/NAME.ts, which measures Prefixcast beside a named peer in the same run. */

interface Benchmark {
  run(args: readonly string[]): Promise<void>;
}

const BENCHMARKS: Readonly<Record<string, () => Promise<Benchmark>>> = {
  aggregate: () => import('./aggregate.ts'),
  cli: () => import('./cli.ts'),
  csv: () => import('./csv.ts'),
  diff: () => import('./diff.ts'),
  feed: () => import('./feed.ts'),
  firewall: () => import('./firewall.ts'),
  growth: () => import('./growth.ts'),
  history: () => import('./history.ts'),
  lookup: () => import('./lookup.ts'),
  map: () => import('./map.ts'),
  agents: () => import('./agents.ts'),
  bgp: () => import('./bgp.ts'),
  http: () => import('./http.ts'),
  idle: () => import('./idle.ts'),
  loop: () => import('./loop.ts'),
  neighbours: () => import('./neighbours.ts'),
  start: () => import('./start.ts'),
  stop: () => import('./stop.ts'),
  storage: () => import('./storage.ts'),
};

const [name = '', ...args] = process.argv.slice(2);
const load = BENCHMARKS[name];
if (load === undefined) {
  console.error(`usage: npm run bench -- NAME, with NAME one of ${Object.keys(BENCHMARKS).join(', ')}`);
  process.exit(2);
}
await (await load()).run(args);
