import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkJsonPath } from '../../../src/sources/lists/cdn.ts';
import { MAX_DEPTH } from '../../../src/sources/lists/json-shape.ts';
import { read, readGood, textsOf } from './prefix-texts.ts';
import { times } from '../../fuzz.ts';

const CLOUD = JSON.stringify({
  syncToken: '1',
  prefixes: [
    { ip_prefix: '45.0.0.0/24', region: 'eu', service: 'EDGE' },
    { ip_prefix: '45.0.1.0/24', region: 'us', service: 'STORAGE' },
  ],
  ipv6_prefixes: [{ ipv6_prefix: '2600::/32', region: 'eu', service: 'EDGE' }],
});

function readAt(document: unknown, jsonPath: string): ReturnType<typeof read> {
  return read(typeof document === 'string' ? document : JSON.stringify(document), {
    format: 'json',
    jsonPath,
  });
}

describe('a JSON path', () => {
  test.each([
    ['$.prefixes[*].ip_prefix', ['45.0.0.0/24', '45.0.1.0/24']],
    ["$.prefixes[?@.region == 'us'].ip_prefix", ['45.0.1.0/24']],
    ["$.prefixes[?@.service == 'EDGE' && @.region == 'eu'].ip_prefix", ['45.0.0.0/24']],
    ['$..ipv6_prefix', ['2600::/32']],
    ['$["prefixes"][0]["ip_prefix"]', ['45.0.0.0/24']],
    ['$..["ip_prefix","ipv6_prefix"]', ['45.0.0.0/24', '45.0.1.0/24', '2600::/32']],
  ])('%s names its prefixes', (path, expected) => {
    expect(checkJsonPath(path)).toEqual({ ok: true, value: path });
    const list = readAt(CLOUD, path);
    expect(list.ok && textsOf(list.prefixes)).toEqual(expected);
  });

  test.each([
    ['$.data.list', { data: { list: ['8.8.8.0/24', '9.9.9.0/24'] } }],
    ['data.list', { data: { list: ['8.8.8.0/24', '9.9.9.0/24'] } }],
    ['data.list[*]', { data: { list: ['8.8.8.0/24', '9.9.9.0/24'] } }],
    ['$', ['8.8.8.0/24', '9.9.9.0/24']],
    ['[*].cidr', [{ cidr: '8.8.8.0/24' }, { cidr: '9.9.9.0/24' }]],
    ['a[*].list', { a: [{ list: ['8.8.8.0/24'] }, { list: ['9.9.9.0/24'] }] }],
  ])('%s leads to the list itself, or stands without $.', (path, document) => {
    expect(checkJsonPath(path)).toEqual({ ok: true, value: path });
    const list = readAt(document, path);
    expect(list.ok && textsOf(list.prefixes)).toEqual(['8.8.8.0/24', '9.9.9.0/24']);
  });

  test.each(['', '$.', '$.prefixes[', '$[?@.a ==]', '$[?nosuch(@.a)]', `$${'.a'.repeat(300)}`])(
    '%j is refused before it is stored, and when it was stored all the same',
    (path) => {
      const checked = checkJsonPath(path);
      expect(checked.ok).toBe(false);
      expect(checked).toHaveProperty('reason', expect.stringMatching(/JSONPath|longer/));
      expect(readAt(CLOUD, path)).toMatchObject({ ok: false, code: 'source_unparseable' });
    },
  );

  test.each([
    ['$.prefixes', /object.*\$\.prefixes\[\*\]\["ip_prefix"\]/],
    ['$.prefixes[*]', /object.*\["ip_prefix"\]/],
    ['$.prefix[*].ip_prefix', /matches nothing.*"syncToken", "prefixes", "ipv6_prefixes"/],
    ['$.prefixes[*].ip', /matches nothing/],
    ['$.syncToken', /"1" is not an IPv4/],
  ])('%s that misses the prefixes says how to fix it', (path, reported) => {
    const list = readAt(CLOUD, path);
    expect(list).toMatchObject({ ok: false, code: 'source_unparseable' });
    expect(list).toHaveProperty('reason', expect.stringMatching(reported));
  });

  test.each([
    ['$.prefixes[*].ip_prefix', { prefixes: [] }],
    ['$.regions[*].cidrs[*].cidr', { regions: [{ cidrs: [] }, { cidrs: [] }] }],
    ['$[*]', []],
  ])('%s that leads to empty arrays means that the list is empty', (path, document) => {
    expect(readAt(document, path)).toMatchObject({ ok: false, code: 'source_empty' });
  });

  test('may meet values that are no text: they are reported by their place', () => {
    const list = readAt([1, '45.0.0.0/24', null, { a: 1 }, ['x'], '45.0.1.0', 'x'], '$[*]');
    expect(list.ok && textsOf(list.prefixes)).toEqual(['45.0.0.0/24', '45.0.1.0/32']);
    expect(list).toMatchObject({
      prefixes: {
        accepted: 2,
        rejectedCount: 5,
        rejects: [{ line: 1 }, { line: 3 }, { line: 4 }, { line: 5 }, { line: 7 }],
      },
    });
  });
});

