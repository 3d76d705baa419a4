import fc from 'fast-check';
import { expect, test } from 'vitest';
import { matchesOf } from '../../../src/core/tables/lookup.ts';
import { mayContain, occupiedPlaces } from '../../../src/core/tables/occupied-places.ts';
import { emptyTable, PrefixTableBuilder } from '../../../src/core/tables/prefix-table.ts';
import { address, family, prefixes, seededRandom, tableOf } from '../../oracle/arbitraries.ts';
import { BigPrefix } from '../../oracle/big-prefix.ts';
import { times } from '../../fuzz.ts';
import { FAMILIES } from '../../../src/core/address.ts';

test('never says no to an address that some row contains', () => {
  const input = family.chain((of) => fc.tuple(fc.constant(of), prefixes(of, 40), fc.array(address(of))));
  fc.assert(
    fc.property(input, ([of, list, addresses]) => {
      const rows = tableOf(list.map((prefix) => ({ prefix, label: 'x' })))[of];
      const places = occupiedPlaces(rows);
      const bits = of === 'ipv4' ? 32 : 128;
      for (const at of [...addresses, ...list.flatMap(({ first, last }) => [first, last])]) {
        const asked = { family: of, words: new BigPrefix(of, at, bits).words };
        if (matchesOf(rows, asked).length > 0) expect(mayContain(places, asked)).toBe(true);
      }
    }),
    { numRuns: times(1_000) },
  );
});

test.each(FAMILIES)('says no to most %s addresses that no row contains', (family) => {
  const random = seededRandom(3);
  // Those of IPv6 differ behind their first 16 bits, as the Internet's do.
  const wordsOf = (word: number): number[] =>
    family === 'ipv4' ? [word >>> 0] : [(0x20010000 | (word >>> 16)) >>> 0, (word << 16) >>> 0, 0, 0];
  const builder = new PrefixTableBuilder();
  for (let row = 0; row < 1_000; row++)
    builder.add(family, wordsOf((random() >>> 8) << 8), family === 'ipv4' ? 24 : 40, 'x');
  const places = occupiedPlaces(builder.build()[family]);
  const asked = Array.from({ length: 1_000 }, () => ({ family, words: wordsOf(random()) }));
  expect(asked.filter((at) => mayContain(places, at)).length).toBeLessThan(100);
  expect(mayContain(occupiedPlaces(emptyTable()[family]), asked[0]!)).toBe(false);
});
