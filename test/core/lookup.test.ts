import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchesOf } from '../../src/core/lookup.ts';
import { emptyTable } from '../../src/core/prefix-table.ts';
import { address, family, prefixes, tableOf } from '../oracle/arbitraries.ts';
import { BigPrefix } from '../oracle/big-prefix.ts';

describe('matchesOf', () => {
  it('gives every row around the address, innermost first', () => {
    const input = family.chain((of) => fc.tuple(fc.constant(of), prefixes(of, 80), fc.array(address(of))));
    fc.assert(
      fc.property(input, ([of, list, addresses]) => {
        const rows = tableOf(list.map((prefix) => ({ prefix, label: 'x' })))[of];
        const all = BigPrefix.listOf(rows);
        const bits = of === 'ipv4' ? 32 : 128;
        for (const at of [...addresses, ...list.flatMap(({ first, last }) => [first, last])]) {
          const expected = all
            .map((prefix, row) => ({ prefix, row }))
            .filter(({ prefix }) => prefix.contains(at))
            .sort((a, b) => b.prefix.length - a.prefix.length)
            .map(({ row }) => row);
          expect(matchesOf(rows, { family: of, words: new BigPrefix(of, at, bits).words })).toEqual(expected);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('finds nothing in nothing, nor in the other family', () => {
    expect(matchesOf(emptyTable().ipv4, { family: 'ipv4', words: [0] })).toEqual([]);
    const all = tableOf([{ prefix: BigPrefix.all('ipv4'), label: null }]);
    expect(matchesOf(all.ipv4, { family: 'ipv4', words: [0xffffffff] })).toEqual([0]);
    expect(matchesOf(all.ipv4, { family: 'ipv6', words: [0, 0, 0, 0] })).toEqual([]);
  });
});
