import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { ListToRead } from '../../../src/sources/lists/read-list.ts';
import { read, readGood, textsOf } from './prefix-texts.ts';

describe('the format of a list, when nobody says it, is', () => {
  test.each<[string, string, Partial<ListToRead>]>([
    ['json', '{"prefixes": [{"prefix": "45.0.0.0/24"}]}', {}],
    ['json', '\ufeff \n{"a": ["45.0.0.0/24"]}', { contentType: 'text/plain; charset=utf-8' }],
    ['json', '["45.0.0.0/24"]', { contentType: 'text/csv' }],
    ['json', '[\n  ["45.0.0.0/24"]]', {}],
    ['csv', '45.0.0.0/24,DE,,,', { contentType: 'text/csv; charset=utf-8' }],
    ['csv', '45.0.0.0/24', { contentType: 'application/csv' }],
    ['csv', '45.0.0.0/24,DE', { path: '/feeds/geo.CSV' }],
    ['csv', 'net,country\n45.0.0.0/24,DE', { csvColumn: 'net' }],
    ['text', '45.0.0.0/24,DE', {}],
    ['text', '# a comment\n45.0.0.0/24\n', { contentType: 'application/octet-stream' }],
    ['text', '45.0.0.0/24', { contentType: 'text/html' }],
  ])('%s for %j with %j', (format, body, labels) => {
    const list = readGood(body, labels);
    expect(list.format).toBe(format);
    expect(textsOf(list.prefixes)).toEqual(['45.0.0.0/24']);
  });

  test('recognised by the type or the name when the beginning shows nothing, and then it must be that', () => {
    for (const labels of [
      { contentType: 'application/json' },
      { contentType: 'application/vnd.ranges+json; v=1' },
      { path: '/ranges.json' },
      { jsonPath: '$.prefixes[*]' },
    ]) {
      const list = read('45.0.0.0/24\n', labels);
      expect(list).toMatchObject({ ok: false, code: 'source_unparseable' });
      expect(list).toHaveProperty('reason', expect.stringContaining('not JSON'));
    }
  });

  test('what its owner says, whatever it looks like', () => {
    const asText = read('{"prefixes": []}', { format: 'text' });
    expect(asText).toMatchObject({ ok: false, code: 'source_unparseable' });
    expect(asText).toHaveProperty('reason', expect.stringContaining('read as text'));
  });
});

describe('no list is', () => {
  test.each<[string, string | Uint8Array<ArrayBuffer>, string]>([
    ['an HTML page', '<!DOCTYPE html><title>Sign in</title> 45.0.0.0/24', 'HTML page'],
    ['an HTML page behind blanks', '\ufeff\r\n  <html>\n45.0.0.0/24\n', 'HTML page'],
    ['XML', '<?xml version="1.0"?><Error>\n45.0.0.0/24\n', 'HTML or XML'],
    ['UTF-16 with a mark', new Uint8Array(Buffer.from('\ufeff45.0.0.0/24\n', 'utf16le')), 'UTF-16'],
    ['UTF-16 without a mark', new Uint8Array(Buffer.from('45.0.0.0/24\n', 'utf16le')), 'UTF-16'],
    ['a gzip file', new Uint8Array(gzipSync('45.0.0.0/24\n')), 'gzip file'],
    ['a Zstandard file', new Uint8Array(zstdCompressSync('45.0.0.0/24\n')), 'Zstandard file'],
    ['a ZIP file', new Uint8Array([0x50, 0x4b, 3, 4, 20, 0, 0, 0]), 'ZIP file'],
  ])('%s, in any format', (_what, body, reported) => {
    for (const format of ['auto', 'text', 'json', 'csv'] as const) {
      const list = read(typeof body === 'string' ? body : body.slice(), { format });
      expect(list).toMatchObject({ ok: false, code: 'source_unparseable' });
      expect(list).toHaveProperty('reason', expect.stringContaining(reported));
    }
  });

  test('what is of no readable type', () => {
    const list = read('45.0.0.0/24', { contentType: 'image/png' });
    expect(list).toMatchObject({ ok: false, code: 'source_unparseable' });
  });

  test('text of which no line holds a prefix; the first line is reported', () => {
    const list = read('Service\nunavailable\n');
    expect(list).toMatchObject({ ok: false, code: 'source_unparseable' });
    expect(list).toHaveProperty('reason', expect.stringMatching(/None of the 2 lines .* line 1: "Service"/));
  });

  test.each(['', ' \r\n\t', '\ufeff', '# comments\n; and more\n', '[]\n'])('nothing: %j', (body) => {
    expect(read(body)).toMatchObject({
      ok: false,
      code: body.startsWith('[') ? 'source_unparseable' : 'source_empty',
    });
  });
});

describe('lines that cannot be read', () => {
  test('are reported, and the others kept', () => {
    const { prefixes } = readGood('45.0.0.0/24\n010.0.0.1\n45.0.0.1/24\n2600::/32 # fine\n127.1\n');
    expect(textsOf(prefixes)).toEqual(['45.0.0.0/24', '2600::/32']);
    expect(prefixes).toMatchObject({ accepted: 2, rejectedCount: 3 });
    expect(prefixes.rejects.map(({ line }) => line)).toEqual([2, 3, 5]);
    expect(prefixes.rejects[1]!.reason).toContain('45.0.0.0/24');
  });

  test('may be in no encoding at all', () => {
    const body = Buffer.concat([
      Buffer.from('45.0.0.0/24\n'),
      Buffer.from([0xff, 0xc3, 0x28, 0x0a]),
      Buffer.from('45.0.1.0/24'),
    ]);
    const { prefixes } = readGood(new Uint8Array(body));
    expect(textsOf(prefixes)).toEqual(['45.0.0.0/24', '45.0.1.0/24']);
    expect(prefixes.rejects).toMatchObject([{ line: 2 }]);
  });
});
