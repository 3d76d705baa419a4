/** Tables at terminals of every width: what a reader can do without goes first, and whole, before texts are cut to nothing. */
import { stripVTControlCharacters } from 'node:util';
import { afterEach, expect, test } from 'vitest';
import { textTable } from '../../../src/cli/render/text-table.ts';

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
