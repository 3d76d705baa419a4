import { describe, expect, it } from 'vitest';
import { FAMILIES } from '../../../src/core/address.ts';
import { intersect, overlaps } from '../../../src/core/sets/prefix-set.ts';
import { type Prefix, parsePrefix } from '../../../src/core/prefix.ts';
import { specialPurpose, specialPurposeSet } from '../../../src/core/sets/special-purpose.ts';
import { setOf } from '../../oracle/arbitraries.ts';
import { BigPrefix } from '../../oracle/big-prefix.ts';

function prefix(text: string): Prefix {
  const parsed = parsePrefix(text);
  if (!parsed.ok) throw new Error(parsed.reason);
  return parsed.value;
}

describe('specialPurpose', () => {
  it.each([
    ['0.1.2.3', 'This network'],
    ['0.0.0.0', 'This host on this network'],
    ['10.1.0.0/16', 'Private use'],
    ['100.64.0.0/10', 'Shared address space'],
    ['127.0.0.1', 'Loopback'],
    ['169.254.169.254', 'Link-local'],
    ['172.31.255.255', 'Private use'],
    ['192.0.0.170', 'NAT64 and DNS64 discovery'],
    ['192.0.2.0/24', 'Documentation (TEST-NET-1)'],
    ['198.19.0.0/16', 'Benchmarking'],
    ['224.0.0.5', 'Multicast'],
    ['240.0.0.1', 'Reserved'],
    ['224.0.0.0/3', 'Reserved'],
    ['255.255.255.255', 'Limited broadcast'],
    ['::1', 'Loopback'],
    ['64:ff9b:1::/48', 'IPv4-IPv6 translation, local use'],
    ['100::/64', 'Discard-only'],
    ['2001::/32', 'Teredo'],
    ['2001:db8:1::/48', 'Documentation'],
    ['2002:7f00:1::', '6to4'],
    ['3fff:fff::/32', 'Documentation'],
    ['fd00::/8', 'Unique local'],
    ['fe80::1', 'Link-local'],
    ['ff02::1', 'Multicast'],
  ])('knows %s as "%s"', (text, name) => {
    expect(specialPurpose(prefix(text))).toMatchObject({
      name,
      rfc: expect.stringMatching(/^RFC \d+$/) as string,
    });
  });

  it.each([
    '8.8.8.0/24',
    '172.32.0.0/16',
    '192.0.0.9',
    '192.0.0.10',
    '192.0.1.0/24',
    '100.128.0.0/9',
    '2001:4860::/32',
    '2001:20::/28',
    '2001:1::1',
    '2a00::/12',
    '64:ff9b::/96',
    '0.0.0.0/0',
    '::/0',
    '10.0.0.0/7',
  ])('lets %s through', (text) => {
    expect(specialPurpose(prefix(text))).toBeNull();
  });

  it('names the block', () => {
    expect(specialPurpose(prefix('10.0.0.0/8'))).toEqual({
      prefix: '10.0.0.0/8',
      name: 'Private use',
      rfc: 'RFC 1918',
    });
  });
});

describe('specialPurposeSet', () => {
  it('holds what specialPurpose names, with its holes, and distinguishes an overlap from an address outside', () => {
    for (const family of FAMILIES) {
      const set = specialPurposeSet(family);
      for (const block of BigPrefix.listOf(set)) {
        expect(specialPurpose({ family, words: block.words, length: block.length })).not.toBeNull();
      }
    }
    const [ten, wide] = [prefix('10.0.0.0/8'), prefix('10.0.0.0/7')];
    const sets = [ten, wide].map(({ family, words, length }) =>
      setOf(family, [BigPrefix.of(family, words, length)]),
    );
    expect(overlaps(sets[1]!, specialPurposeSet('ipv4'))).toBe(true);
    expect(intersect(sets[1]!, specialPurposeSet('ipv4'))).toEqual(sets[0]);
    const anycast = setOf('ipv4', [BigPrefix.of('ipv4', prefix('192.0.0.9').words, 32)]);
    expect(overlaps(anycast, specialPurposeSet('ipv4'))).toBe(false);
  });
});
