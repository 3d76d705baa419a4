import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { MODULE_TYPES, type ModuleType } from '../../../src/api/lists/modules.ts';
import { unescapeFormula, writeCell } from '../../../src/control/entries/entry-csv.ts';
import { readEntryCsv, type ReadEntryCsv } from '../../../src/control/entries/read-entry-csv.ts';
import { times } from '../../fuzz.ts';

function read(text: string | Uint8Array, type: ModuleType = 'IP_RANGES'): ReadEntryCsv {
  const body = Uint8Array.from(typeof text === 'string' ? Buffer.from(text) : text);
  const communities = new Map([['65000:100', '0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77']]);
  return readEntryCsv({ type, body, communities, bogons: 'drop', now: 0, allowedPrefixes: null });
}

const rowsOf = (file: ReadEntryCsv): Record<string, unknown>[] => {
  if (!file.ok) throw new Error(JSON.stringify(file.faults));
  return file.chunks.flatMap(
    (chunk) => JSON.parse(Buffer.from(chunk).toString()) as Record<string, unknown>[],
  );
};

const linesOf = (file: ReadEntryCsv): number[] =>
  file.ok ? [] : file.faults.map(({ pointer }) => Number(pointer.replace('line ', '')));

describe('lines', () => {
  const blank = fc.constantFrom('', '\n', '\r\n', '\n\n', '\r\n\n');
  const note = fc.constantFrom('', 'plain', '"quoted, with ""two"""', '"a\nb"', '"a\r\nb\r\n\r\nc"', '"\n"');
  const row = fc.record({ good: fc.boolean(), note, end: fc.constantFrom('\n', '\r\n'), blank });

  test('are counted as an editor does, whatever stands in cells and between rows', () => {
    fc.assert(
      fc.property(blank, fc.array(row, { maxLength: 20 }), (start, rows) => {
        let text = `${start}cidr,note\n`;
        const wrong: number[] = [];
        const lineHere = (): number => text.split('\n').length;
        for (const [n, { good, note: cell, end, blank: gap }] of rows.entries()) {
          if (!good) wrong.push(lineHere());
          text += `${good ? `11.0.${n}.0/24` : 'x'},${cell}${end}${gap}`;
        }
        expect(linesOf(read(text))).toEqual(wrong);
      }),
    );
  });
});

describe('a header of another kind of entries', () => {
  test.each([
    ['name,url,format,json_path,csv_column,enabled,community,expires_at', 'CDN sources'],
    ['asn,note', 'AS numbers'],
  ])('%s is said to be one, once, whatever follows', (header, other) => {
    expect(read(`${header}\na,b,c\n`)).toMatchObject({
      ok: false,
      faults: [
        {
          pointer: 'line 1',
          detail: expect.stringMatching(
            new RegExp(
              `^This is a file of ${other}, and the module has ranges: their file begins with a header such as cidr,`,
            ),
          ) as string,
        },
      ],
    });
  });

  test('is none where columns are unknown to all kinds, or known to this one', () => {
    expect(read('cidr,url,colour\n')).toMatchObject({ ok: false, faultCount: 2 });
    expect(read('note,enabled\n')).toMatchObject({
      faults: [{ detail: 'The column cidr is missing in the header.' }],
    });
  });
});

describe('a file that is not quite CSV', () => {
  const detailOf = (file: ReadEntryCsv): string[] => (file.ok ? [] : file.faults.map(({ detail }) => detail));

  test.each([
    ['cidr;note;enabled\n192.0.2.0/24;x;true\n', 'semicolons'],
    ['CIDR; Note\n', 'semicolons'],
    ['cidr\tnote\n', 'tabs'],
  ])('with other separators is said to have them: %j', (text, separators) => {
    expect(detailOf(read(text))).toEqual([
      `The cells are separated by ${separators}. Save the file with commas between them.`,
    ]);
  });

  test('with comments below a header is said to have them', () => {
    const file = read('cidr,note\n# ours\n11.0.0.0/24,x\n# two, with commas, many\n');
    expect(linesOf(file)).toEqual([2, 4]);
    expect(new Set(detailOf(file))).toEqual(
      new Set(['A comment stands here, and a file with a header has none. Leave the line out.']),
    );
  });
});

describe('a row', () => {
  afterEach(() => void vi.useRealTimers());

  test('has the values of its cells, and the defaults of the columns that are not there', () => {
    const rows = rowsOf(read('community , CIDR\n65000:100, 11.0.0.0/24 \n,11.0.1.1\n'));
    expect(rows).toMatchObject([
      {
        cidr: '11.0.0.0/24',
        note: null,
        enabled: true,
        community_ids: ['0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77'],
      },
      { cidr: '11.0.1.1/32', note: null, enabled: true, community_ids: [] },
    ]);
    expect(rows[0]).not.toHaveProperty('community');
  });

  test('has an id of its own, in the order of the file, also beyond one piece within a millisecond', () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const text = Array.from({ length: 12_000 }, (_, n) => `12.${n >> 8}.${n & 255}.0/24`).join('\n');
    const file = read(`cidr\n${text}`);
    expect(file.ok && file.chunks.length).toBe(12);
    const ids = rowsOf(file).map(({ id }) => String(id));
    expect(new Set(ids).size).toBe(12_000);
    expect([...ids].sort()).toEqual(ids);
  });
});

describe('a cell', () => {
  test('is read as it was written', () => {
    const part = fc.constantFrom("'", '=', '+', '-', '@', '\t', '\r', '\n', '＝', '"', ',', 'a', ' ');
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: part })), (text) => {
        const cell = writeCell(text);
        const bare = cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell;
        expect(unescapeFormula(bare)).toBe(text);
        expect(bare).not.toMatch(/^[=+\-@\t\r\n＝]/);
      }),
    );
  });
});

describe('anything at all', () => {
  test('is read no further than a hundred thousand faults', () => {
    const file = read(`cidr,note\n${'x\n'.repeat(150_000)}`);
    expect(file).toMatchObject({ ok: false, faultCount: 100_000 });
    expect(linesOf(file)).toHaveLength(1_000);
  });

  const bytes = fc.uint8Array({ maxLength: 300 });
  const nearly = fc
    .array(
      fc.constantFrom(
        'cidr',
        'asn',
        'domain',
        'name',
        'url',
        'note',
        ',',
        '\n',
        '\r\n',
        '"',
        '11.0.0.0/24',
        '\ufeff',
        '=',
        '1',
        ' ',
      ),
      { maxLength: 40 },
    )
    .map((parts) => Buffer.from(parts.join('')));

  test('is read, or reported by its lines, and never throws', () => {
    fc.assert(
      fc.property(fc.constantFrom(...MODULE_TYPES), fc.oneof(bytes, nearly), (type, body) => {
        const file = read(body, type);
        const last = Buffer.from(body).toString('latin1').split('\n').length;
        for (const line of linesOf(file)) {
          expect(line).toBeGreaterThanOrEqual(1);
          expect(line).toBeLessThanOrEqual(last);
        }
        if (!file.ok) expect(file.faultCount).toBeGreaterThan(0);
        else expect(rowsOf(file)).toHaveLength(file.rows);
      }),
      { numRuns: times(2_000) },
    );
  });
});
