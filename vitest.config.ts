import { defineConfig } from 'vitest/config';

const inCi = process.env.CI === 'true';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Real daemons share the machine with the tests: two files at a time keep hold timers honest on two cores.
    maxWorkers: 2,
    testTimeout: 90_000,
    hookTimeout: 120_000,
    reporters: inCi ? ['default', './scripts/ci-reporter.ts'] : ['default'],
  },
});
