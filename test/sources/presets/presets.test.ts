import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkCsvColumn, checkJsonPath, checkSourceUrl } from '../../../src/sources/lists/cdn.ts';
import { presets, findPresets } from '../../../src/sources/presets/presets.ts';
import { type ReadList, readList } from '../../../src/sources/lists/read-list.ts';
import type { SourcePreset } from '../../../src/api/entries/source-presets.ts';
import { namesOf, sampleOf } from './preset-samples.ts';

const DATA = join(import.meta.dirname, '../../../../shared/data');
const hasData = existsSync(DATA);
if (!hasData) {
  const what = `the real lists are not at ${DATA}`;
  if (process.env.CI) throw new Error(`In CI nothing is skipped: ${what}`);
  console.warn(`\n*** SKIPPED: presets against real lists: ${what} ***\n`);
}

function read(preset: Pick<SourcePreset, 'format' | 'json_path' | 'csv_column'>, text: string): ReadList {
  const { format, json_path: jsonPath, csv_column: csvColumn } = preset;
  const body = new TextEncoder().encode(text);
  const list = readList({ body, format, jsonPath, csvColumn, bogons: 'drop', contentType: null, path: '/' });
  if (!list.ok) throw new Error(list.reason);
  return list;
}

const size = ({ prefixes: { ipv4, ipv6 } }: ReadList): number => ipv4.size + ipv6.size;

describe.each(presets().map((preset) => ({ ...preset, preset })))('$id', ({ preset }) => {
  const { url, json_path: path, csv_column: column, variants } = preset;

  test('holds what a CDN source takes', () => {
    for (const place of [url, ...variants.map((variant) => variant.url)])
      if (place !== null) expect(checkSourceUrl(place)).toMatchObject({ ok: true });
    for (const query of [path, ...variants.map((variant) => variant.json_path)])
      if (query !== null) expect(checkJsonPath(query)).toMatchObject({ ok: true });
    if (column !== null) expect(checkCsvColumn(column)).toMatchObject({ ok: true });
    expect(path === null || preset.format === 'json').toBe(true);
    expect(column === null || preset.format === 'csv').toBe(true);
    expect(new Set(variants.map(({ id }) => id)).size).toBe(variants.length);
  });

  test('reads a list of its shape without a reject, and each variant some of it', () => {
    const text = sampleOf(preset.id);
    const whole = read(preset, text);
    expect(size(whole)).toBeGreaterThan(0);
    expect(whole.prefixes.rejectedCount).toBe(0);
    for (const variant of variants) {
      // Other files in other formats, of which each is a whole.
      if (variant.format !== preset.format) continue;
      const part = read({ ...preset, ...variant }, text);
      expect(part.prefixes.rejectedCount, variant.id).toBe(0);
      expect(size(part), variant.id).toBeGreaterThan(0);
    }
  });
});

test('no two presets have one id, and every list that the product names is there', () => {
  const ids = presets().map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const text = JSON.stringify(presets().map(({ name, provider }) => [name, provider]));
  for (const wanted of [
    ...[
      'AWS',
      'Google',
      'Google Cloud',
      'Cloudflare',
      'Fastly',
      'GitHub',
      'Telegram',
      'Azure service tags',
      'Oracle',
    ],
    ...[
      'DigitalOcean',
      'Linode',
      'Vultr',
      'Atlassian',
      'Zoom',
      'Apple Private Relay',
      'Bing',
      'OpenAI',
      'Country',
      'DROP',
    ],
  ])
    expect(text).toContain(wanted);
});

describe.runIf(hasData)('of real lists', () => {
  test('AWS: the parts by service and by region are those that a plain count finds', () => {
    const [preset] = findPresets({ q: 'amazon web services' });
    const text = readFileSync(join(DATA, 'aws/ip-ranges-2026-08-22-15-17-05.json'), 'utf8');
    interface Member {
      readonly service: string;
      readonly region: string;
    }
    const { prefixes, ipv6_prefixes } = JSON.parse(text) as Readonly<
      Record<'prefixes' | 'ipv6_prefixes', Member[]>
    >;
    const members = [...prefixes, ...ipv6_prefixes];
    expect(read(preset!, text).prefixes.accepted).toBe(members.length);
    for (const { id, json_path } of preset!.variants) {
      const [kind, name] = id.split(':') as ['service' | 'region', string];
      const count = members.filter((member) => member[kind] === name).length;
      expect(count, id).toBeGreaterThan(0);
      expect(read({ ...preset!, json_path }, text).prefixes.accepted, id).toBe(count);
    }
    for (const kind of ['service', 'region'] as const)
      expect(namesOf('aws', kind).sort()).toEqual([...new Set(members.map((member) => member[kind]))].sort());
  });

  test.each(['cn', 'de', 'jp', 'li', 'ru', 'us'])('country %s', (code) => {
    const [preset] = findPresets({ category: 'country' });
    const text = readFileSync(join(DATA, `country/${code}.json`), 'utf8');
    const { prefixes } = JSON.parse(text) as { prefixes: { ipv4: string[]; ipv6: string[] } };
    const list = read(preset!, text);
    expect(list.prefixes.accepted).toBe(prefixes.ipv4.length + prefixes.ipv6.length);
    expect(preset!.variants.some(({ url }) => url!.includes(`/${code}/`))).toBe(true);
  });

  test.each(['telegram', 'vultr'])('%s as text', (provider) => {
    const [preset] = findPresets({ q: provider });
    const text = readFileSync(join(DATA, `ipranges/${provider}/ipv4.txt`), 'utf8');
    expect(read(preset!, text).prefixes).toMatchObject({ rejectedCount: 0 });
  });
});

test('a search looks into names, descriptions and variants, in any case', () => {
  expect(findPresets({ q: 'CLOUDFLARE' }).map(({ id }) => id)).toEqual(['cloudflare']);
  const [country, ...others] = findPresets({ q: 'liechtenstein' });
  expect(others).toEqual([]);
  expect(country!.variants.map(({ id }) => id)).toEqual(['country:LI']);
  const [aws] = findPresets({ q: 'eu-west-1' });
  expect(aws!.variants.map(({ id }) => id)).toEqual(['region:eu-west-1']);
  expect(findPresets({ category: 'crawler' }).map(({ provider }) => provider)).toContain('OpenAI');
  expect(findPresets({ q: 'no such list' })).toEqual([]);
});
