/** `npm run bench -- NAME`: runs the benchmark of that name, which measures Prefixcast beside a named peer in the same run. */

interface Benchmark {
  run(args: readonly string[]): Promise<void>;
}

const BENCHMARKS: Readonly<Record<string, () => Promise<Benchmark>>> = {
  aggregate: () => import('./lists/aggregate.ts'),
  blackhole: () => import('./service/blackhole.ts'),
  cli: () => import('./service/cli.ts'),
  console: () => import('./console/console.ts'),
  csv: () => import('./lists/csv.ts'),
  declared: () => import('./service/declared.ts'),
  diff: () => import('./lists/diff.ts'),
  edits: () => import('./service/edits.ts'),
  feed: () => import('./service/feed.ts'),
  firewall: () => import('./nodes/firewall.ts'),
  growth: () => import('./growth/growth.ts'),
  history: () => import('./lists/history.ts'),
  lookup: () => import('./lists/lookup.ts'),
  reverted: () => import('./lists/reverted.ts'),
  map: () => import('./lists/map.ts'),
  agents: () => import('./nodes/agents.ts'),
  bgp: () => import('./bgp/bgp.ts'),
  plan: () => import('./service/plan.ts'),
  http: () => import('./service/http.ts'),
  loop: () => import('./service/loop.ts'),
  neighbours: () => import('./service/neighbours.ts'),
  start: () => import('./service/start.ts'),
  stop: () => import('./service/stop.ts'),
  statements: () => import('./service/statements.ts'),
  storage: () => import('./lists/storage.ts'),
  takeover: () => import('./service/takeover.ts'),
  workers: () => import('./service/workers.ts'),
};

const [name = '', ...args] = process.argv.slice(2);
const load = BENCHMARKS[name];
if (load === undefined) {
  console.error(`usage: npm run bench -- NAME, with NAME one of ${Object.keys(BENCHMARKS).join(', ')}`);
  process.exit(2);
}
await (await load()).run(args);
