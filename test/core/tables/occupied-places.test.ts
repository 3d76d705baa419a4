import fc from 'fast-check';
import { expect, test } from 'vitest';
import { matchesOf } from '../../../src/core/tables/lookup.ts';
import { mayContain, occupiedPlaces } from '../../../src/core/tables/occupied-places.ts';
import { emptyTable } from '../../../src/core/tables/prefix-table.ts';
import { address, family, prefixes, seededRandom, tableOf } from '../../oracle/arbitraries.ts';
import { BigPrefix } from '../../oracle/big-prefix.ts';
import { times } from '../../fuzz.ts';

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

test('says no to most addresses that no row contains', () => {
  const random = seededRandom(3);
  const scattered = (): bigint => BigInt(random() >>> 8) << 8n;
  const rows = tableOf(
    Array.from({ length: 1_000 }, () => ({ prefix: new BigPrefix('ipv4', scattered(), 24), label: 'x' })),
  ).ipv4;
  const asked = Array.from({ length: 1_000 }, () => ({ family: 'ipv4' as const, words: [random()] }));
  const places = occupiedPlaces(rows);
  expect(asked.filter((at) => mayContain(places, at)).length).toBeLessThan(100);
  expect(mayContain(occupiedPlaces(emptyTable().ipv4), asked[0]!)).toBe(false);
});
