import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { observeLogs } from '../../../src/http/metrics/log-metrics.ts';
import { LogDirectory } from '../../../src/logs/log-directory.ts';

let root: string;
let path: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'prefixcast-logs-'));
  path = join(root, 'volume');
  renameSync(mkdtempSync(join(root, 'made-')), path);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** The series without their help, as a new process has them. */
async function scrape(): Promise<string[]> {
  const registry = new Registry();
  observeLogs(new LogDirectory(path), registry);
  return (await registry.metrics()).split('\n').filter((line) => /^[a-z]/.test(line));
}

test('log files are counted with their octets, and nothing that is none', async () => {
  writeFileSync(join(path, 'a.log'), 'x'.repeat(100));
  writeFileSync(join(path, 'b.log'), 'x'.repeat(7));
  writeFileSync(join(path, 'c.txt'), 'x'.repeat(1_000));
  symlinkSync(join(path, 'c.txt'), join(path, 'd.log'));
  expect(await scrape()).toEqual([
    'prefixcast_runtime_logs_files 2',
    'prefixcast_runtime_logs_bytes 107',
    'prefixcast_runtime_logs_largest_bytes 100',
  ]);
});

test('an empty directory has zeros, one that is away no series', async () => {
  expect(await scrape()).toEqual([
    'prefixcast_runtime_logs_files 0',
    'prefixcast_runtime_logs_bytes 0',
    'prefixcast_runtime_logs_largest_bytes 0',
  ]);
  rmSync(path, { recursive: true });
  expect(await scrape()).toEqual([]);
});
