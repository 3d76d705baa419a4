import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clearHostBits } from '../../../src/core/bits.ts';
import { CompiledCover } from '../../../src/core/sets/compiled-cover.ts';
import { PrefixBuffer } from '../../../src/core/prefix-buffer.ts';
import { coverOf, equalSets } from '../../../src/core/sets/prefix-set.ts';
import type { PrefixList } from '../../../src/core/prefix.ts';
import { AddressRanges } from '../../oracle/address-ranges.ts';
import { prefixes, seededRandom } from '../../oracle/arbitraries.ts';
import { BigPrefix, texts } from '../../oracle/big-prefix.ts';
import { times } from '../../fuzz.ts';

function listOf(prefixList: readonly BigPrefix[]): PrefixList {
  const list = new PrefixBuffer('ipv6');
  for (const { words, length } of prefixList) list.push(words, 0, length);
  return list.toList();
}

function coverOfAll(...lists: readonly PrefixList[]): PrefixList {
  const cover = new CompiledCover('ipv6');
  for (const list of lists) cover.addAll(list);
  return cover.build();
}

/** Prefixes crowded on both sides of the middle of the address, so that they nest and join. */
const crowded = fc.array(
  fc.tuple(fc.integer({ min: 58, max: 70 }), fc.nat({ max: 0xfff })).map(([length, at]) => {
    const low = BigInt(128 - length);
    const address = (0x20010db8n << 96n) | (BigInt(at) << 58n);
    return new BigPrefix('ipv6', (address >> low) << low, length);
  }),
  { maxLength: 120 },
);

describe('the IPv6 cover, compiled', () => {
  it('is the minimal cover of the oracle', () => {
    fc.assert(
      fc.property(fc.oneof(prefixes('ipv6', 60), crowded), (list) => {
        const expected = AddressRanges.of(list).minimalCover('ipv6');
        expect(texts(BigPrefix.listOf(coverOfAll(listOf(list))))).toEqual(texts(expected));
      }),
      { numRuns: times(300) },
    );
  });

  it.each([
    ['sites', 29, 64, 0],
    ['hosts', 100, 128, 3],
    ['all lengths', 0, 128, 1],
    ['short', 3, 16, 0],
  ])('is the cover that sorting finds for many prefixes: %s', (_kind, shortest, longest, equalWords) => {
    const random = seededRandom(longest);
    const list = new PrefixBuffer('ipv6');
    const words = Uint32Array.of(0x20010db8, 0, 0, 0);
    for (let i = 0; i < 60_000; i++) {
      const length = shortest + (random() % (longest - shortest + 1));
      for (let w = equalWords; w < 4; w++) words[w] = random();
      clearHostBits(words, 0, length, 4);
      list.push(words, 0, length);
    }
    expect(equalSets(coverOfAll(list.toList()), coverOf(list))).toBe(true);
  });

  it('knows the ends of the family', () => {
    const all = BigPrefix.all('ipv6');
    const top = new BigPrefix('ipv6', all.last, 128);
    const low = new BigPrefix('ipv6', 0n, 128);
    const cover = (...list: BigPrefix[]): string[] => texts(BigPrefix.listOf(coverOfAll(listOf(list))));
    expect(cover()).toEqual([]);
    expect(cover(all)).toEqual([all.text]);
    expect(cover(all, top, low)).toEqual([all.text]);
    expect(cover(...all.halves)).toEqual([all.text]);
    expect(cover(top, low)).toEqual([low.text, top.text]);
  });

  it('takes more after it was built, in any order', () => {
    const hosts = Array.from({ length: 1024 }, (_, i) => new BigPrefix('ipv6', BigInt(0xfffffc00 + i), 128));
    const cover = new CompiledCover('ipv6');
    cover.addAll(listOf(hosts.slice(512)));
    expect(cover.build().size).toBe(1);
    cover.addAll(listOf(hosts.slice(1, 512)));
    expect(cover.build().size).toBe(10);
    cover.addAll(listOf(hosts.slice(0, 1)));
    expect(texts(BigPrefix.listOf(cover.build()))).toEqual([new BigPrefix('ipv6', 0xfffffc00n, 118).text]);
    cover.addAll(listOf([...BigPrefix.all('ipv6').halves].reverse()));
    expect(cover.build().size).toBe(1);
  });
});
