import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Community, formatCommunity, parseCommunity } from '../../src/core/community.ts';
import { times } from '../fuzz.ts';

describe('parseCommunity', () => {
  it.each<[string, Community, string]>([
    ['65000:100', { kind: 'standard', asn: 65000, value: 100 }, '65000:100'],
    ['0:65535', { kind: 'standard', asn: 0, value: 65535 }, '0:65535'],
    ['65000:1:100', { kind: 'large', asn: 65000, data1: 1, data2: 100 }, '65000:1:100'],
    [
      '4294967295:0:4294967295',
      { kind: 'large', asn: 4294967295, data1: 0, data2: 4294967295 },
      '4294967295:0:4294967295',
    ],
    ['blackhole', { kind: 'well-known', name: 'blackhole', value: 0xffff029a }, 'blackhole'],
    ['65535:666', { kind: 'well-known', name: 'blackhole', value: 0xffff029a }, 'blackhole'],
    ['No-Export', { kind: 'well-known', name: 'no-export', value: 0xffffff01 }, 'no-export'],
    ['65535:65281', { kind: 'well-known', name: 'no-export', value: 0xffffff01 }, 'no-export'],
    ['65535:0', { kind: 'well-known', name: 'graceful-shutdown', value: 0xffff0000 }, 'graceful-shutdown'],
  ])('reads %s', (text, community, canonical) => {
    expect(parseCommunity(text)).toEqual({ ok: true, value: community });
    expect(formatCommunity(community)).toBe(canonical);
  });

  it.each([
    ['', /is not a community/],
    ['65000', /is not a community/],
    ['65000:', /is not a community/],
    ['1:2:3:4', /is not a community/],
    ['-1:2', /is not a community/],
    [' 1:2', /is not a community/],
    ['toString', /is not a community/],
    ['065:1', /leading zero/],
    ['70000:1', /standard community/],
    ['1:65536', /standard community/],
    ['65535:7777', /no well-known name/],
    ['1:2:4294967296', /0 to 4294967295/],
  ])('refuses %j and says why', (text, reason) => {
    const parsed = parseCommunity(text);
    expect(parsed.ok ? '(accepted)' : parsed.reason).toMatch(reason);
  });

  it('reads what it writes, and never throws', () => {
    const number = (max: number): fc.Arbitrary<string> => fc.nat({ max }).map(String);
    const text = fc.oneof(
      fc.tuple(number(65535), number(65535)).map((parts) => parts.join(':')),
      fc.tuple(number(0xffffffff), number(0xffffffff), number(0xffffffff)).map((parts) => parts.join(':')),
      fc.string({ unit: fc.constantFrom(...'0159:x') }),
    );
    fc.assert(
      fc.property(text, (candidate) => {
        const parsed = parseCommunity(candidate);
        if (parsed.ok) expect(parseCommunity(formatCommunity(parsed.value))).toEqual(parsed);
      }),
      { numRuns: times(1000) },
    );
  });
});
