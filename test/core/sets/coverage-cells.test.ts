import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CELL_BITS, CELLS, coverageCells } from '../../../src/core/sets/coverage-cells.ts';
import { prefixes, setOf, address, family } from '../../oracle/arbitraries.ts';
import { BigPrefix } from '../../oracle/big-prefix.ts';

/** Addresses that any of the prefixes has in common with the cell, by marking where they begin and end. */
function coveredIn(cell: BigPrefix, list: readonly BigPrefix[]): bigint {
  const inside = list
    .filter(({ first, last }) => first <= cell.last && cell.first <= last)
    .map(({ first, last }) => ({
      first: first > cell.first ? first : cell.first,
      last: last < cell.last ? last : cell.last,
    }))
    .sort((a, b) => (a.first < b.first ? -1 : 1));
  let [covered, next] = [0n, cell.first];
  for (const { first, last } of inside) {
    const from = first > next ? first : next;
    if (last >= from) covered += last - from + 1n;
    if (last + 1n > next) next = last + 1n;
  }
  return covered;
}

function byteOf(covered: bigint, size: bigint): number {
  if (covered === 0n) return 0;
  if (covered === size) return 255;
  // Rounded half up.
  const rounded = Number((covered * 255n * 2n + size) / (size * 2n));
  return Math.min(254, Math.max(1, rounded));
}

const cases = family.chain((ofFamily) => {
  const bits = ofFamily === 'ipv4' ? 32 : 128;
  return fc.record({
    list: prefixes(ofFamily, 24),
    within: fc.tuple(address(ofFamily), fc.nat({ max: bits - CELL_BITS })).map(([at, length]) => {
      const low = BigInt(bits - length);
      return new BigPrefix(ofFamily, (at >> low) << low, length);
    }),
  });
});

test('each cell has the share that a plain count of addresses finds', () => {
  fc.assert(
    fc.property(cases, ({ list, within }) => {
      const { family: ofFamily, words, length } = within;
      const cells = coverageCells(setOf(ofFamily, list), { family: ofFamily, words, length });
      expect(cells).toHaveLength(CELLS);
      const step = 1n << BigInt(within.bits - length - CELL_BITS);
      const cellAt = (place: number) =>
        new BigPrefix(ofFamily, within.first + BigInt(place) * step, length + CELL_BITS);
      // Where something begins or ends, and beside it; in between all cells are alike.
      const edges = list
        .filter(({ first, last }) => first <= within.last && within.first <= last)
        .flatMap(({ first, last }) => [first, last])
        .map((at) =>
          at < within.first ? 0 : at > within.last ? CELLS - 1 : Number((at - within.first) / step),
        )
        .flatMap((place) => [place - 1, place, place + 1])
        .filter((place) => place >= 0 && place < CELLS);
      const sorted = [...new Set([0, CELLS - 1, ...edges])].sort((a, b) => a - b);
      sorted.forEach((place, i) => {
        const expected = byteOf(coveredIn(cellAt(place), list), step);
        expect(cells[place], `cell ${place}`).toBe(expected);
        const next = sorted[i + 1] ?? CELLS;
        for (let other = place + 1; other < next; other++)
          if (cells[other] !== cells[place + 1]) throw new Error(`cells ${place + 1} and ${other} differ`);
        if (place + 1 < next) expect(cells[place + 1]).toBe(byteOf(coveredIn(cellAt(place + 1), list), step));
      });
    }),
  );
});

test('of nothing all cells are empty, of everything all are full', () => {
  const whole = { family: 'ipv4', words: [0], length: 0 } as const;
  expect(coverageCells(setOf('ipv4', []), whole).every((byte) => byte === 0)).toBe(true);
  expect(coverageCells(setOf('ipv4', [BigPrefix.all('ipv4')]), whole).every((byte) => byte === 255)).toBe(
    true,
  );
});

test('a single address is seen, and one that is missing as well', () => {
  const whole = { family: 'ipv4', words: [0], length: 0 } as const;
  const one = coverageCells(setOf('ipv4', [new BigPrefix('ipv4', 0x08080808n, 32)]), whole);
  expect([one[0x0808], one[0x0807], one[0x0809]]).toEqual([1, 0, 0]);
  const rest = Array.from(
    { length: 32 },
    (_, i) =>
      new BigPrefix(
        'ipv4',
        (0x08080000n ^ (1n << BigInt(i))) & ~((1n << BigInt(i)) - 1n) & 0xffffffffn,
        32 - i,
      ),
  );
  const missing = coverageCells(setOf('ipv4', rest), whole);
  expect([missing[0x0808], missing[0x0807]]).toEqual([254, 255]);
});
