import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

const inCi = process.env.CI === 'true';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Files that talk to real daemons and databases wait for half of their time, so two for each core keep both busy.
    maxWorkers: Math.max(4, 2 * availableParallelism()),
    testTimeout: 90_000,
    hookTimeout: 120_000,
    reporters: inCi ? ['default', './scripts/ci-reporter.ts'] : ['default'],
  },
});
