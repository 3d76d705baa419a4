import { isIP } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatAddress, parseAddress, type Parsed } from '../../src/core/address.ts';
import { address, family } from '../oracle/arbitraries.ts';
import { BigPrefix } from '../oracle/big-prefix.ts';
import { times } from '../fuzz.ts';

function reasonOf(parsed: Parsed<unknown>): string {
  return parsed.ok ? '(accepted)' : parsed.reason;
}

describe('parseAddress', () => {
  it.each([
    ['0.0.0.0', 'ipv4', [0]],
    ['255.255.255.255', 'ipv4', [0xffffffff]],
    ['192.0.2.1', 'ipv4', [0xc0000201]],
    ['::', 'ipv6', [0, 0, 0, 0]],
    ['::1', 'ipv6', [0, 0, 0, 1]],
    ['2001:DB8::A', 'ipv6', [0x20010db8, 0, 0, 10]],
    ['1:2:3:4:5:6:7::', 'ipv6', [0x10002, 0x30004, 0x50006, 0x70000]],
    ['::2:3:4:5:6:7:8', 'ipv6', [2, 0x30004, 0x50006, 0x70008]],
    ['64:ff9b::192.0.2.33', 'ipv6', [0x64ff9b, 0, 0, 0xc0000221]],
    ['ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'ipv6', [0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff]],
  ] as const)('reads %s', (text, ofFamily, words) => {
    expect(parseAddress(text)).toEqual({ ok: true, value: { family: ofFamily, words: [...words] } });
  });

  it.each([
    ['', /empty/],
    ['010.0.0.1', /leading zero/],
    ['127.1', /2 of the 4 numbers/],
    ['1.2.3.4.5', /5 of the 4 numbers/],
    ['256.0.0.1', /0 to 255/],
    ['1.2.3.4 ', /not an IPv4 or IPv6 address/],
    ['0x7f.0.0.1', /not an IPv4 or IPv6 address/],
    ['１.2.3.4', /not an IPv4 or IPv6 address/],
    ['::ffff:192.0.2.1', /write 192\.0\.2\.1/],
    ['::ffff:c000:201', /write 192\.0\.2\.1/],
    ['fe80::1%eth0', /zone/],
    ['[::1]', /brackets/],
    ['1::2::3', /once only/],
    ['1:2:3:4:5:6:7', /not an IPv6 address/],
    ['1:2:3:4:5:6:7:8:', /not an IPv6 address/],
    ['1::2:3:4:5:6:7:8', /not an IPv6 address/],
    [':1:2:3:4:5:6:7', /not an IPv6 address/],
    ['::12345', /not an IPv6 address/],
    ['::1.2.3', /not an IPv6 address/],
    ['1:2:3:4:5:6:7:1.2.3.4', /not an IPv6 address/],
    [':', /not an IPv6 address/],
  ])('refuses %j and says why', (text, reason) => {
    expect(reasonOf(parseAddress(text))).toMatch(reason);
  });

  it('accepts what the platform takes for an address, without zones and mapped ones, and nothing else', () => {
    const byte = fc.nat({ max: 300 }).map(String);
    const group = fc.oneof(
      fc.constant(''),
      fc.nat({ max: 0x1ffff }).map((n) => n.toString(16)),
    );
    const text = fc.oneof(
      fc.array(byte, { minLength: 3, maxLength: 5 }).map((parts) => parts.join('.')),
      fc.array(group, { minLength: 2, maxLength: 9 }).map((groups) => groups.join(':')),
      fc.string({ unit: fc.constantFrom(...'012.:af%/x'), maxLength: 24 }),
    );
    fc.assert(
      fc.property(text, (candidate) => {
        const mapped = /^::ffff:/i.test(candidate);
        fc.pre(!candidate.includes('%') && !mapped && !/^(0*:)+:?ffff:/i.test(candidate));
        expect(parseAddress(candidate).ok).toBe(isIP(candidate) !== 0);
      }),
      { numRuns: times(3000) },
    );
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => typeof parseAddress(text).ok === 'boolean'),
    );
  });
});

describe('formatAddress', () => {
  it.each([
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['0:0:0:0:0:0:0:0', '::'],
    ['1:0:0:0:0:0:0:0', '1::'],
    ['0:0:0:1:0:0:0:0', '0:0:0:1::'],
    ['2001:DB8::00AB', '2001:db8::ab'],
  ])('writes %s as %s (RFC 5952)', (text, canonical) => {
    const parsed = parseAddress(text);
    expect(parsed.ok && formatAddress(parsed.value)).toBe(canonical);
  });

  it('writes what the platform writes, and is read back', () => {
    const anyAddress = family.chain((ofFamily) => address(ofFamily).map((at) => ({ ofFamily, at })));
    fc.assert(
      fc.property(anyAddress, ({ ofFamily, at }) => {
        const bits = ofFamily === 'ipv4' ? 32 : 128;
        fc.pre(ofFamily === 'ipv4' || at >> 32n !== 0xffffn);
        const value = { family: ofFamily, words: new BigPrefix(ofFamily, at, bits).words };
        const text = formatAddress(value);
        const host = new URL(ofFamily === 'ipv4' ? `http://${text}` : `http://[${text}]`).hostname;
        expect(host.replace(/[[\]]/g, '')).toBe(text);
        expect(parseAddress(text)).toEqual({ ok: true, value });
      }),
      { numRuns: times(1000) },
    );
  });
});
