import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { stampOf } from '../../scripts/current.ts';

const ROOT = join(import.meta.dirname, '../..');
let dist: string;
beforeEach(() => {
  dist = mkdtempSync(join(tmpdir(), 'prefixcast-current-'));
});
afterEach(() => rmSync(dist, { recursive: true }));

function current(): string {
  return execFileSync(process.execPath, [join(ROOT, 'scripts/current.ts'), dist], {
    encoding: 'utf8',
  }).trim();
}

test('what was built from these sources is started', () => {
  const { path, text } = stampOf(dist);
  writeFileSync(path, text);
  writeFileSync(join(dist, 'prefixcast.cjs'), '');
  expect(current()).toBe(join(dist, 'prefixcast.cjs'));
});

test('the source is started where nothing is built, half of it, or something older', () => {
  const source = join(ROOT, 'src/prefixcast.ts');
  expect(current()).toBe(source);
  const { path, text } = stampOf(dist);
  writeFileSync(path, text);
  expect(current()).toBe(source);
  writeFileSync(join(dist, 'prefixcast.cjs'), '');
  appendFileSync(path, 'of other sources');
  expect(current()).toBe(source);
});
