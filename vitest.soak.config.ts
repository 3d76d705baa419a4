// `npm run test:soak`: what `npm test` leaves out, and whatever has generated cases, with FUZZ times as many of them.
import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { testsByNeed } from './test/needs.ts';
import { withoutTierUp } from './test/node-options.ts';

const { nothing, database, processes } = testsByNeed();
const HOUR_MS = 3_600_000;
const hasGeneratedCases = (file: string): boolean =>
  /fuzz\.ts'|hostile\.ts'/.test(readFileSync(`${import.meta.dirname}/${file}`, 'utf8'));

export default defineConfig({
  test: {
    include: [...nothing, ...database, ...processes].filter(
      (file) => file.endsWith('.soak.test.ts') || hasGeneratedCases(file),
    ),
    globalSetup: './test/program.ts',
    // What is generated keeps cores busy.
    maxWorkers: '100%',
    testTimeout: HOUR_MS,
    execArgv: withoutTierUp,
    hookTimeout: HOUR_MS,
  },
});