describe('JSON without a path', () => {
  // Shapes that publishers use; the prefixes are made up.
  test.each<[string, unknown, string[]]>([
    ['AWS', JSON.parse(CLOUD), ['45.0.0.0/24', '45.0.1.0/24', '2600::/32']],
    [
      'Google, Bing, OpenAI',
      { syncToken: '1', prefixes: [{ ipv4Prefix: '45.0.0.0/24' }, { ipv6Prefix: '2600::/32' }] },
      ['45.0.0.0/24', '2600::/32'],
    ],
    ['Fastly', { addresses: ['45.0.0.0/24'], ipv6_addresses: ['2600::/32'] }, ['45.0.0.0/24', '2600::/32']],
    [
      'Cloudflare',
      { result: { ipv4_cidrs: ['45.0.0.0/24'], ipv6_cidrs: ['2600::/32'], etag: 'x' }, success: true },
      ['45.0.0.0/24', '2600::/32'],
    ],
    [
      'GitHub',
      {
        verifiable_password_authentication: false,
        ssh_keys: ['ssh-ed25519 AAAA/bbb'],
        web: ['45.0.0.0/24', '45.1.0.1/32'],
        domains: { website: ['*.example.com', 'example.com'] },
      },
      ['45.0.0.0/24', '45.1.0.1/32'],
    ],
    [
      'Azure',
      {
        changeNumber: 7,
        values: [{ name: 'X', id: 'X', properties: { addressPrefixes: ['45.0.0.0/24', '2600::/32'] } }],
      },
      ['45.0.0.0/24', '2600::/32'],
    ],
    [
      'Oracle',
      { regions: [{ region: 'x', cidrs: [{ cidr: '45.0.0.0/24', tags: ['A/B'] }] }] },
      ['45.0.0.0/24'],
    ],
    [
      'Atlassian',
      { items: [{ network: '45.0.0.16', mask_len: 28, cidr: '45.0.0.16/28', mask: '255.255.255.240' }] },
      ['45.0.0.16/28'],
    ],
    ['a plain array', ['45.0.0.0/24', '45.0.1.1'], ['45.0.0.0/24', '45.0.1.1/32']],
  ])('is read in the shape of %s', (_who, document, expected) => {
    const { format, prefixes } = readGood(JSON.stringify(document));
    expect(format).toBe('json');
    expect(textsOf(prefixes).sort()).toEqual([...expected].sort());
    expect(prefixes.rejects).toEqual([]);
  });

  test('reports what else stands in an array of prefixes, and in a member with a usual name', () => {
    const { prefixes } = readGood(JSON.stringify({ a: ['45.0.0.0/24', 'x', 7], b: { cidr: '45.0.0.1/24' } }));
    expect(textsOf(prefixes)).toEqual(['45.0.0.0/24']);
    expect(prefixes.rejects).toMatchObject([{ line: 2 }, { line: 3 }, { line: 4 }]);
  });

  test('and without prefixes asks for a path', () => {
    const list = read('{"name": "45.0.0.0/24", "ids": ["a/b", "c"]}');
    expect(list).toMatchObject({ ok: false, code: 'source_unparseable' });
    expect(list).toHaveProperty('reason', expect.stringContaining('json_path'));
  });
});

