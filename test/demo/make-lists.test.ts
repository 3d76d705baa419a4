import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeLists } from '../../demo/make-lists.ts';
import { type PrefixList, parsePrefix } from '../../src/core/prefix.ts';
import { type PrefixSet, PrefixSetBuilder, overlaps } from '../../src/core/sets/prefix-set.ts';
import { readAsnTable } from '../../src/sources/asn/table-rows.ts';
import { type ReadList, readList } from '../../src/sources/lists/read-list.ts';

const LISTS = join(import.meta.dirname, '../../demo/lists');
const lists = makeLists();

function read(name: string, jsonPath: string | null = null): ReadList {
  const body = new Uint8Array(Buffer.from(lists[name]!));
  const answer = readList({
    body,
    contentType: null,
    path: `/${name}`,
    format: 'auto',
    jsonPath,
    csvColumn: null,
    bogons: 'drop',
  });
  if (!answer.ok) throw new Error(answer.reason);
  return answer;
}

describe('the lists of the demo', () => {
  test('are the ones that the program makes, byte for byte', async () => {
    expect((await readdir(LISTS)).sort()).toEqual(Object.keys(lists).sort());
    for (const [name, text] of Object.entries(lists)) {
      expect(await readFile(join(LISTS, name), 'utf8'), name).toBe(text);
    }
  });

  test.each([
    ['cloud.json', null, 'json', { ipv4: 1_500, ipv6: 500 }],
    ['cloud.json', '$.prefixes[*].ip_prefix', 'json', { ipv4: 1_500, ipv6: 0 }],
    ['cloud.json', '$.ipv6_prefixes[*].ipv6_prefix', 'json', { ipv4: 0, ipv6: 500 }],
    ['edge.json', '$.addresses[*]', 'json', { ipv4: 20, ipv6: 0 }],
    ['edge.json', null, 'json', { ipv4: 20, ipv6: 4 }],
    ['relay.csv', null, 'csv', { ipv4: 383, ipv6: 117 }],
  ] as const)('%s at %s is read without a reject', (name, jsonPath, format, size) => {
    const { prefixes, bogons, ...list } = read(name, jsonPath);
    expect({ ipv4: prefixes.ipv4.size, ipv6: prefixes.ipv6.size }).toEqual(size);
    expect({ format: list.format, rejects: prefixes.rejects, bogons: bogons.count }).toEqual({
      format,
      rejects: [],
      bogons: 0,
    });
  });

  test('the block list has comments, ranges, and lines that repeat and nest', () => {
    const { format, prefixes, bogons } = read('blocklist.txt');
    expect({ format, accepted: prefixes.accepted, rejects: prefixes.rejects, bogons: bogons.count }).toEqual({
      format: 'text',
      accepted: 4_997,
      rejects: [],
      bogons: 0,
    });
    expect(prefixes.ipv4.size).toBeGreaterThan(5_000);
    expect(setOf(prefixes.ipv4).size).toBeLessThan(4_000);
  });

  test('the table of networks has what the demo asks for, and nothing of its own ranges', () => {
    const body = new Uint8Array(Buffer.from(lists['networks.tsv']!));
    const table = readAsnTable({ body, asns: [64497, 64500, 65537], bogons: 'drop' });
    if (!table.ok) throw new Error(table.reason);
    for (const found of table.found) {
      if (!found.ok) throw new Error(found.reason);
      expect(found.prefixes.ipv4.size).toBeGreaterThan(40);
      expectApart(found.prefixes.ipv4);
    }
  });

  test.each(Object.keys(lists).filter((name) => name !== 'networks.tsv'))(
    "%s leaves out the demo's own ranges",
    (name) => {
      const { prefixes } = read(name);
      expectApart(prefixes.ipv4);
      expectApart(prefixes.ipv6);
    },
  );
});

/** No row overlaps a range of the demo's own. */
function expectApart(rows: PrefixList): void {
  for (const text of ['11.20.0.0/14', '2600:77::/32']) {
    const own = parsePrefix(text);
    if (!own.ok) throw new Error(own.reason);
    const { family, words, length } = own.value;
    if (family !== rows.family) continue;
    const range = new PrefixSetBuilder(family);
    range.add(words, length);
    expect(overlaps(setOf(rows), range.build()), text).toBe(false);
  }
}

function setOf(rows: PrefixList): PrefixSet {
  const builder = new PrefixSetBuilder(rows.family);
  builder.addSet(rows);
  return builder.build();
}
