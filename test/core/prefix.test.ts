import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatPrefix, parsePrefix, prefixAt, prefixesOf } from '../../src/core/prefix.ts';
import { address, family, prefix, setOf } from '../oracle/arbitraries.ts';
import { BigPrefix } from '../oracle/big-prefix.ts';
import '../fuzz.ts';

describe('parsePrefix', () => {
  it.each([
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['255.255.255.255/32', '255.255.255.255/32'],
    ['192.0.2.1', '192.0.2.1/32'],
    ['::/0', '::/0'],
    ['2001:DB8::', '2001:db8::/128'],
    ['2001:db8::/32', '2001:db8::/32'],
    ['2001:db8:0:0:8000::/65', '2001:db8:0:0:8000::/65'],
  ])('reads %s', (text, canonical) => {
    const parsed = parsePrefix(text);
    expect(parsed.ok && formatPrefix(parsed.value)).toBe(canonical);
  });

  it('names both readings when host bits are set', () => {
    expect(parsePrefix('10.0.0.1/8')).toEqual({
      ok: false,
      reason: '10.0.0.1/8 has host bits set: write 10.0.0.0/8 for the network or 10.0.0.1/32 for the address',
    });
    expect(parsePrefix('2001:db8::1/32')).toMatchObject({
      reason: expect.stringContaining('2001:db8::/32 for the network or 2001:db8::1/128') as string,
    });
    expect(parsePrefix('1.0.0.0/0').ok).toBe(false);
  });

  it.each([
    ['10.0.0.0/33', /0 to 32/],
    ['::/129', /0 to 128/],
    ['10.0.0.0/', /0 to 32/],
    ['10.0.0.0/08', /0 to 32/],
    ['10.0.0.0/-1', /0 to 32/],
    ['10.0.0.0/255.0.0.0', /not a netmask/],
    ['10.0.0.0/8/8', /0 to 32/],
    ['010.0.0.0/8', /leading zero/],
    ['::ffff:0:0/96', /IPv4-mapped/],
    ['10.0.0.0/8 ', /0 to 32/],
  ])('refuses %j and says why', (text, reason) => {
    const parsed = parsePrefix(text);
    expect(parsed.ok ? '(accepted)' : parsed.reason).toMatch(reason);
  });

  it('reads every prefix it writes, and no other length of an address that has bits behind it', () => {
    const input = family.chain((ofFamily) => fc.tuple(address(ofFamily), prefix(ofFamily)));
    fc.assert(
      fc.property(input, ([at, { family: ofFamily, first, length, words, bits }]) => {
        fc.pre(ofFamily === 'ipv4' || (first >> 32n !== 0xffffn && at >> 32n !== 0xffffn));
        expect(parsePrefix(formatPrefix({ family: ofFamily, words, length }))).toEqual({
          ok: true,
          value: { family: ofFamily, words, length },
        });
        const loose = { family: ofFamily, words: new BigPrefix(ofFamily, at, bits).words, length };
        const clean = (at & ((1n << BigInt(bits - length)) - 1n)) === 0n;
        expect(parsePrefix(formatPrefix(loose)).ok).toBe(clean);
      }),
    );
  });
});

describe('prefixAt', () => {
  it('gives the prefixes of a list one by one', () => {
    const set = setOf('ipv6', [new BigPrefix('ipv6', 0n, 128), new BigPrefix('ipv6', 1n << 127n, 1)]);
    expect([...prefixesOf(set)].map(formatPrefix)).toEqual(['::/128', '8000::/1']);
    expect(() => prefixAt(set, 2)).toThrow(RangeError);
    expect(() => prefixAt(set, -1)).toThrow(RangeError);
  });
});