describe('JSON that is hostile or broken', () => {
  test.each([
    ['arrays', '[', ']'],
    ['objects', '{"a":', '}'],
    ['both', '[{"\\"":', '}]'],
  ])('nested %s are refused from one depth on, however deep', (_what, open, close) => {
    const levels = open.startsWith('[{') ? MAX_DEPTH / 2 : MAX_DEPTH;
    const nested = (depth: number): string => `${open.repeat(depth)}"45.0.0.0/24"${close.repeat(depth)}`;
    expect(read(nested(levels), { jsonPath: '$[*]' })).not.toHaveProperty(
      'reason',
      expect.stringContaining('levels deep'),
    );
    for (const depth of [levels + 1, 100_000]) {
      const list = read(nested(depth), { format: 'json' });
      expect(list).toMatchObject({ ok: false, code: 'source_unparseable' });
      expect(list).toHaveProperty('reason', expect.stringContaining('levels deep'));
    }
  });

  test('brackets inside strings do not nest', () => {
    const text = `[${'"[[{{\\\\",'.repeat(1_000)}"\\"[", "45.0.0.0/24"]`;
    expect(readGood(text).prefixes.accepted).toBe(1);
  });

  test('more values than a list has are refused before they take memory', () => {
    const list = read(`[${'0,'.repeat(6_000_000)}0]`, { format: 'json' });
    expect(list).toMatchObject({ ok: false, code: 'source_too_large' });
  });

  test.each(['{"prefixes": ["45.0.0.0/24", "45.0.1', '["45.0.0.0/24"] x', '{', '["45.0.0.0/24",]'])(
    'what is cut short or wrong is refused as a whole: %s',
    (text) => {
      const list = read(text, { format: 'json' });
      expect(list).toMatchObject({ ok: false, code: 'source_unparseable' });
      expect(list).toHaveProperty('reason', expect.stringContaining('not JSON'));
    },
  );

  test('what is not UTF-8 is refused', () => {
    const body = new Uint8Array(Buffer.from('["45.0.0.0/24", "caf\xe9"]', 'latin1'));
    const list = read(body);
    expect(list).toMatchObject({ ok: false, code: 'source_unparseable' });
    expect(list).toHaveProperty('reason', expect.stringContaining('UTF-8'));
  });

  test('a path whose evaluation gives up is reported', () => {
    const list = read(`[${'0,'.repeat(400_000)}0]`, { format: 'json', jsonPath: '$[?count($[*]) > 0]' });
    expect(list).toMatchObject({ ok: false, code: 'source_unparseable' });
    expect(list).toHaveProperty('reason', expect.stringContaining('simpler'));
  });

  test('names of prototypes are plain names', () => {
    const { prefixes } = readGood('{"__proto__": {"cidr": "45.0.0.0/24"}, "constructor": ["45.0.1.0/24"]}');
    expect(textsOf(prefixes)).toEqual(['45.0.0.0/24', '45.0.1.0/24']);
  });

  test('any JSON at any path ends in an answer, never in an error of ours', () => {
    const path = fc.constantFrom('$', '$[*]', '$..*', '$..a', '$.a.b', '$[0]', '$[?@.a]', '$..[?@ > 1]');
    fc.assert(
      fc.property(fc.json(), fc.option(path), (text, jsonPath) => {
        const list = read(text, { format: 'json', jsonPath });
        if (list.ok) expect(list.prefixes.accepted).toBeGreaterThan(0);
        else expect(list.reason).not.toBe('');
      }),
    );
  });

  test('any bytes end in an answer in any format', () => {
    const format = fc.constantFrom('auto', 'text', 'json', 'csv');
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), format, (bytes, as) => {
        expect(read(new Uint8Array(bytes), { format: as })).toHaveProperty('ok');
      }),
      { numRuns: times(300) },
    );
  });
});
