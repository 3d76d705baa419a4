import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FAMILIES } from '../../src/core/address.ts';
import { clearHostBits } from '../../src/core/bits.ts';
import { PrefixBuffer } from '../../src/core/prefix-buffer.ts';
import { formatLines, linesOf } from '../../src/core/prefix-format.ts';
import { plainText } from '../oracle/aggregate.ts';
import { family, prefix, seededRandom } from '../oracle/arbitraries.ts';
import { BigPrefix } from '../oracle/big-prefix.ts';
import { times } from '../fuzz.ts';

function textOf(prefixes: readonly BigPrefix[], from?: number, to?: number): string[] {
  const list = new PrefixBuffer(prefixes[0]?.family ?? 'ipv4');
  for (const { words, length } of prefixes) list.push(words, 0, length);
  return Buffer.from(formatLines(list, from, to))
    .toString()
    .split('\n')
    .slice(0, -1);
}

describe('formatLines', () => {
  it('writes what the platform writes', () => {
    const input = family.chain((of) => fc.array(prefix(of), { minLength: 1, maxLength: 30 }));
    fc.assert(
      fc.property(input, (prefixes) => {
        expect(textOf(prefixes)).toEqual(prefixes.map(plainText));
      }),
      { numRuns: times(2000) },
    );
  });

  it('writes IPv6 with zeros anywhere as RFC 5952 says', () => {
    const groups = fc.array(fc.constantFrom(0n, 0n, 1n, 0xabn, 0xabcn, 0xffffn), {
      minLength: 8,
      maxLength: 8,
    });
    fc.assert(
      fc.property(groups, (parts) => {
        const address = new BigPrefix(
          'ipv6',
          parts.reduce<bigint>((sum, part) => (sum << 16n) | part, 0n),
          128,
        );
        // The platform writes these with a dotted quad or not at all.
        fc.pre(address.first >> 32n > 0xffffn);
        expect(textOf([address])).toEqual([plainText(address)]);
      }),
      { numRuns: times(2000) },
    );
  });

  it.each(FAMILIES)('knows the ends of the family (%s)', (of) => {
    const all = BigPrefix.all(of);
    const top = new BigPrefix(of, all.last, all.bits);
    expect(textOf([all, top])).toEqual([plainText(all), plainText(top)]);
    expect(textOf([])).toEqual([]);
  });

  it('writes a part of a list', () => {
    const prefixes = [1n, 2n, 3n, 4n].map((first) => new BigPrefix('ipv4', first, 32));
    expect(textOf(prefixes, 1, 3)).toEqual(['0.0.0.2/32', '0.0.0.3/32']);
  });
});

describe('linesOf', () => {
  it.each([
    ['ipv4', 0],
    ['ipv4', 100],
    ['ipv4', 8191],
    ['ipv4', 8192],
    ['ipv4', 20_000],
    ['ipv6', 8192],
    ['ipv6', 40_000],
  ] as const)('gives what formatLines gives, part by part: %s, %i rows', (family, size) => {
    const random = seededRandom(size + 1);
    const list = new PrefixBuffer(family);
    const words = new Uint32Array(4);
    for (let i = 0; i < size; i++) {
      const length = i % (family === 'ipv4' ? 33 : 129);
      // Groups of zeros, and groups of one digit to four.
      for (let w = 0; w < 4; w++) words[w] = random() & [0, -1, 0xffff, 0xf0000, 0xff000a][random() % 5]!;
      clearHostBits(words, 0, length, list.width);
      list.push(words, 0, length);
    }
    const parts = Array.from(linesOf(list.toList()), (part) => Buffer.from(part));
    expect(Buffer.concat(parts).equals(formatLines(list.toList()))).toBe(true);
  });
});
