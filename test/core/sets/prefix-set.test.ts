import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  PrefixSetBuilder,
  containsAddress,
  coveredAddresses,
  emptySet,
  equalSets,
  intersect,
  overlaps,
  subtract,
  union,
} from '../../../src/core/sets/prefix-set.ts';
import { FAMILIES } from '../../../src/core/address.ts';
import { AddressRanges } from '../../oracle/address-ranges.ts';
import { address, family, prefixes, seededRandom, setOf, twoLists } from '../../oracle/arbitraries.ts';
import { BigPrefix, texts } from '../../oracle/big-prefix.ts';
import { times } from '../../fuzz.ts';

const RUNS = { numRuns: times(500) };

describe('PrefixSetBuilder', () => {
  it('builds the minimal cover that the oracle finds', () => {
    const input = family.chain((of) => prefixes(of, 80));
    fc.assert(
      fc.property(input, (list) => {
        const of = list[0]?.family ?? 'ipv4';
        const expected = AddressRanges.of(list).minimalCover(of);
        expect(texts(BigPrefix.listOf(setOf(of, list)))).toEqual(texts(expected));
      }),
      { numRuns: times(2_000, 500) },
    );
  });

  it.each(FAMILIES)('builds it for many prefixes too (%s)', (of) => {
    const random = seededRandom(7);
    const bits = of === 'ipv4' ? 32 : 128;
    const list = Array.from({ length: 30_000 }, () => {
      const length = bits - (random() % 10);
      const low = BigInt(bits - length);
      const high = BigInt(random() % 3) << BigInt(bits - 2);
      return new BigPrefix(of, ((high + BigInt(random() % 60_000)) >> low) << low, length);
    });
    const expected = AddressRanges.of(list).minimalCover(of);
    expect(texts(BigPrefix.listOf(setOf(of, list)))).toEqual(texts(expected));
  });

  it('covers a range with the fewest prefixes', () => {
    const input = family.chain((of) => fc.tuple(fc.constant(of), address(of), address(of)));
    fc.assert(
      fc.property(input, ([of, a, b]) => {
        const [first, last] = a < b ? [a, b] : [b, a];
        const bits = of === 'ipv4' ? 32 : 128;
        const builder = new PrefixSetBuilder(of);
        builder.addRange(new BigPrefix(of, first, bits).words, new BigPrefix(of, last, bits).words);
        const expected = new AddressRanges([{ first, last }]).minimalCover(of);
        expect(texts(BigPrefix.listOf(builder.build()))).toEqual(texts(expected));
      }),
      RUNS,
    );
  });

  it.each(FAMILIES)('knows the ends of the family (%s)', (of) => {
    const all = BigPrefix.all(of);
    const bits = all.bits;
    const top = new BigPrefix(of, all.last, bits);
    expect(texts(BigPrefix.listOf(setOf(of, [])))).toEqual([]);
    expect(texts(BigPrefix.listOf(setOf(of, [all, top])))).toEqual([all.text]);
    expect(texts(BigPrefix.listOf(setOf(of, all.halves)))).toEqual([all.text]);
    expect(texts(BigPrefix.listOf(setOf(of, [top])))).toEqual([top.text]);
    const builder = new PrefixSetBuilder(of);
    builder.addRange(all.words, top.words);
    expect(texts(BigPrefix.listOf(builder.build()))).toEqual([all.text]);
  });

  it('takes lists and builds again after more was added', () => {
    const builder = new PrefixSetBuilder('ipv4');
    builder.addSet(setOf('ipv4', [new BigPrefix('ipv4', 0n, 1)]));
    expect(builder.build().size).toBe(1);
    builder.addSet(setOf('ipv4', [new BigPrefix('ipv4', 1n << 31n, 1)]));
    expect(texts(BigPrefix.listOf(builder.build()))).toEqual([BigPrefix.all('ipv4').text]);
  });

  it('refuses what is no prefix or of the other family', () => {
    const builder = new PrefixSetBuilder('ipv4');
    expect(() => builder.add([1], 24)).toThrow(RangeError);
    expect(() => builder.add([0], 33)).toThrow(RangeError);
    expect(() => builder.add([0], NaN)).toThrow(RangeError);
    expect(() => builder.addRange([2], [1])).toThrow(RangeError);
    expect(() => builder.addSet(emptySet('ipv6'))).toThrow(TypeError);
    expect(() => union(emptySet('ipv4'), emptySet('ipv6'))).toThrow(TypeError);
  });
});

