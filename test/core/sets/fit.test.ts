import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CannotFit, fitSet, fitSets } from '../../../src/core/sets/fit.ts';
import { coveredAddresses, emptySet, intersect, subtract } from '../../../src/core/sets/prefix-set.ts';
import { FAMILIES, type Family } from '../../../src/core/address.ts';
import { AddressRanges } from '../../oracle/address-ranges.ts';
import { family, prefixes, seededRandom, setOf } from '../../oracle/arbitraries.ts';
import { BigPrefix } from '../../oracle/big-prefix.ts';
import { times } from '../../fuzz.ts';

/** The least over-coverage with at most `max` prefixes: every way to cover is tried, from the whole family down. */
function leastOverCoverage(
  of: Family,
  list: readonly BigPrefix[],
  max: number,
  forbidden: readonly BigPrefix[] = [],
): bigint | null {
  const ranges = AddressRanges.of(list);
  const banned = AddressRanges.of(forbidden).subtract(ranges);
  /** Least over-coverage inside `block` for 0, 1, … `max` prefixes; null where so few can't do. */
  const within = (block: BigPrefix): (bigint | null)[] => {
    const inside = ranges.intersect(new AddressRanges([block])).size;
    if (inside === 0n) return new Array<bigint>(max + 1).fill(0n);
    const isBanned = banned.intersect(new AddressRanges([block])).size > 0n;
    const whole = isBanned ? null : block.last - block.first + 1n - inside;
    if (whole === 0n) return Array.from({ length: max + 1 }, (_, n) => (n === 0 ? null : 0n));
    const [lower, upper] = block.halves.map(within) as [(bigint | null)[], (bigint | null)[]];
    return Array.from({ length: max + 1 }, (_, n) => {
      if (n === 0) return null;
      let best: bigint | null = whole;
      for (let l = 0; l <= n; l++) {
        const [a, b] = [lower[l]!, upper[n - l]!];
        if (a !== null && b !== null && (best === null || a + b < best)) best = a + b;
      }
      return best;
    });
  };
  return within(BigPrefix.all(of))[max] ?? null;
}

function expectFit(set: ReturnType<typeof setOf>, max: number): ReturnType<typeof fitSet> {
  const fitted = fitSet(set, max);
  expect(fitted.set.size).toBeLessThanOrEqual(max);
  expect(subtract(set, fitted.set).size).toBe(0);
  expect(fitted.overCoverage).toBe(coveredAddresses(subtract(fitted.set, set)));
  return fitted;
}

type Set = ReturnType<typeof setOf>;

function expectAllowed(fitted: Set, set: Set, banned: Set, max: number): void {
  expect(fitted.size).toBeLessThanOrEqual(max);
  expect(subtract(set, fitted).size).toBe(0);
  expect(intersect(subtract(fitted, set), banned).size).toBe(0);
}

