import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatAsn, parseAsn } from '../../src/core/asn.ts';
import '../fuzz.ts';

describe('parseAsn', () => {
  it.each([
    [1, 1],
    ['3333', 3333],
    ['AS3333', 3333],
    ['as64512', 64512],
    ['65551', 65551],
    [131072, 131072],
    ['4294967294', 4294967294],
  ])('reads %j', (input, asn) => {
    expect(parseAsn(input)).toEqual({ ok: true, value: asn });
  });

  it.each([
    [0, /RFC 7607/],
    ['AS23456', /AS_TRANS/],
    [65535, /RFC 7300/],
    [65552, /reserved by IANA/],
    [131071, /reserved by IANA/],
    ['4294967295', /RFC 7300/],
    ['4294967296', /1 to 4294967294/],
    ['1.10', /write it as 65546/],
    [1.5, /1 to 4294967294/],
    [-1, /1 to 4294967294/],
    [NaN, /1 to 4294967294/],
    ['01', /1 to 4294967294/],
    ['', /1 to 4294967294/],
    ['AS', /1 to 4294967294/],
    ['AS 1', /1 to 4294967294/],
    [' 1', /1 to 4294967294/],
    ['1e3', /1 to 4294967294/],
    ['0x1', /1 to 4294967294/],
  ])('refuses %j and says why', (input, reason) => {
    const parsed = parseAsn(input);
    expect(parsed.ok ? '(accepted)' : parsed.reason).toMatch(reason);
  });

  it('reads what it writes and never throws', () => {
    fc.assert(
      fc.property(fc.integer({ min: 131072, max: 4294967294 }), fc.string(), (asn, text) => {
        expect(parseAsn(formatAsn(asn))).toEqual({ ok: true, value: asn });
        expect(typeof parseAsn(text).ok).toBe('boolean');
      }),
    );
  });
});
