/** CHANGELOG.md keeps the form of Keep a Changelog, and its former names go on working. */
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const CHANGELOG = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8');
const KINDS = ['Added', 'Changed', 'Deprecated', 'Removed', 'Security', 'Fixed'];

const VERSIONS = CHANGELOG.split(/^## /m)
  .slice(1)
  .map((section) => ({
    title: section.split('\n')[0]!,
    kinds: [...section.matchAll(/^### (.+)$/gm)].map(([, kind]) => kind!),
  }));

test('there is a section of what is not released yet, and it is the first', () => {
  expect(VERSIONS.map(({ title }) => title)[0]).toBe('[Unreleased]');
});

test.each(VERSIONS)('$title has each kind of change once, and no other kind', ({ title, kinds }) => {
  expect(title).toMatch(/^\[(?:Unreleased|\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d)/);
  expect(kinds.filter((kind) => !KINDS.includes(kind))).toEqual([]);
  expect(new Set(kinds).size).toBe(kinds.length);
});

const [, deprecated] = /^### Deprecated\n([^]*?)^### /m.exec(CHANGELOG)!;
const FORMER = [...deprecated!.matchAll(/^\| `([a-z_]+)` +\|/gm)].map(([, name]) => name!);
const textOf = (pattern: string): string =>
  globSync(pattern, { cwd: ROOT })
    .filter((path) => basename(path) !== basename(import.meta.filename))
    .map((path) => readFileSync(join(ROOT, path), 'utf8'))
    .join('\n');

test('the former names are listed', () => {
  expect(FORMER.length).toBeGreaterThan(2);
});

test.each(FORMER)('%s is still taken, and a test uses it', (name) => {
  const word = new RegExp(`\\b${name}\\b`);
  expect(textOf('src/{api,http}/**/*.ts')).toMatch(word);
  expect(textOf('test/**/*.test.ts')).toMatch(word);
});
