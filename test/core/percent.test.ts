import fc from 'fast-check';
import { expect, test } from 'vitest';
import { percentRoundedDown, percentRoundedUp } from '../../src/core/percent.ts';
import '../fuzz.ts';

const IPV6_SPACE = 1n << 128n;

test('one address of all is something, and all but one are not all', () => {
  expect(percentRoundedUp(1n, IPV6_SPACE)).toBe(0.01);
  expect(percentRoundedUp(1n, IPV6_SPACE, 4)).toBe(0.0001);
  expect(percentRoundedDown(IPV6_SPACE - 1n, IPV6_SPACE)).toBe(99.99);
  expect(percentRoundedDown(IPV6_SPACE - 1n, IPV6_SPACE, 4)).toBe(99.9999);
});

test('what has no more digits is not rounded', () => {
  for (const percent of [percentRoundedUp, percentRoundedDown]) {
    expect(percent(0n, 7n)).toBe(0);
    expect(percent(1n, 8n)).toBe(12.5);
    expect(percent(9n, 8n)).toBe(112.5);
  }
});

test('the share lies between both, which are at most one digit apart', () => {
  const count = fc.integer({ min: 1, max: 1_000_000 });
  fc.assert(
    fc.property(count, count, (part, whole) => {
      const [down, up] = [percentRoundedDown, percentRoundedUp].map((of) => of(BigInt(part), BigInt(whole)));
      expect(BigInt(Math.round(down! * 100)) * BigInt(whole)).toBeLessThanOrEqual(BigInt(part) * 10_000n);
      expect(BigInt(Math.round(up! * 100)) * BigInt(whole)).toBeGreaterThanOrEqual(BigInt(part) * 10_000n);
      expect(Math.round((up! - down!) * 100)).toBeLessThanOrEqual(1);
    }),
  );
});
