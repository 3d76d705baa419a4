// `npm run test:soak`: what `npm test` leaves out, and whatever has generated cases or other modes, with FUZZ times as many cases and all modes.
import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { testsByNeed } from './test/needs.ts';
import { withoutTierUp } from './test/node-options.ts';

const files = Object.values(testsByNeed()).flat();
const HOUR_MS = 3_600_000;
const asksForMore = (file: string): boolean =>
  /fuzz\.ts'|hostile\.ts'/.test(readFileSync(`${import.meta.dirname}/${file}`, 'utf8'));

export default defineConfig({
  test: {
    include: files.filter((file) => file.endsWith('.soak.test.ts') || asksForMore(file)),
    globalSetup: './test/prepare-run.ts',
    // What is generated keeps cores busy.
    maxWorkers: '100%',
    testTimeout: HOUR_MS,
    execArgv: withoutTierUp,
    hookTimeout: HOUR_MS,
  },
});