describe('set algebra', () => {
  it('unites, intersects and subtracts as the oracle does, and stays minimal', () => {
    fc.assert(
      fc.property(twoLists, ({ family: of, a, b }) => {
        const [setA, setB] = [setOf(of, a), setOf(of, b)];
        const [rangesA, rangesB] = [AddressRanges.of(a), AddressRanges.of(b)];
        const cover = (ranges: AddressRanges): string[] => texts(ranges.minimalCover(of));
        expect(texts(BigPrefix.listOf(union(setA, setB)))).toEqual(cover(rangesA.union(rangesB)));
        expect(texts(BigPrefix.listOf(intersect(setA, setB)))).toEqual(cover(rangesA.intersect(rangesB)));
        expect(texts(BigPrefix.listOf(subtract(setA, setB)))).toEqual(cover(rangesA.subtract(rangesB)));
        expect(overlaps(setA, setB)).toBe(rangesA.intersect(rangesB).size > 0n);
        expect(coveredAddresses(setA)).toBe(rangesA.size);
      }),
      { numRuns: times(2_000, 500) },
    );
  });

  it('keeps the laws of sets', () => {
    fc.assert(
      fc.property(twoLists, ({ family: of, a, b }) => {
        const [setA, setB] = [setOf(of, a), setOf(of, b)];
        expect(equalSets(union(setA, setA), setA)).toBe(true);
        expect(equalSets(union(setA, setB), union(setB, setA))).toBe(true);
        expect(equalSets(intersect(setA, setB), intersect(setB, setA))).toBe(true);
        expect(equalSets(union(subtract(setA, setB), intersect(setA, setB)), setA)).toBe(true);
        expect(overlaps(subtract(setA, setB), setB)).toBe(false);
        expect(equalSets(subtract(setA, emptySet(of)), setA)).toBe(true);
        expect(subtract(setA, setA).size).toBe(0);
      }),
      RUNS,
    );
  });

  it('subtracts one address from a whole family', () => {
    for (const of of FAMILIES) {
      const all = BigPrefix.all(of);
      for (const hole of [0n, all.last, all.last >> 1n]) {
        const rest = subtract(setOf(of, [all]), setOf(of, [new BigPrefix(of, hole, all.bits)]));
        expect(rest.size).toBe(all.bits);
        expect(coveredAddresses(rest)).toBe(all.last);
      }
    }
  });

  it('finds addresses', () => {
    const input = family.chain((of) => fc.tuple(fc.constant(of), prefixes(of), fc.array(address(of))));
    fc.assert(
      fc.property(input, ([of, list, addresses]) => {
        const set = setOf(of, list);
        const ranges = AddressRanges.of(list);
        const bits = of === 'ipv4' ? 32 : 128;
        for (const at of [...addresses, ...list.flatMap(({ first, last }) => [first, last])]) {
          expect(containsAddress(set, new BigPrefix(of, at, bits).words)).toBe(ranges.contains(at));
        }
      }),
      RUNS,
    );
  });

  it('distinguishes equal sets from others', () => {
    const a = setOf('ipv4', [new BigPrefix('ipv4', 0n, 8)]);
    expect(equalSets(a, setOf('ipv4', new BigPrefix('ipv4', 0n, 8).halves))).toBe(true);
    expect(equalSets(a, setOf('ipv4', [new BigPrefix('ipv4', 0n, 9)]))).toBe(false);
    expect(equalSets(a, setOf('ipv4', [new BigPrefix('ipv4', 1n << 24n, 8)]))).toBe(false);
    expect(equalSets(emptySet('ipv4'), emptySet('ipv6'))).toBe(false);
  });
});
