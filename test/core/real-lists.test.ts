import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FAMILIES, type Family } from '../../src/core/address.ts';
import { type PrefixSet, PrefixSetBuilder, equalSets } from '../../src/core/sets/prefix-set.ts';
import { formatPrefixAt } from '../../src/core/prefix.ts';
import { parsePrefixText } from '../../src/core/text/prefix-text.ts';
import { aggregate } from '../oracle/aggregate.ts';

const DATA = join(import.meta.dirname, '../../../shared/data');
const present = existsSync(DATA);
if (!present) {
  const what = `the real lists are not at ${DATA}`;
  if (process.env.CI) throw new Error(`In CI nothing is skipped: ${what}`);
  console.warn(`\n*** SKIPPED: core against real lists: ${what} ***\n`);
}

function linesOf(path: string): string[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
}

/** The minimal set of a list, every line of which must be accepted. */
function minimalSet(path: string, family: Family): PrefixSet {
  const collected = parsePrefixText(readFileSync(path));
  expect(collected.rejects).toEqual([]);
  expect(collected.accepted).toBe(linesOf(path).length);
  const builder = new PrefixSetBuilder(family);
  builder.addSet(collected[family]);
  return builder.build();
}

function textsOf(set: PrefixSet): string[] {
  return Array.from({ length: set.size }, (_, i) => formatPrefixAt(set, i));
}

function listsIn(folder: string): string[] {
  return present ? readdirSync(join(DATA, folder)) : [];
}

describe.skipIf(!present)('real lists', () => {
  it('aggregate 111,110 lines to exactly the 7,728 prefixes that another program found', () => {
    const path = join(DATA, 'ipranges/all/ipv4.txt');
    expect(linesOf(path)).toHaveLength(111_110);
    const set = minimalSet(path, 'ipv4');
    expect(set.size).toBe(7_728);
    expect(textsOf(set)).toEqual(linesOf(join(DATA, 'ipranges/all/ipv4_merged.txt')));
  });

  const merged = listsIn('ipranges').flatMap((provider) =>
    FAMILIES.map((family) => ({ provider, family, path: join(DATA, 'ipranges', provider, family) })),
  );

  it.each(merged.filter(({ path }) => existsSync(`${path}.txt`) && existsSync(`${path}_merged.txt`)))(
    'of $provider ($family) aggregate to the published minimal list',
    ({ family, path }) => {
      // The published IPv6 lists are sorted as text, so the order is not compared here.
      const published = linesOf(`${path}_merged.txt`).sort();
      expect(textsOf(minimalSet(`${path}.txt`, family)).sort()).toEqual(published);
    },
  );

  it.each(merged.filter(({ path }) => existsSync(`${path}_merged.txt`)))(
    'of $provider ($family), once minimal, stay as they are',
    ({ family, path }) => {
      const set = minimalSet(`${path}_merged.txt`, family);
      expect(set.size).toBe(linesOf(`${path}_merged.txt`).length);
      const again = new PrefixSetBuilder(family);
      again.addSet(set);
      expect(equalSets(again.build(), set)).toBe(true);
    },
  );

  const countries = listsIn('country').filter((name) => /^(de|li|ru)-.*\.txt$/.test(name));

  it.each(countries)('of addresses by country (%s) aggregate as the oracle does', (name) => {
    const path = join(DATA, 'country', name);
    const family = name.includes('ipv4') ? 'ipv4' : 'ipv6';
    expect(textsOf(minimalSet(path, family))).toEqual(aggregate(linesOf(path)));
  });
});
