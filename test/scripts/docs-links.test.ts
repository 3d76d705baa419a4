// Every link of every page leads to a file of this repository and to a heading of it. Links out of the repository are not followed.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { headingAnchors } from '../../scripts/docs/heading-anchors.ts';

const ROOT = join(import.meta.dirname, '../..');
const PAGES = [...globSync('*.md', { cwd: ROOT }), ...globSync('docs/**/*.md', { cwd: ROOT })].map((path) =>
  join(ROOT, path),
);

/** What stands in code, inline or fenced, is no link. */
function prose(text: string): string {
  return text.replace(/^```[^]*?^```$/gm, '').replace(/`[^`\n]*`/g, '');
}

const anchors = new Map<string, Set<string>>();

function anchorsOf(path: string): Set<string> {
  const known = anchors.get(path) ?? headingAnchors(readFileSync(path, 'utf8'));
  anchors.set(path, known);
  return known;
}

function fault(page: string, target: string): string | null {
  if (/^(https?:|mailto:)/.test(target)) return null;
  const [file = '', anchor] = target.split('#');
  const path = file === '' ? page : join(dirname(page), file);
  if (!existsSync(path)) return `${file} does not exist`;
  if (anchor === undefined) return null;
  return anchorsOf(path).has(anchor) ? null : `${target} names no heading`;
}

test('every link leads somewhere', () => {
  const faults = PAGES.flatMap((page) =>
    [...prose(readFileSync(page, 'utf8')).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target]) => fault(page, target!))
      .filter((one) => one !== null)
      .map((one) => `${relative(ROOT, page)}: ${one}`),
  );
  expect(faults).toEqual([]);
});

test('every page is reached from README.md by links', () => {
  const reached = new Set<string>();
  const follow = (page: string): void => {
    if (reached.has(page)) return;
    reached.add(page);
    for (const [, target] of prose(readFileSync(page, 'utf8')).matchAll(/\]\(([^)#\s:]+\.md)[^)]*\)/g)) {
      const next = join(dirname(page), target!);
      if (existsSync(next)) follow(next);
    }
  };
  follow(join(ROOT, 'README.md'));
  expect(PAGES.filter((page) => !reached.has(page)).map((page) => relative(ROOT, page))).toEqual([]);
});

test('every source that a page names is there', () => {
  const sources = '{assembly,bench,client,console,demo,scripts,src,test}/**/*.{sql,ts,tsv,tsx}';
  const files = globSync(['*.ts', sources], { cwd: ROOT, exclude: ['**/node_modules/**'] });
  expect(files.length).toBeGreaterThan(1000);
  // A page names a file by the end of its path; a history names those of its time.
  const isThere = (name: string): boolean => files.some((file) => `/${file}`.endsWith(`/${name}`));
  const pages = PAGES.filter((page) => !/CHANGELOG|suite-of-ten-minutes/.test(page));
  const missing = pages.flatMap((page) =>
    [...readFileSync(page, 'utf8').matchAll(/`((?:[\w.-]+\/)*[\w.-]+\.(?:sql|tsv|tsx?))`/g)]
      .map(([, name]) => name!)
      .filter((name) => !isThere(name))
      .map((name) => `${relative(ROOT, page)}: ${name}`),
  );
  expect(missing).toEqual([]);
});
