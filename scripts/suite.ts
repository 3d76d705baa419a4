/** A run of test files: which of them share processes, how many run at once, and in which order. */
import { availableParallelism } from 'node:os';
import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { compiledDirectory } from '../test/compiled.ts';
import { PATIENCE_MS } from '../test/daemons/wait.ts';
import { testsByNeed } from '../test/needs.ts';
import { withoutTierUp } from '../test/node-options.ts';
import { temporaryDirectory } from '../test/temporary.ts';
import { LongestFirst } from './longest-first.ts';

const compiled = compiledDirectory();
const globalSetup = './test/prepare-run.ts';

/** The configuration of a run of those files of `test/` that the suite has. */
export function suite(has: (file: string) => boolean): ViteUserConfig {
  const { nothing, database, processes, alone } = testsByNeed();
  const [store, aboveStore] = [true, false].map((isStore) =>
    database.filter((file) => file.startsWith('test/store/') === isStore),
  );
  const project = (
    name: string,
    files: readonly string[] = [],
  ): { name: string; include: string[] } & ReturnType<typeof limits> => ({
    ...limits(),
    name,
    include: files.filter((file) => has(file)),
  });
  return defineConfig({
    test: {
      // Files that talk to real daemons and databases wait for more than half of their time, so four for each core keep all busy.
      maxWorkers: Math.min(12, Math.max(4, 4 * availableParallelism())),
      sequence: { sequencer: LongestFirst },
      reporters: process.env.CI === 'true' ? ['default', './scripts/ci-reporter.ts'] : ['default'],
      projects: [
        // These leave nothing behind in their process, so that the next file finds the modules loaded: a third to two thirds of their
        // processor time.
        { test: { ...project('pure', nothing), isolate: false } },
        // With the pure ones, this is `npm run test:fast`.
        { test: { ...project('store', store), isolate: false } },
        { test: { ...project('database', aboveStore), isolate: false } },
        { test: { ...project('processes', processes), isolate: false, globalSetup } },
        { test: { ...project('alone', alone), globalSetup } },
      ],
    },
  });
}

function limits(): {
  testTimeout: number;
  hookTimeout: number;
  expect: { poll: { timeout: number } };
  execArgv: string[];
  env: Record<string, string>;
  experimental: { viteModuleRunner: boolean; nodeLoader: boolean };
} {
  return {
    // Nothing that passes takes as long; on a machine with ten times as much to do, computation does take a minute and a half.
    ...{ testTimeout: 3 * PATIENCE_MS, hookTimeout: 3 * PATIENCE_MS },
    // As long as `waitFor` has, and for the same reason: vitest itself gives up after a second, in which a busy machine may give a process no turn.
    expect: { poll: { timeout: PATIENCE_MS } },
    execArgv: withoutTierUp,
    // Node.js itself loads the sources, as it does in every thread and process that a test starts, and keeps what it has compiled for the next.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    env: { NODE_COMPILE_CACHE: compiled, TMPDIR: temporaryDirectory() },
  };
}
