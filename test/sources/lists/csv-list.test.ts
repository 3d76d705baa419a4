import { describe, expect, test } from 'vitest';
import { checkCsvColumn } from '../../../src/sources/lists/cdn.ts';
import { read, readGood, textsOf } from './prefix-texts.ts';

function readColumn(body: string, csvColumn: string | null = null): ReturnType<typeof readGood> {
  return readGood(body, { format: 'csv', csvColumn });
}

const INVENTORY = 'site,"prefix, as routed",family\nA,45.0.0.0/24,4\n"B\nwest",2600::/32,6\n';

describe('CSV', () => {
  test('is read at its first column, as geofeeds are (RFC 8805)', () => {
    const { format, prefixes } = readColumn(
      '\ufeff# prefix,country,region,city,postal\r\n45.0.0.0/24,DE,DE-BE,Berlin,\r\n\r\n2600::/45,US,,,\r\n45.0.1.0/24 # one\r\n"45.0.2.0/24",FR,,"Saint-Denis, #1",\r\n',
    );
    expect(format).toBe('csv');
    expect(textsOf(prefixes)).toEqual(['45.0.0.0/24', '45.0.1.0/24', '45.0.2.0/24', '2600::/45']);
    expect(prefixes.rejects).toEqual([]);
  });

  test.each(['prefix, as routed', 'PREFIX, AS ROUTED', '2'])('is read at the column %j', (column) => {
    const { prefixes } = readColumn(INVENTORY, column);
    expect(textsOf(prefixes)).toEqual(['45.0.0.0/24', '2600::/32']);
    expect(prefixes.rejects.map(({ line }) => line)).toEqual(column === '2' ? [1] : []);
  });

  test('takes a plain word in the first row for a header, and nothing else', () => {
    expect(readColumn('network,asn\n45.0.0.0/24,64500\n').prefixes.rejects).toEqual([]);
    const { prefixes } = readColumn('45.0.0.1/24,a\nnetwork,b\n45.0.0.0/24,c\n');
    expect(prefixes.rejects.map(({ line }) => line)).toEqual([1, 2]);
  });

  test('reports rows that are too short, and cells that hold no prefix, by line', () => {
    const { prefixes } = readColumn('a,45.0.0.0/24\nb\n\n# c\nd,010.0.0.0/8\ne,45.0.1.0/24\n', '2');
    expect(textsOf(prefixes)).toEqual(['45.0.0.0/24', '45.0.1.0/24']);
    expect(prefixes.rejects).toMatchObject([
      { line: 2, text: 'b', reason: 'The row has 1 columns, and column 2 is to be read' },
      { line: 5, text: '010.0.0.0/8' },
    ]);
  });

  test('without the column says which there are', () => {
    const list = read(INVENTORY, { format: 'csv', csvColumn: 'cidr' });
    expect(list).toMatchObject({ ok: false, code: 'source_unparseable' });
    expect(list).toHaveProperty('reason', expect.stringContaining('"site", "prefix, as routed", "family"'));
  });

  test.each([
    ['a quote that never ends', `45.0.0.0/24,"${'x'.repeat(100)}`],
    ['a row without end', `45.0.0.0/24,${'xx,'.repeat(50_000)}`],
  ])('with %s is refused', (_what, body) => {
    const list = read(body, { format: 'csv' });
    expect(list).toMatchObject({ ok: false, code: 'source_unparseable' });
    expect(list).toHaveProperty('reason', expect.stringContaining('not CSV'));
  });

  test('of many rows keeps them in order and counts every reject', () => {
    const rows = Array.from({ length: 25_000 }, (_, i) =>
      i % 10 === 9 ? `x,${i}` : `45.${i >> 8}.${i & 255}.0/24,${i}`,
    );
    const { prefixes } = readColumn(rows.join('\n'));
    expect(prefixes).toMatchObject({ accepted: 22_500, rejectedCount: 2_500 });
    expect(prefixes.rejects).toHaveLength(1_000);
    expect(prefixes.rejects.at(-1)!.line).toBe(10_000);
    expect(textsOf(prefixes)).toEqual(
      rows.filter((row) => row.startsWith('4')).map((row) => row.split(',')[0]),
    );
  });
});

describe('the column of a CSV', () => {
  test.each<[string, string | number]>([
    ['1', 1],
    ['10000', 10_000],
    ['prefix', 'prefix'],
    ['IP prefix', 'IP prefix'],
    ['-1', '-1'],
  ])('%j is %j', (text, value) => {
    expect(checkCsvColumn(text)).toEqual({ ok: true, value });
  });

  test.each(['', '  ', '0', '000', '10001', '99999999999999999999'])('%j is refused', (text) => {
    expect(checkCsvColumn(text).ok).toBe(false);
  });
});
