import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PrefixTableBuilder, emptyTable, type PrefixTable } from '../../../src/core/tables/prefix-table.ts';
import { blockHashes, decodeTable, encodeTable } from '../../../src/core/stored/table-codec.ts';
import { labelledPrefixes, seededRandom, tableOf } from '../../oracle/arbitraries.ts';
import { BigPrefix } from '../../oracle/big-prefix.ts';
import { times } from '../../fuzz.ts';
import { blocksOf, mixed } from './encoded-tables.ts';

/** A table in the shape of a full routing table: clustered, nested, mostly /24 and /48. */
function fullTable(rows: number, label: (i: number) => string): PrefixTable {
  const random = seededRandom(11);
  const builder = new PrefixTableBuilder();
  let ipv4 = 0x01000000;
  let ipv6 = 0x20010000;
  for (let i = 0; i < rows; i++) {
    if (i % 6 === 0) {
      ipv6 += random() % 4 === 0 ? random() % 64 : 0;
      const low = random() % 2 === 0 ? random() & 0xffff0000 : 0;
      builder.add('ipv6', [ipv6, low >>> 0, 0, 0], low === 0 ? 32 : 48, label(i));
    } else {
      ipv4 += random() % 4 === 0 ? (random() % 8192) * 256 : 256;
      const length = random() % 5 < 3 ? 24 : 16 + (random() % 8);
      builder.add('ipv4', [(ipv4 & (-1 << (32 - length))) >>> 0], length, label(i));
    }
  }
  return builder.build();
}

describe('encodeTable and decodeTable', () => {
  it('are inverse, and the hash follows from the content alone', () => {
    const shuffled = labelledPrefixes.chain((rows) =>
      fc.tuple(fc.constant(rows), fc.shuffledSubarray(rows, { minLength: rows.length })),
    );
    fc.assert(
      fc.property(shuffled, ([rows, reordered]) => {
        const table = tableOf(rows);
        const encoded = encodeTable(table);
        expect(decodeTable(encoded.manifest, blocksOf(encoded))).toEqual(table);
        expect(encodeTable(tableOf(reordered)).contentHash).toBe(encoded.contentHash);
        expect(encoded.contentHash).toMatch(/^[0-9a-f]{64}$/);
        expect(blockHashes(encoded.manifest)).toEqual(encoded.blocks.map(({ hash }) => hash));
      }),
      { numRuns: times(500) },
    );
  });

  it('give different content different hashes', () => {
    fc.assert(
      fc.property(labelledPrefixes, labelledPrefixes, (a, b) => {
        const [tableA, tableB] = [tableOf(a), tableOf(b)];
        const same = JSON.stringify(tableA) === JSON.stringify(tableB);
        expect(encodeTable(tableA).contentHash === encodeTable(tableB).contentHash).toBe(same);
      }),
    );
  });

  it('carry the empty table and the ends of both families', () => {
    for (const table of [emptyTable(), tableOf(mixed)]) {
      const encoded = encodeTable(table);
      expect(decodeTable(encoded.manifest, blocksOf(encoded))).toEqual(table);
    }
    expect(encodeTable(emptyTable()).blocks).toEqual([]);
  });

  it('carry many rows in many blocks, in at most 1.2 bytes a prefix', () => {
    const table = fullTable(100_000, () => '65000:1');
    const encoded = encodeTable(table);
    expect(encoded.blocks.length).toBeGreaterThan(5);
    expect(decodeTable(encoded.manifest, blocksOf(encoded))).toEqual(table);
    const bytes = encoded.blocks.reduce((sum, block) => sum + block.bytes.length, encoded.manifest.length);
    const rows = table.ipv4.size + table.ipv6.size;
    expect(encoded.blocks.reduce((sum, { count }) => sum + count, 0)).toBe(rows);
    expect(bytes / rows).toBeLessThanOrEqual(1.2);
  });

  it('carry many labels', () => {
    const table = fullTable(20_000, (i) => `entry-${i % 5000}-${'x'.repeat(40)}`);
    const encoded = encodeTable(table);
    expect(decodeTable(encoded.manifest, blocksOf(encoded))).toEqual(table);
  });

  it('share all blocks but a few between tables that differ in a few rows', () => {
    const table = fullTable(100_000, () => '65000:1');
    const builder = new PrefixTableBuilder();
    builder.addTable(table);
    builder.add('ipv4', [0x0a0a0a0a], 32, '65000:1');
    builder.add('ipv6', [0x20010db8, 0, 0, 1], 128, '65000:1');
    const known = new Set(encodeTable(table).blocks.map(({ hash }) => hash));
    const fresh = encodeTable(builder.build()).blocks.filter(({ hash }) => !known.has(hash));
    expect(fresh.length).toBeGreaterThan(0);
    expect(fresh.length).toBeLessThanOrEqual(6);
  });

  it('refuse to store what could not be read again', () => {
    const long = 'a'.repeat(2 ** 23);
    const builder = new PrefixTableBuilder();
    for (let row = 0; row < 40; row++) {
      builder.add('ipv4', [row], 32, long);
      builder.add('ipv4', [row], 32, `b${row}`);
    }
    expect(() => encodeTable(builder.build())).toThrow(/beyond 268435456/);
  });

  it('refuse to store a label that is not Unicode', () => {
    expect(() => encodeTable(tableOf([{ prefix: BigPrefix.all('ipv4'), label: '\ud800' }]))).toThrow(
      TypeError,
    );
  });
});
