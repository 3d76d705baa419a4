import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { LongestFirst } from './scripts/longest-first.ts';
import { compiledDirectory } from './test/compiled.ts';
import { testsByNeed } from './test/needs.ts';
import { withoutTierUp } from './test/node-options.ts';
import { temporaryDirectory } from './test/temporary.ts';

const compiled = compiledDirectory();
const inCi = process.env.CI === 'true';
const { nothing, database, processes, alone } = testsByNeed();
const store = database.filter((file) => file.startsWith('test/store/'));
const aboveStore = database.filter((file) => !store.includes(file));
/** What repeats in other modes and for more daemons what another file tries: `npm run test:soak` runs it. */
const soak = '**/*.soak.test.ts';
const exclude = [...configDefaults.exclude, soak];
const globalSetup = './test/prepare-run.ts';

export default defineConfig({
  test: {
    // Files that talk to real daemons and databases wait for more than half of their time, so four for each core keep all busy.
    maxWorkers: Math.min(12, Math.max(4, 4 * availableParallelism())),
    sequence: { sequencer: LongestFirst },
    reporters: inCi ? ['default', './scripts/ci-reporter.ts'] : ['default'],
    projects: [
      // These leave nothing behind in their process, so that the next file finds the modules loaded: a third to two thirds of their
      // processor time.
      { test: { ...limits(), isolate: false, name: 'pure', include: nothing, exclude } },
      // With the pure ones, this is `npm run test:fast`.
      { test: { ...limits(), isolate: false, name: 'store', include: store, exclude } },
      { test: { ...limits(), isolate: false, name: 'database', include: aboveStore, exclude } },
      { test: { ...limits(), isolate: false, name: 'processes', include: processes, exclude, globalSetup } },
      { test: { ...limits(), name: 'alone', include: alone, exclude, globalSetup } },
    ],
  },
});

function limits(): {
  testTimeout: number;
  hookTimeout: number;
  execArgv: string[];
  env: Record<string, string>;
  experimental: { viteModuleRunner: boolean; nodeLoader: boolean };
} {
  return {
    // Nothing that passes takes as long; on a machine with ten times as much to do, computation does take a minute and a half.
    ...{ testTimeout: 240_000, hookTimeout: 240_000 },
    execArgv: withoutTierUp,
    // Node.js itself loads the sources, as it does in every thread and process that a test starts, and keeps what it has compiled for the next.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    env: { NODE_COMPILE_CACHE: compiled, TMPDIR: temporaryDirectory() },
  };
}
