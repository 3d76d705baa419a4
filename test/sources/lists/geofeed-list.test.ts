/** Feeds of places, RFC 8805. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseCountry, parseRegion, type Places } from '../../../src/sources/lists/geofeed-list.ts';
import { read, readGood, textsOf } from './prefix-texts.ts';
import { times } from '../../fuzz.ts';

function taken(feed: string, countries: string[], regions: string[] = []): ReturnType<typeof readGood> {
  return readGood(feed, { format: 'csv', places: { countries, regions } });
}
const prefixesIn = (feed: string, countries: string[], regions?: string[]): string[] =>
  textsOf(taken(feed, countries, regions).prefixes);

/** The form of RFC 8805 section 2.1.1.6, with routable prefixes. */
const FEED = `\ufeff# prefix,country,region,city,postal\r
45.0.0.0/24,US,US-AL,,\r
45.0.5.0/24,us,US-ca,"San Francisco, Bay",\r
\r
45.0.6.0/25,US,,,\r
45.0.7.77,DE,,Köln,\r
45.0.8.0/24 # nothing is said of it\r
2600:1:cafe::/48,PL,PL-MZ,,02-784,more,fields\r
2600:1:05:abcd::/64,PL,,,\r
`;

describe('what is taken from a feed', () => {
  test.each([
    [['US'], [], ['45.0.0.0/24', '45.0.5.0/24', '45.0.6.0/25']],
    [['DE', 'PL'], [], ['45.0.7.77/32', '2600:1:cafe::/48', '2600:1:5:abcd::/64']],
    [['US'], ['US-CA'], ['45.0.5.0/24']],
    [
      ['DE', 'US'],
      ['US-CA', 'US-AL'],
      ['45.0.0.0/24', '45.0.5.0/24', '45.0.7.77/32'],
    ],
    [['PL', 'US'], ['US-CA'], ['45.0.5.0/24', '2600:1:cafe::/48', '2600:1:5:abcd::/64']],
  ])('are the prefixes of %j in the regions %j', (countries, regions, prefixes) => {
    const { prefixes: found, format } = taken(FEED, countries, regions);
    expect(textsOf(found)).toEqual(prefixes);
    expect(found).toMatchObject({ accepted: 7, rejectedCount: 0 });
    expect(format).toBe('csv');
  });

  test('begins behind a row of headers', () => {
    expect(prefixesIn('ip_prefix,alpha2code\n45.0.0.0/24,DE\n', ['DE'])).toEqual(['45.0.0.0/24']);
  });

  test('is GB where a feed has UK', () => {
    expect(prefixesIn('45.0.0.0/24,UK\n45.0.1.0/24,GB\n', ['GB'])).toEqual(['45.0.0.0/24', '45.0.1.0/24']);
  });

  test('has no special-purpose prefixes', () => {
    const { prefixes, bogons } = taken('10.0.0.0/24,DE\n45.0.0.0/24,DE\n', ['DE']);
    expect(textsOf(prefixes)).toEqual(['45.0.0.0/24']);
    expect(bogons.count).toBe(1);
  });
});

describe('the longest prefix around an address', () => {
  test('says where it is: others are cut out, and what is inside of those comes back', () => {
    const feed =
      '45.0.0.0/8,DE\n45.0.0.0/10,FR\n45.0.0.0/24,DE\n46.0.0.0/16,DE\n46.0.1.0/24,DE\n46.1.0.0/16,FR\n';
    expect(prefixesIn(feed, ['DE'])).toEqual([
      ...['45.0.0.0/24', '46.0.0.0/16', '46.0.1.0/24'],
      ...['45.64.0.0/10', '45.128.0.0/9'],
    ]);
    expect(prefixesIn(feed, ['FR'])).toEqual(['46.1.0.0/16', ...cutOf('45.0.0.0/24', 10)]);
    expect(prefixesIn(feed, ['DE', 'FR'])).toHaveLength(6);
  });

  test('takes an address out of every country where it has none', () => {
    const feed = '2600::/32,DE\n2600:0:8000::/33\n';
    expect(prefixesIn(feed, ['DE'])).toEqual(['2600::/33']);
  });

  /** What covers the prefix of that length around the beginning of `hole`, but for the hole. */
  function cutOf(hole: string, length: number): string[] {
    const [a = 0, b = 0, c = 0] = hole.split('/')[0]!.split('.').map(Number);
    const start = (a << 24) | (b << 16) | (c << 8);
    const parts: string[] = [];
    for (let bits = 24; bits > length; bits--) {
      const at = (start ^ (1 << (32 - bits))) >>> 0;
      parts.push(`${at >>> 24}.${(at >>> 16) & 255}.${(at >>> 8) & 255}.${at & 255}/${bits}`);
    }
    return parts;
  }

  test('is asked in feeds of any shape', () => {
    const PLACES = ['DE', 'FR', 'US,US-CA', 'US,US-NY', 'US', ''] as const;
    const row = fc.record({
      bits: fc.integer({ min: 24, max: 32 }),
      at: fc.integer({ min: 0, max: 255 }),
      place: fc.constantFrom(...PLACES),
    });
    const asked = fc.constantFrom<Places>(
      { countries: ['DE'], regions: [] },
      { countries: ['DE', 'US'], regions: ['US-CA'] },
      { countries: ['US'], regions: [] },
    );
    const isAsked = (place: string, { countries, regions }: Places): boolean => {
      const [country = '', region = ''] = place.split(',');
      return (
        countries.includes(country) && (country !== 'US' || regions.length === 0 || regions.includes(region))
      );
    };
    fc.assert(
      fc.property(fc.array(row, { maxLength: 30 }), asked, (rows, places) => {
        const known = new Map<string, { bits: number; from: number; place: string }>();
        for (const { bits, at, place } of rows) {
          const from = at & ~((1 << (32 - bits)) - 1);
          const key = `${from}/${bits}`;
          if (!known.has(key)) known.set(key, { bits, from, place });
        }
        const expected = Array.from({ length: 256 }, (_, address) => {
          const around = [...known.values()].filter(
            ({ bits, from }) => address >>> (32 - bits) === from >>> (32 - bits),
          );
          const [longest] = around.sort((a, b) => b.bits - a.bits);
          return longest !== undefined && isAsked(longest.place, places);
        });
        const feed = rows.map(
          ({ bits, at, place }) => `45.0.0.${at & ~((1 << (32 - bits)) - 1)}/${bits},${place}`,
        );
        const list = read(`${feed.join('\n')}\n`, { format: 'csv', places });
        const found = new Array<boolean>(256).fill(false);
        if (list.ok)
          for (const text of textsOf(list.prefixes)) {
            const [, last, bits] = /^45\.0\.0\.(\d+)\/(\d+)$/.exec(text)!;
            for (let i = 0; i < 1 << (32 - Number(bits)); i++) found[Number(last) + i] = true;
          }
        else expect(list.code).toBe('source_empty');
        expect(found).toEqual(expected);
      }),
      { numRuns: times(2_000, 700) },
    );
  });
});

