/** Tables at terminals of every width: what a reader can do without goes first, and whole, before texts are cut to nothing. */
import { stripVTControlCharacters } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import { shapeOf, textTable, type TableShape } from '../../../src/cli/render/text-table.ts';

const { isTTY, columns } = process.stdout;
afterEach(() => {
  process.stdout.isTTY = isTTY;
  process.stdout.columns = columns;
});

function at(width: number, ...given: Parameters<typeof textTable>): string[] {
  process.stdout.isTTY = true;
  process.stdout.columns = width;
  return stripVTControlCharacters(textTable(...given))
    .split('\n')
    .slice(0, -1);
}

const TITLES = ['PEER', 'SPEAKER', 'STATE', 'ROUTES', 'ADDRESS', 'ASN', 'SINCE', 'ERROR'];
const MINOR = [0, 1, 0, 0, 3, 4, 2, 0];
const ROW = [
  ...['edge4', 'builtin', 'active', '0', '192.0.2.44', '4200000001', '12 min'],
  'cannot connect to 192.0.2.44 port 179: the connection was refused',
];

test('a wide terminal has all columns, and a file as well', () => {
  expect(at(200, TITLES, [ROW], MINOR)[0]!.split(/ +/)).toEqual(TITLES);
  process.stdout.isTTY = false;
  expect(textTable(TITLES, [ROW], MINOR).split('\n')[0]!.split(/ +/)).toEqual(TITLES);
});

test.each([
  [80, ['PEER', 'SPEAKER', 'STATE', 'ROUTES', 'ADDRESS', 'SINCE', 'ERROR']],
  [60, ['PEER', 'SPEAKER', 'STATE', 'ROUTES', 'ERROR']],
  [40, ['PEER', 'STATE', 'ROUTES', 'ERROR']],
])('at %i columns', (width, titles) => {
  const lines = at(width, TITLES, [ROW], MINOR);
  expect(lines[0]!.split(/ +/)).toEqual(titles);
  for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(width);
  expect(lines[1]).toMatch(/^edge4 .*active .*cannot conn/);
});

test('columns without a rank are cut, the widest first', () => {
  const lines = at(24, ['A', 'B'], [['short', 'x'.repeat(60)]]);
  expect(lines).toEqual(['A      B', `short  ${'x'.repeat(16)}…`]);
});

describe('a table that is drawn again', () => {
  const calm = ['edge4', 'builtin', 'established', '12', '192.0.2.44', '64496', '12 min', ''];
  const least = TITLES.map((title) => (title === 'ERROR' ? 24 : 0));
  const shape = (rows: readonly (readonly string[])[], before: TableShape | null): TableShape =>
    shapeOf(TITLES, rows, { minor: MINOR, least, before });
  const titlesAt = (width: number, row: readonly string[], of: TableShape): string =>
    at(width, TITLES, [row], MINOR, of)[0]!;

  test('keeps its columns, each at its place', () => {
    process.stdout.isTTY = true;
    process.stdout.columns = 80;
    const first = shape([calm], null);
    const second = shape([ROW], first);
    expect(titlesAt(80, ROW, second)).toBe(titlesAt(80, calm, first));
    expect(titlesAt(80, calm, shape([calm], second))).toBe(titlesAt(80, calm, first));
    // What comes has room from the beginning, where a table that is drawn once has other columns.
    expect(titlesAt(80, calm, first)).not.toContain('ASN');
    expect(at(80, TITLES, [calm], MINOR)[0]).toContain('ASN');
  });

  test('makes new ones where the terminal is another', () => {
    process.stdout.isTTY = true;
    process.stdout.columns = 80;
    const first = shape([calm], null);
    process.stdout.columns = 200;
    expect(titlesAt(200, ROW, shape([ROW], first)).split(/ +/)).toEqual(TITLES);
  });
});
