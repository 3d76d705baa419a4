/**
 * The specification as it was given (page.md), line by line: each of its statements is quoted by the tests of this folder, and each of its endpoints
 * is a route. What it says to be not shown states nothing, and headings neither.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROUTES } from '../../src/http/server/route-table.ts';

const FOLDER = import.meta.dirname;
const PAGE = readFileSync(join(FOLDER, 'page.md'), 'utf8');

interface Line {
  /** The nearest heading, without its number. */
  readonly heading: string;
  /** Of its part of the page, from 1; 0 before the first. */
  readonly part: number;
  readonly text: string;
}

const LINES = linesOf(PAGE);
/** Rows of tables, without the one of their headings. */
const ROWS = LINES.filter(({ text }) => text.startsWith('|')).map((line) => ({
  ...line,
  cells: cellsOf(line.text),
}));
const ENDPOINTS = ROWS.filter(({ part, cells }) => part === 4 && cells[1]!.startsWith('`/'));

test('"This single document covers all nine parts of the service\'s interface."', () => {
  const parts = [...PAGE.matchAll(/^## (\d)\. /gm)].map(([, number]) => Number(number));
  expect(parts).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

describe('each endpoint of the page is a route', () => {
  const all = ENDPOINTS.flatMap(({ cells: [methods, path] }) =>
    methods!.split(', ').map((method) => [method, /`([^`]+)`/.exec(path!)![1]!] as const),
  );
  const routes = new Set(ROUTES.map(({ method, path }) => `${method} ${withoutNames(path)}`));

  test('the page has them all', () => {
    expect(all.length).toBeGreaterThan(70);
  });

  test.for(all)('%s `%s`', ([method, path]) => {
    expect(routes).toContain(`${method} ${withoutNames(path)}`);
  });
});

describe('each statement of the page is quoted by a test', () => {
  const literals = readdirSync(FOLDER)
    .filter((name) => name.endsWith('.test.ts'))
    .flatMap((name) => literalsOf(readFileSync(join(FOLDER, name), 'utf8')));

  test.for(LINES.flatMap((line) => statementsOf(line).map((said) => [line.heading, said] as const)))(
    '%s: %s',
    ([, said]) => {
      expect(literals.some((literal) => literal.includes(said))).toBe(true);
    },
  );
});

function linesOf(page: string): Line[] {
  let [heading, part] = ['', 0];
  return page.split('\n').flatMap((text, index, all) => {
    const head = /^#+ (?:(\d)\. )?(.+)/.exec(text);
    if (head !== null) [heading, part] = [head[2]!, Number(head[1] ?? part)];
    const isHeadOfTable = all[index + 1]?.startsWith('|--') === true || text.startsWith('|--');
    return head !== null || isHeadOfTable || text === '' ? [] : [{ heading, part, text }];
  });
}

function cellsOf(row: string): string[] {
  const cells = row.split('|').slice(1, -1);
  return cells.map((cell) => cell.trim());
}

function statementsOf({ heading, part, text }: Line): string[] {
  const said = text.startsWith('|')
    ? ofRow(part, cellsOf(text))
    : sentencesOf(heading, text.replace(/^- /, ''));
  return said
    .map((one) => one.replace(/\.$/, ''))
    .filter((one) => one !== '' && !/not shown|\bNo webhook or event stream is shown|:$/.test(one));
}

/** What a row says of a resource, a trigger, an endpoint or a limit; endpoints themselves are routes, which is tried above. */
function ofRow(part: number, cells: readonly string[]): string[] {
  const [first = '', second = '', ...more] = cells;
  if (part === 2) return clausesOf(second);
  if (part === 3) return [first, ...sentencesOf('', second)];
  if (part === 4 && second.startsWith('`/'))
    return more.flatMap((cell) => (/^\w+\+$/.test(cell) ? [] : clausesOf(cell)));
  if (part === 4) return more.flatMap(clausesOf);
  return [`${first}: ${second}`];
}

function sentencesOf(heading: string, text: string): string[] {
  // One sentence lists what exists.
  const list = text.split(/^The following exist, with paths not shown: /)[1];
  if (list !== undefined) return list.split(/[;,] (?![^(]*\))| and (?=install)/);
  const sentences = text.split(/(?<=\.) (?=[A-Z`"*])/);
  return heading === 'Lookup' ? sentences.flatMap(clausesOf) : sentences;
}

/** Parts between semicolons that stand in no parentheses. */
function clausesOf(text: string): string[] {
  return text.split(/; (?![^(]*\))/);
}

function withoutNames(path: string): string {
  return path.replace(/\{[^}]*\}/g, '{}');
}

/** The text of each string of a source, as far as it is written there as a whole. */
function literalsOf(source: string): string[] {
  const code = source.replace(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, '');
  const strings = code.match(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g) ?? [];
  return strings.map((text) => text.slice(1, -1).replace(/\\(.)/g, '$1'));
}
