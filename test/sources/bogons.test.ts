import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Family } from '../../src/core/address.ts';
import { PrefixBuffer } from '../../src/core/prefix-buffer.ts';
import type { CollectedPrefixes } from '../../src/core/text/prefix-text.ts';
import { specialPurposeSet } from '../../src/core/sets/special-purpose.ts';
import { dropBogons } from '../../src/sources/bogons.ts';
import { AddressRanges } from '../oracle/address-ranges.ts';
import { family, prefix } from '../oracle/arbitraries.ts';
import { BigPrefix } from '../oracle/big-prefix.ts';
import { read, readGood, textsOf } from './lists/prefix-texts.ts';
import '../fuzz.ts';

const CUT_FROM: Record<Family, number> = { ipv4: 8, ipv6: 19 };

function collected(ofFamily: Family, prefixes: readonly BigPrefix[]): CollectedPrefixes {
  const rows = { ipv4: new PrefixBuffer('ipv4'), ipv6: new PrefixBuffer('ipv6') };
  for (const { words, length } of prefixes) rows[ofFamily].push(words, 0, length);
  const { ipv4, ipv6 } = rows;
  return {
    ipv4: ipv4.toList(),
    ipv6: ipv6.toList(),
    accepted: prefixes.length,
    rejectedCount: 0,
    rejects: [],
  };
}

/** Prefixes in, around and beside special-purpose blocks, up to four bits wider or narrower. */
function nearSpecial(ofFamily: Family): fc.Arbitrary<BigPrefix> {
  const blocks = BigPrefix.listOf(specialPurposeSet(ofFamily));
  const bits = ofFamily === 'ipv4' ? 32 : 128;
  const drawn = fc.record({
    block: fc.constantFrom(...blocks),
    wider: fc.integer({ min: -4, max: 4 }),
    beside: fc.integer({ min: -1, max: 1 }),
  });
  return drawn.map(({ block, wider, beside }) => {
    const length = Math.min(bits, Math.max(0, block.length - wider));
    const size = 1n << BigInt(bits - length);
    const first = (block.first / size + BigInt(beside)) * size;
    const end = 1n << BigInt(bits);
    return new BigPrefix(ofFamily, ((first % end) + end) % end, length);
  });
}

describe('dropping bogons', () => {
  test('leaves the addresses that are not special-purpose, and prefixes too short to be cut as they were', () => {
    const lists = family.chain((of) =>
      fc.record({
        of: fc.constant(of),
        prefixes: fc.array(fc.oneof(nearSpecial(of), prefix(of)), { maxLength: 30 }),
      }),
    );
    fc.assert(
      fc.property(lists, ({ of, prefixes }) => {
        const special = AddressRanges.of(BigPrefix.listOf(specialPurposeSet(of)));
        const isShort = ({ length }: BigPrefix): boolean => length < CUT_FROM[of];
        const long = prefixes.filter((one) => !isShort(one));
        const met = long.filter((one) => AddressRanges.of([one]).intersect(special).size > 0n);
        const { prefixes: kept, bogons } = dropBogons(collected(of, prefixes));
        const expected = AddressRanges.of(long)
          .subtract(special)
          .union(AddressRanges.of(prefixes.filter(isShort)));
        expect(AddressRanges.of(BigPrefix.listOf(kept[of])).ranges).toEqual(expected.ranges);
        expect(bogons.count).toBe(met.length);
        const untouched = prefixes.filter((one) => !met.includes(one));
        const first = BigPrefix.listOf(kept[of]).slice(0, untouched.length);
        expect(first.map(({ text }) => text)).toEqual(untouched.map(({ text }) => text));
      }),
    );
  });

  test('reports each prefix and what is registered there', () => {
    const { prefixes, bogons } = readGood(
      '45.0.0.0/24\n10.1.0.0/16\nfe80::/64\n192.168.0.0/15\n169.254.169.254\n192.0.0.9\n2600::/32\n',
    );
    expect(textsOf(prefixes)).toEqual(['45.0.0.0/24', '192.0.0.9/32', '192.169.0.0/16', '2600::/32']);
    expect(bogons).toEqual({
      count: 4,
      listed: [
        { prefix: '10.1.0.0/16', within: 'Private use (10.0.0.0/8, RFC 1918)' },
        {
          prefix: '192.168.0.0/15',
          within: 'wider than the special-purpose space in it, which was cut out',
        },
        { prefix: '169.254.169.254/32', within: 'Link-local (169.254.0.0/16, RFC 3927)' },
        { prefix: 'fe80::/64', within: 'Link-local (fe80::/10, RFC 4291)' },
      ],
    });
  });

  test('reports the first 100 and counts all', () => {
    const text = Array.from({ length: 300 }, (_, i) => `10.${i % 256}.0.0/24`).join('\n');
    const { bogons } = readGood(`${text}\n45.0.0.0/24\n`);
    expect(bogons.count).toBe(300);
    expect(bogons.listed).toHaveLength(100);
  });

  test('leaves a default route whole: it is for the guardrails to refuse', () => {
    const { prefixes, bogons } = readGood('0.0.0.0/0\n::/0\n128.0.0.0/1\n');
    expect(textsOf(prefixes)).toEqual(['0.0.0.0/0', '128.0.0.0/1', '::/0']);
    expect(bogons.count).toBe(0);
  });

  test('makes a list of nothing else an empty one', () => {
    const list = read('10.0.0.0/8\n192.168.0.0/16\n');
    expect(list).toMatchObject({ ok: false, code: 'source_empty' });
    expect(list).toHaveProperty('reason', expect.stringMatching(/All 2 .*10\.0\.0\.0\/8.*guard_bogons/));
  });

  test('is left out where they are allowed', () => {
    const { prefixes, bogons } = readGood('10.0.0.0/8\n45.0.0.0/24\n', { bogons: 'allow' });
    expect(textsOf(prefixes)).toEqual(['10.0.0.0/8', '45.0.0.0/24']);
    expect(bogons).toEqual({ count: 0, listed: [] });
  });
});
