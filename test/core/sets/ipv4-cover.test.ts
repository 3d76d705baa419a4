import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CompiledCover } from '../../../src/core/sets/compiled-cover.ts';
import type { Aggregator } from '../../../src/core/sets/cover.ts';
import { Ipv4Cover } from '../../../src/core/sets/ipv4-cover.ts';
import { PrefixBuffer } from '../../../src/core/prefix-buffer.ts';
import { PrefixSetBuilder, coverOf, equalSets } from '../../../src/core/sets/prefix-set.ts';
import type { PrefixList } from '../../../src/core/prefix.ts';
import { AddressRanges } from '../../oracle/address-ranges.ts';
import { prefix, prefixes, seededRandom } from '../../oracle/arbitraries.ts';
import { BigPrefix, texts } from '../../oracle/big-prefix.ts';
import { times } from '../../fuzz.ts';

function listOf(prefixList: readonly BigPrefix[]): PrefixList {
  const list = new PrefixBuffer('ipv4');
  for (const { words, length } of prefixList) list.push(words, 0, length);
  return list.toList();
}

/** Prefixes crowded into a few /24s and their neighbours, so that leaves fill up and join. */
const crowded = fc.array(
  fc.tuple(fc.integer({ min: 18, max: 32 }), fc.nat({ max: 0x7ff })).map(([length, at]) => {
    const low = BigInt(32 - length);
    return new BigPrefix('ipv4', ((0x0a00fc00n + BigInt(at)) >> low) << low, length);
  }),
  { maxLength: 120 },
);

const MAKERS: readonly (readonly [string, () => Aggregator])[] = [
  ['plain', () => new Ipv4Cover()],
  ['compiled', () => new CompiledCover('ipv4')],
];

describe.each(MAKERS)('the IPv4 cover, %s', (_way, newCover) => {
  function coverByBitmap(...lists: readonly PrefixList[]): PrefixList {
    const cover = newCover();
    for (const list of lists) cover.addAll(list);
    return cover.build();
  }

  it('is the minimal cover of the oracle', () => {
    fc.assert(
      fc.property(fc.oneof(prefixes('ipv4', 60), crowded), (list) => {
        const expected = AddressRanges.of(list).minimalCover('ipv4');
        expect(texts(BigPrefix.listOf(coverByBitmap(listOf(list))))).toEqual(texts(expected));
      }),
      { numRuns: times(300, 100) },
    );
  });

  it.each([
    ['scattered', 0xffffffff, 32, 16],
    ['dense', 0x0003ffff, 32, 12],
    ['addresses', 0x00007fff, 32, 1],
    ['blocks', 0xffffffff, 24, 8],
    ['blocks that cover most', 0x3fffffff, 24, 14],
  ])('is the cover that sorting finds for many prefixes: %s', (_kind, mask, longest, lengths) => {
    const random = seededRandom(11);
    const list = listOf(
      Array.from({ length: 60_000 }, () => {
        const length = longest - (random() % lengths);
        const low = BigInt(32 - length);
        return new BigPrefix('ipv4', (BigInt((random() & mask) >>> 0) >> low) << low, length);
      }),
    );
    expect(equalSets(coverByBitmap(list), coverOf(list))).toBe(true);
  });

  it('takes plain lines, and stops at the first other one', () => {
    const cover = newCover();
    const text = '10.0.0.0/25\n10.0.0.128/25\r\n# a comment\n10.0.1.0/24\n::1\n' + '192.0.2.1\n'.repeat(5);
    cover.begin(new TextEncoder().encode(text));
    const comment = cover.takeLines(0);
    expect([comment, cover.lines]).toEqual([text.indexOf('#'), 2]);
    expect(cover.takeLines(text.indexOf('10.0.1.0'))).toBe(text.indexOf('::1'));
    cover.takeLines(text.indexOf('192'));
    expect(texts(BigPrefix.listOf(cover.build()))).toEqual(
      [
        [0x0a000000n, 23],
        [0xc0000201n, 32],
      ].map(([address, length]) => new BigPrefix('ipv4', BigInt(address!), Number(length)).text),
    );
  });

  it('knows the ends of the family', () => {
    const all = BigPrefix.all('ipv4');
    const top = new BigPrefix('ipv4', all.last, 32);
    const low = new BigPrefix('ipv4', 0n, 32);
    const cover = (...list: BigPrefix[]): string[] => texts(BigPrefix.listOf(coverByBitmap(listOf(list))));
    expect(cover()).toEqual([]);
    expect(cover(all)).toEqual([all.text]);
    expect(cover(all, top, low)).toEqual([all.text]);
    expect(cover(...all.halves)).toEqual([all.text]);
    expect(cover(top, low)).toEqual([low.text, top.text]);
  });

  it('joins addresses one by one up to a whole /22, and takes more after it was built', () => {
    const cover = newCover();
    const hosts = Array.from({ length: 1024 }, (_, i) => new BigPrefix('ipv4', BigInt(0xfffffc00 + i), 32));
    cover.addAll(listOf(hosts.slice(1)));
    expect(cover.build().size).toBe(10);
    cover.addAll(listOf(hosts.slice(0, 1)));
    expect(texts(BigPrefix.listOf(cover.build()))).toEqual([new BigPrefix('ipv4', 0xfffffc00n, 22).text]);
    cover.addAll(listOf(BigPrefix.all('ipv4').halves));
    expect(cover.build().size).toBe(1);
  });
});

describe('PrefixSetBuilder, from few prefixes to many', () => {
  it('gives the same however its input is cut', () => {
    const input = fc.tuple(fc.array(prefix('ipv4'), { minLength: 1, maxLength: 20 }), fc.nat({ max: 9000 }));
    const random = seededRandom(5);
    const many = listOf(
      Array.from({ length: 9000 }, () => new BigPrefix('ipv4', BigInt(random() & 0xfffff), 32)),
    );
    fc.assert(
      fc.property(input, ([few, cut]) => {
        const whole = new PrefixSetBuilder('ipv4');
        whole.addSet(many);
        const cutUp = new PrefixSetBuilder('ipv4');
        cutUp.addSet(slice(many, 0, cut));
        for (const { words, length } of few) {
          whole.add(words, length);
          cutUp.add(words, length);
        }
        cutUp.build();
        cutUp.addSet(slice(many, cut, many.size));
        expect(equalSets(whole.build(), cutUp.build())).toBe(true);
      }),
      { numRuns: times(40) },
    );
  });
});

function slice(list: PrefixList, from: number, to: number): PrefixList {
  return {
    family: 'ipv4',
    size: to - from,
    words: list.words.slice(from, to),
    lengths: list.lengths.slice(from, to),
  };
}
