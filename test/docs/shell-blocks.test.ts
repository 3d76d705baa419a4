// Every shell line of README and docs is run by a test, or says why it is not.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const PAGES = ['README.md', ...globSync('docs/**/*.md', { cwd: ROOT })];
/** What a shell line begins with, in these docs. */
const COMMANDS =
  /^(?:\$ )?(?:api|birdc|cd|curl|docker|git|gobgp|gobgpd|install|node|npm|npx|printf|psql|prefixcast|sudo|systemctl|vtysh|[A-Z_]+=\S+)(?: |$)/;

interface Block {
  readonly place: string;
  /** What stands behind the three backticks; null: the block is an indented one. */
  readonly kind: string | null;
  readonly lines: readonly string[];
}

function blocksOf(page: string): Block[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const lineOf = (index: number): string => `${page}:${text.slice(0, index).split('\n').length}`;
  const fenced = [...text.matchAll(/^ *```(\S.*)\n([^]*?)^ *```$/gm)].map((found) => ({
    place: lineOf(found.index),
    kind: found[1]!,
    lines: found[2]!.split('\n'),
  }));
  const rest = text.replace(/^ *```[^]*?^ *```$/gm, (block) => block.replace(/[^\n]/g, ''));
  const indented = [...rest.matchAll(/(?<=\n\n)(?: {4,}\S.*\n)+/g)].map((found) => ({
    place: lineOf(found.index),
    kind: null,
    lines: found[0].split('\n'),
  }));
  return [...fenced, ...indented];
}

const blocks = PAGES.flatMap(blocksOf);
const shell = blocks.filter(({ kind }) => kind?.split(' ')[0] === 'sh');

test('there are such blocks', () => {
  expect(shell.length).toBeGreaterThan(30);
});

test.each(shell)('$place: sh $kind', ({ kind }) => {
  const [, runner] = /^sh run by (\S+)$/.exec(kind!) ?? [];
  if (runner !== undefined) expect(existsSync(join(ROOT, runner)), runner).toBe(true);
  else expect(kind).toMatch(/^sh (?:test|not run: .{10,})$/);
});

test('no shell line stands in another block', () => {
  const others = blocks.filter(({ kind }) => kind === null || !/^(?:sh|output|text)\b/.test(kind));
  const found = others.filter(({ lines }) => lines.some((line) => COMMANDS.test(line.trim())));
  expect(found.map(({ place, lines }) => `${place}: ${lines[0]!.trim()}`)).toEqual([]);
});
