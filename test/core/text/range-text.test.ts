/** Ranges of addresses as the prefixes that they are. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatAddress, type Family } from '../../../src/core/address.ts';
import { parsePrefix } from '../../../src/core/prefix.ts';
import { prefixesOfRange } from '../../../src/core/text/range-text.ts';
import '../../fuzz.ts';

test.each([
  ['5.1.9.0-5.1.9.77', ['5.1.9.0/26', '5.1.9.64/29', '5.1.9.72/30', '5.1.9.76/31']],
  ['5.1.8.0 - 5.1.8.255', ['5.1.8.0/24']],
  ['5.1.9.9-5.1.9.9', ['5.1.9.9/32']],
  ['2a0e:b107::-2a0e:b107::2', ['2a0e:b107::/127', '2a0e:b107::2/128']],
])('%s', (text, prefixes) => expect(prefixesOfRange(text)).toEqual(prefixes));

test.each([
  '5.1.9.9-5.1.9.1',
  '5.1.9.0/24',
  '5.1.9.0',
  '5.1.9.0-',
  '5.1.9.0-2a0e::1',
  '5.1.9.0/24-5.1.9.9',
  'my-server.example.net',
  '-',
])('%s is none', (text) => expect(prefixesOfRange(text)).toBeNull());

const BITS = { ipv4: 32, ipv6: 128 };

const wordsOf = (value: bigint, bits: number): number[] =>
  Array.from({ length: bits / 32 }, (_, at) =>
    Number((value >> BigInt(bits - 32 * (at + 1))) & 0xffff_ffffn),
  );

test('they are exactly the addresses of the range, each once, and no two are halves of one', () => {
  const range = fc.constantFrom<Family>('ipv4', 'ipv6').chain((family) => {
    const most = (1n << BigInt(BITS[family])) - 1n;
    // Mapped addresses are no IPv6 addresses of their own.
    const least = family === 'ipv6' ? 1n << 100n : 0n;
    const end = fc.bigInt({ min: least, max: most });
    return fc.tuple(fc.constant(family), end, end, fc.bigInt({ min: 0n, max: 300n }), fc.boolean());
  });
  fc.assert(
    fc.property(range, ([family, one, other, near, isNear]) => {
      const bits = BITS[family];
      const most = (1n << BigInt(bits)) - 1n;
      const last = isNear ? (one + near > most ? most : one + near) : other;
      const [from, to] = one < last ? [one, last] : [last, one];
      const text = [from, to].map((end) => formatAddress({ family, words: wordsOf(end, bits) })).join('-');
      let next = from;
      let before = -1;
      for (const prefix of prefixesOfRange(text)!) {
        const parsed = parsePrefix(prefix);
        if (!parsed.ok) throw new Error(parsed.reason);
        const begin = parsed.value.words.reduce((value, word) => (value << 32n) | BigInt(word), 0n);
        expect(begin).toBe(next);
        const size = 1n << BigInt(bits - parsed.value.length);
        // Two of one length that follow each other begin in the second half of what both would be.
        if (before === parsed.value.length) expect((begin / size) % 2n).toBe(0n);
        before = parsed.value.length;
        next = begin + size;
      }
      expect(next).toBe(to + 1n);
    }),
  );
});
