import { describe, expect, test } from 'vitest';
import { ipRangeRows } from '../../src/sources/ip-range.ts';

describe('the rows of IP range entries', () => {
  test('are their prefixes, in order, with the id of the entry', () => {
    const rows = [
      ...ipRangeRows([
        { id: 'b', cidr: '45.0.0.0/24' },
        { id: 'a', cidr: '2600:77::/32' },
        { id: 'b', cidr: '45.0.0.7' },
      ]),
    ];
    expect(rows).toEqual([
      { id: 'b', family: 'ipv4', words: [0x2d000000], length: 24 },
      { id: 'a', family: 'ipv6', words: [0x26000077, 0, 0, 0], length: 32 },
      { id: 'b', family: 'ipv4', words: [0x2d000007], length: 32 },
    ]);
  });

  test('name the entry that cannot be read', () => {
    expect(() => [...ipRangeRows([{ id: 'e1', cidr: '45.0.0.1/24' }])]).toThrow(/e1.*host bits/);
  });
});