describe('fitSet', () => {
  it('is as good as the best of all ways', () => {
    const input = fc.record({ list: prefixes('ipv4', 14), max: fc.integer({ min: 1, max: 8 }) });
    fc.assert(
      fc.property(input, ({ list, max }) => {
        fc.pre(list.length > 0);
        const { overCoverage, optimal } = expectFit(setOf('ipv4', list), max);
        expect(optimal).toBe(true);
        expect(overCoverage).toBe(leastOverCoverage('ipv4', list, max));
      }),
      { numRuns: times(300) },
    );
  });

  it('covers nothing that is forbidden, and is as good as the best of all ways that do not; or says that there is none', () => {
    const input = fc.record({
      ...{ list: prefixes('ipv4', 10), forbidden: prefixes('ipv4', 4) },
      ...{ max: fc.integer({ min: 1, max: 6 }), isExact: fc.boolean() },
    });
    fc.assert(
      fc.property(input, ({ list, forbidden, max, isExact }) => {
        fc.pre(list.length > 0);
        const [set, banned] = [setOf('ipv4', list), setOf('ipv4', forbidden)];
        const best = leastOverCoverage('ipv4', list, max, forbidden);
        const bounds = isExact ? undefined : { steps: 0, places: 0 };
        if (best === null) {
          expect(() => fitSet(set, max, bounds, banned)).toThrow(CannotFit);
          return;
        }
        const fitted = fitSet(set, max, bounds, banned);
        expectAllowed(fitted.set, set, banned, max);
        if (isExact) expect(fitted).toMatchObject({ optimal: true, overCoverage: best });
      }),
      { numRuns: times(300) },
    );
  });

  it('is so for IPv6 where nothing is rounded', () => {
    const near = fc.array(fc.nat({ max: 4095 }), { minLength: 1, maxLength: 10 });
    fc.assert(
      fc.property(near, fc.integer({ min: 1, max: 5 }), (places, max) => {
        const list = places.map((at) => new BigPrefix('ipv6', (0x20010db8n << 96n) + BigInt(at), 128));
        expect(expectFit(setOf('ipv6', list), max).overCoverage).toBe(leastOverCoverage('ipv6', list, max));
      }),
      { numRuns: times(50) },
    );
  });

  it('covers all and reports exactly what more, for both families and any number', () => {
    const input = family.chain((of) =>
      fc.record({ of: fc.constant(of), list: prefixes(of, 60), max: fc.integer({ min: 1, max: 40 }) }),
    );
    fc.assert(
      fc.property(input, ({ of, list, max }) => {
        expectFit(setOf(of, list), max);
      }),
      { numRuns: times(300) },
    );
  });

  it.each(FAMILIES)('leaves alone what fits, and refuses to fit into nothing (%s)', (of) => {
    expect(fitSet(emptySet(of), 1)).toEqual({ set: emptySet(of), overCoverage: 0n, optimal: true });
    const set = setOf(of, [new BigPrefix(of, 0n, 8)]);
    expect(fitSet(set, 1)).toEqual({ set, overCoverage: 0n, optimal: true });
    for (const max of [0, -1, NaN]) expect(() => fitSet(set, max)).toThrow(RangeError);
  });

  it('finds its way step by step in large sets, never far from the best', () => {
    const random = seededRandom(3);
    const list = Array.from(
      { length: 6_000 },
      () => new BigPrefix('ipv4', BigInt(random() % 2 === 0 ? random() & 0xffff : random() & 0xfffffff), 32),
    );
    const set = setOf('ipv4', list);
    let before = 0n;
    for (const max of [4_500, 3_000, 2_000, 1_000, 200, 20, 2, 1]) {
      const stepwise = fitSet(set, max, { steps: 0, places: 0 });
      const exact = fitSet(set, max, { steps: Infinity, places: Infinity });
      expect([stepwise.optimal, exact.optimal]).toEqual([false, true]);
      expect(subtract(set, stepwise.set).size).toBe(0);
      expect(stepwise.set.size).toBeLessThanOrEqual(max);
      expect(stepwise.overCoverage >= exact.overCoverage).toBe(true);
      expect(Number(stepwise.overCoverage)).toBeLessThanOrEqual(Number(exact.overCoverage) * 1.25);
      expect(exact.overCoverage >= before).toBe(true);
      before = exact.overCoverage;
    }
  });
});

describe('fitSets', () => {
  it('is as good as the best division of the maximum among the sets', () => {
    const input = fc.record({
      lists: fc.array(prefixes('ipv4', 6), { minLength: 1, maxLength: 3 }),
      max: fc.integer({ min: 1, max: 9 }),
    });
    fc.assert(
      fc.property(input, ({ lists, max }) => {
        const sets = lists.map((list) => setOf('ipv4', list));
        const best = lists.reduce<readonly (bigint | null)[]>(
          (before, list) => {
            const least = before.map((_, n) => (list.length === 0 ? 0n : leastOverCoverage('ipv4', list, n)));
            return before.map((_, n) => leastOf(before.slice(0, n + 1), least));
          },
          new Array<bigint>(max + 1).fill(0n),
        );
        const toFit = sets.map((set) => ({ set, forbidden: null }));
        if (best[max] === null) {
          expect(() => fitSets(toFit, max)).toThrow(CannotFit);
          return;
        }
        const fitted = fitSets(toFit, max);
        expect(fitted).toMatchObject({ optimal: true, overCoverage: best[max] });
        expect(fitted.sets.reduce((sum, { size }) => sum + size, 0)).toBeLessThanOrEqual(max);
        for (const [index, set] of sets.entries()) expect(subtract(set, fitted.sets[index]!).size).toBe(0);
        const stepwise = fitSets(toFit, max, { steps: 0, places: 0 });
        expect(stepwise.sets.reduce((sum, { size }) => sum + size, 0)).toBeLessThanOrEqual(max);
        for (const [index, set] of sets.entries()) expect(subtract(set, stepwise.sets[index]!).size).toBe(0);
      }),
      { numRuns: times(200) },
    );
  });

  /** The least of what the first take, with each number of prefixes, and the next has with the rest. */
  function leastOf(before: readonly (bigint | null)[], next: readonly (bigint | null)[]): bigint | null {
    const sums = before.flatMap((one, n) => {
      const other = next[before.length - 1 - n]!;
      return one === null || other === null ? [] : [one + other];
    });
    return sums.length === 0 ? null : sums.reduce((a, b) => (b < a ? b : a));
  }
});
