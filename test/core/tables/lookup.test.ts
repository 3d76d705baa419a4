import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FAMILIES } from '../../../src/core/address.ts';
import { containingPrefixes, matchesOf } from '../../../src/core/tables/lookup.ts';
import { formatPrefix } from '../../../src/core/prefix.ts';
import { emptyTable } from '../../../src/core/tables/prefix-table.ts';
import { address, family, prefixes, seededRandom, tableOf } from '../../oracle/arbitraries.ts';
import { BigPrefix } from '../../oracle/big-prefix.ts';
import { times } from '../../fuzz.ts';

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
      { numRuns: times(1_000, 300) },
    );
  });

  it('finds nothing in nothing, nor in the other family', () => {
    expect(matchesOf(emptyTable().ipv4, { family: 'ipv4', words: [0] })).toEqual([]);
    const all = tableOf([{ prefix: BigPrefix.all('ipv4'), label: null }]);
    expect(matchesOf(all.ipv4, { family: 'ipv4', words: [0xffffffff] })).toEqual([0]);
    expect(matchesOf(all.ipv4, { family: 'ipv6', words: [0, 0, 0, 0] })).toEqual([]);
  });

  it.each(FAMILIES)('finds the same among many rows, wherever these begin and end (%s)', (of) => {
    const random = seededRandom(9);
    const bits = of === 'ipv4' ? 32 : 128;
    for (const shared of of === 'ipv4' ? [0, 3, 11] : [0, 3, 20, 33, 107]) {
      const free = BigInt(bits - shared);
      const base = shared === 0 ? 0n : 5n << free;
      const anywhere = (): bigint => {
        let number = 0n;
        for (let w = 0; w < 4; w++) number = (number << 32n) | BigInt(random());
        return base | BigInt.asUintN(Number(free), number);
      };
      const list = Array.from({ length: 40_000 }, () => {
        const low = BigInt(random() % 6);
        return new BigPrefix(of, (anywhere() >> low) << low, bits - Number(low));
      });
      const rows = tableOf(list.map((prefix) => ({ prefix, label: 'x' })))[of];
      expect(rows.size).toBeGreaterThan(16_384);
      const all = BigPrefix.listOf(rows);
      const ends = [0n, BigPrefix.all(of).last, base, all[0]!.first - 1n, all.at(-1)!.last + 1n];
      const asked = [
        ...ends.filter((at) => at >= 0n && at < 1n << BigInt(bits)),
        ...all.slice(0, 5).map((p) => p.last),
      ];
      for (let i = 0; i < 20; i++) asked.push(anywhere(), all[random() % all.length]!.first);
      for (const at of asked) {
        const expected = all
          .map((prefix, row) => ({ prefix, row }))
          .filter(({ prefix }) => prefix.contains(at));
        expected.sort((a, b) => b.prefix.length - a.prefix.length);
        const found = matchesOf(rows, { family: of, words: new BigPrefix(of, at, bits).words });
        expect(found).toEqual(expected.map(({ row }) => row));
      }
    }
  });

  it.each(FAMILIES)('finds the row around all of many others, also far behind them (%s)', (of) => {
    const bits = of === 'ipv4' ? 32 : 128;
    const base = 10n << BigInt(bits - 8);
    const hosts = Array.from({ length: 20_000 }, (_, n) => ({
      prefix: new BigPrefix(of, base + BigInt(n), bits),
      label: n % 2 === 0 ? 'even' : 'odd',
    }));
    const rows = tableOf([{ prefix: new BigPrefix(of, base, 8), label: 'all' }, ...hosts])[of];
    expect(rows.size).toBe(20_001);
    const found = (at: bigint): number[] =>
      matchesOf(rows, { family: of, words: new BigPrefix(of, at, bits).words });
    expect(found(base + (5n << BigInt(bits - 16)))).toEqual([0]);
    expect(found(base + 7n)).toEqual([8, 0]);
    expect(found(base - 1n)).toEqual([]);
    expect(found(11n << BigInt(bits - 8))).toEqual([]);
  });
});

describe('containingPrefixes', () => {
  it('reports every prefix around the address with where it came from, innermost first', () => {
    const net = (text: bigint, length: number): BigPrefix => new BigPrefix('ipv4', text, length);
    const table = tableOf([
      { prefix: net(0x0a000000n, 8), label: 'entry b' },
      { prefix: net(0x0a000000n, 8), label: 'entry a' },
      { prefix: net(0x0a010000n, 16), label: 'entry c' },
      { prefix: net(0x0a020000n, 16), label: 'entry c' },
      { prefix: net(0x0a010203n, 32), label: null },
    ]);
    const found = containingPrefixes(table, { family: 'ipv4', words: [0x0a010203] });
    expect(found.map(({ prefix, labels }) => [formatPrefix(prefix), labels])).toEqual([
      ['10.1.2.3/32', []],
      ['10.1.0.0/16', ['entry c']],
      ['10.0.0.0/8', ['entry a', 'entry b']],
    ]);
    expect(containingPrefixes(table, { family: 'ipv6', words: [0, 0, 0, 0] })).toEqual([]);
  });
});
