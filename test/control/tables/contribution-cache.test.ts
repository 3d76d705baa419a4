import { expect, test } from 'vitest';
import { ContributionCache } from '../../../src/control/tables/contribution-cache.ts';
import type { Contributed } from '../../../src/control/tables/build-revision.ts';

const of = (size: number, community: string | null = null): Contributed => {
  const set = { family: 'ipv4', size, words: new Uint32Array(size), lengths: new Uint8Array(size) } as const;
  return { contributions: [{ community, set }], rows: { ipv4: size } };
};

test('what was put is there, until it is the least recently used of too much', () => {
  const cache = new ContributionCache(20_000);
  const [a, b, c] = [of(1_500, 'a'), of(1_500, 'b'), of(1_500, 'c')];
  cache.put('a', a);
  cache.put('b', b);
  expect(cache.get('a')).toBe(a);
  cache.put('c', c);
  expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([a, undefined, c]);
  expect(cache.bytes).toBeLessThanOrEqual(20_000);
});

test('what is put twice counts once, and what is larger than the capacity is not kept', () => {
  const cache = new ContributionCache(20_000);
  cache.put('a', of(100));
  const { bytes } = cache;
  cache.put('a', of(100));
  expect(cache.bytes).toBe(bytes);
  cache.put('b', of(10_000));
  expect(cache.get('b')).toBeUndefined();
  expect(cache.get('a')).toBeDefined();
});

test('things without a prefix fill no memory either', () => {
  const cache = new ContributionCache(20_000);
  for (let i = 0; i < 1_000; i++) cache.put(`empty ${i}`, of(0));
  expect(cache.bytes).toBeLessThanOrEqual(20_000);
  expect(cache.get('empty 0')).toBeUndefined();
});