describe('rows that are discarded', () => {
  test('are reported by line, with what is wrong', () => {
    const feed = `# a feed\r
45.0.0.0/24,DE\r
45.0.1.1/24,DE\r
,DE\r
45.0.2.0/24,D\r
45.0.3.0/24,US,CA\r
45.0.4.0/24,US,DE-BE\r
45.0.5.0/24,QQ\r
45.0.6.0/24,,DE-BE\r
45.0.0.0/24,FR\r
45.0.7.0/24,YU\r
`;
    const { prefixes } = taken(feed, ['DE']);
    expect(textsOf(prefixes)).toEqual(['45.0.0.0/24']);
    expect(prefixes).toMatchObject({ accepted: 1, rejectedCount: 9 });
    expect(prefixes.rejects.map(({ line, reason }) => [line, reason])).toEqual([
      [3, expect.stringContaining('45.0.1.0/24')],
      [4, expect.any(String)],
      [5, '"D" is not a country: write its two letters of ISO 3166-1, such as DE'],
      [6, '"CA" is not a region: write its code of ISO 3166-2, such as US-CA'],
      [7, 'The region DE-BE is not in the country US'],
      [8, 'QQ is not a country of ISO 3166-1'],
      [9, '"" is not a country: write its two letters of ISO 3166-1, such as DE'],
      [10, 'The prefix stands in line 2 already, which is the one that counts'],
      [11, 'YU is no longer a code of ISO 3166-1: write RS'],
    ]);
  });

  test('are an error where they are all', () => {
    expect(read('# x\n45.0.0.0/24,Germany\n', { places: { countries: ['DE'], regions: [] } })).toEqual({
      ok: false,
      code: 'source_unparseable',
      reason:
        'None of the 1 lines read as text holds a prefix. The first, line 2: "Germany" is not a country: write its two letters of ISO 3166-1, such as DE',
    });
  });
});

test('a feed without the places says which it has, and which line is bad', () => {
  const feed =
    '45.0.0.0/24,DE\n45.0.1.0/24,US,US-NY\n45.0.2.0/24,US,US-NY\n45.0.3.0/24,US\n45.0.4.0/24\n45.0.5.0/24,x\n';
  expect(read(feed, { format: 'csv', places: { countries: ['US'], regions: ['US-CA'] } })).toEqual({
    ok: false,
    code: 'source_empty',
    reason:
      'None of the 5 prefixes of the feed is in the countries and regions of the entry. Most are in US-NY, DE, US, no country: correct countries or regions. Of 1 rows that can not be read the first is line 6: "x" is not a country: write its two letters of ISO 3166-1, such as DE',
  });
});

test('a page in place of the feed, and what is no CSV, are refused', () => {
  const places = { countries: ['DE'], regions: [] };
  expect(read('<!doctype html><p>x', { places })).toMatchObject({ ok: false, code: 'source_unparseable' });
  expect(read(`45.0.0.0/24,"${'x'.repeat(100)}`, { places })).toMatchObject({
    ok: false,
    code: 'source_unparseable',
    reason: expect.stringContaining('not CSV') as string,
  });
});

test.each([
  ['de', { ok: true, value: 'DE' }],
  [' XK ', { ok: true, value: 'XK' }],
  ['uk', { ok: true, value: 'GB' }],
  ['ZZ', { ok: false, reason: 'ZZ is not a country of ISO 3166-1' }],
  ['DEU', { ok: false }],
  ['SU', { ok: false, reason: 'SU is no longer a code of ISO 3166-1: write RU' }],
])('the country %j', (text, parsed) => {
  expect(parseCountry(text)).toMatchObject(parsed);
});

test.each([
  ['us-ca', { ok: true, value: 'US-CA' }],
  ['UK-ENG', { ok: true, value: 'GB-ENG' }],
  ['US', { ok: false }],
  ['QQ-1', { ok: false, reason: 'QQ is not a country of ISO 3166-1' }],
])('the region %j', (text, parsed) => {
  expect(parseRegion(text)).toMatchObject(parsed);
});
