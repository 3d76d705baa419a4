import { zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { emptyTable, type PrefixTable } from '../../../src/core/tables/prefix-table.ts';
import { encodeBlock } from '../../../src/core/stored/table-block.ts';
import { TableCodecError, encodeTable } from '../../../src/core/stored/table-codec.ts';
import { MAX_DELTA_BYTES, applyDelta, encodeDelta } from '../../../src/core/stored/table-delta.ts';
import { type LabelledPrefix, labelledPrefixes, tableOf } from '../../oracle/arbitraries.ts';
import { BigPrefix } from '../../oracle/big-prefix.ts';
import { damaged, packed, varint } from '../damaged.ts';
import { expectWellFormed } from '../well-formed.ts';
import { times } from '../../fuzz.ts';

/** Two tables that share most of what they hold. */
const twoTables = fc
  .tuple(labelledPrefixes, labelledPrefixes, labelledPrefixes)
  .map(
    ([shared, a, b]) =>
      [
        tableOf([...shared, ...a.slice(0, 4)]),
        tableOf([...shared.slice(a.length >> 3), ...b.slice(0, 4)]),
      ] as const,
  );

function tryApply(base: PrefixTable, bytes: Uint8Array): PrefixTable | null {
  try {
    return applyDelta(base, bytes);
  } catch (error) {
    expect(error).toBeInstanceOf(TableCodecError);
    return null;
  }
}

const rows = (...prefixes: [number, number, string?][]): LabelledPrefix[] =>
  prefixes.map(([at, length, label]) => ({
    prefix: new BigPrefix('ipv4', BigInt(at), length),
    label: label ?? 'x',
  }));
const base = tableOf(
  rows(...Array.from({ length: 20 }, (_, i): [number, number] => [0x0a000000 + i * 256, 24]), [
    0x0b000000,
    8,
    'y',
  ]),
);
const after = tableOf(
  rows(
    ...Array.from({ length: 17 }, (_, i): [number, number, string] => [
      0x0a000000 + i * 256,
      24,
      i === 3 ? 'z' : 'x',
    ]),
    [0x0a000000, 23],
    [0x0b000000, 8, 'y'],
  ),
);

describe('a delta', () => {
  it('makes exactly the other table, whatever they share', () => {
    let carried = 0;
    fc.assert(
      fc.property(twoTables, ([before, table]) => {
        const delta = encodeDelta(before, table);
        if (delta === null) return;
        carried++;
        const made = applyDelta(before, delta);
        expect(made).toEqual(table);
        expect(encodeTable(made).contentHash).toBe(encodeTable(table).contentHash);
      }),
      { numRuns: times(1000) },
    );
    expect(carried).toBeGreaterThan(300);
  });

  it('drops label sets that no row has any more, and adds new ones', () => {
    const made = applyDelta(base, encodeDelta(base, after)!);
    expect(made).toEqual(after);
    expect(made.labelSets).toEqual([['x'], ['y'], ['z']]);
    const backwards = applyDelta(after, encodeDelta(after, base)!);
    expect(backwards).toEqual(base);
    expect(backwards.labelSets).toEqual([['x'], ['y']]);
  });

  it('of equal tables changes nothing, and of tables with little in common there is none', () => {
    expect(applyDelta(base, encodeDelta(base, base)!)).toEqual(base);
    expect(encodeDelta(emptyTable(), base)).toBeNull();
    expect(encodeDelta(base, emptyTable())).toBeNull();
  });

  it('that is damaged anywhere, or meets another base, is refused or makes a well-formed table', () => {
    const delta = encodeDelta(base, after)!;
    let refused = 0;
    for (const bytes of damaged(delta)) {
      const made = tryApply(base, bytes);
      if (made === null) refused++;
      else expectWellFormed(made);
    }
    expect(refused).toBeGreaterThan(delta.length);
    fc.assert(
      fc.property(labelledPrefixes, (other) => {
        const made = tryApply(tableOf(other), delta);
        if (made !== null) expectWellFormed(made);
      }),
    );
  });

  it('made of any bytes is refused or makes a well-formed table', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat({ max: 40 }), { maxLength: 30 }),
        fc.uint8Array({ maxLength: 60 }),
        (head, tail) => {
          const made = tryApply(base, packed(Uint8Array.from([...head, ...tail])));
          if (made !== null) expectWellFormed(made);
        },
      ),
      { numRuns: times(5_000, 2_000) },
    );
  });

  const block = encodeBlock(after.labelSets, after.ipv4, 0, 3);
  const fifth = encodeBlock(base.labelSets, base.ipv4, 4, 5);
  it.each([
    ['removes a row that is not there', [1, ...varint(base.ipv4.size), 0, 0, 0], /removes row 21 of 21/],
    ['removes more rows than there are', [22], /removes 22 rows of 21/],
    ['claims a billion rows', [0xff, 0xff, 0xff, 0xff, 0x0f], /removes 4294967295 rows/],
    [
      'removes a row and writes it',
      [1, 0, ...varint(block.length), ...block, 0, 0],
      /removes a row and writes it/,
    ],
    [
      'removes other rows, and one that it writes',
      [2, 1, 2, ...varint(fifth.length), ...fifth, 0, 0],
      /removes a row and writes it/,
    ],
    ['holds rows of the other family', [0, 0, 0, ...varint(block.length), ...block], /ipv4 rows where ipv6/],
    ['ends in a block', [0, ...varint(block.length + 1), ...block], /ends too early/],
    ['goes on behind its end', [0, 0, 0, 0, 0], /bytes behind its end/],
    ['is empty', [], /unpacked/],
  ])('that %s is refused', (_what, bytes, reported) => {
    expect(() => applyDelta(base, packed(Uint8Array.from(bytes)))).toThrow(reported);
    expect(() => applyDelta(base, packed(Uint8Array.from(bytes)))).toThrow(TableCodecError);
  });

  it('that makes a table larger than a table may be is refused', () => {
    const hosts = (from: number, size: number): PrefixTable => ({
      labelSets: [['x']],
      ipv4: {
        family: 'ipv4',
        size,
        words: Uint32Array.from({ length: size }, (_, i) => from + i),
        lengths: new Uint8Array(size).fill(32),
        labels: new Uint32Array(size),
      },
      ipv6: emptyTable().ipv6,
    });
    const many = hosts(0x10000000, 8_000_000);
    const content = encodeBlock(many.labelSets, many.ipv4, 0, many.ipv4.size);
    const delta = packed(
      Buffer.concat([Uint8Array.from([0, ...varint(content.length)]), content, Uint8Array.of(0, 0)]),
    );
    expect(delta.length).toBeLessThan(10_000);
    expect(() => applyDelta(hosts(0, 9_000_000), delta)).toThrow(/makes a table of 17000000 rows/);
  });

  it('that would fill the memory is refused', () => {
    const bomb = packed(new Uint8Array(MAX_DELTA_BYTES + 1));
    expect(bomb.length).toBeLessThan(10_000);
    expect(() => applyDelta(base, bomb)).toThrow(/can't be unpacked/);
    const frame = zstdCompressSync(new Uint8Array(MAX_DELTA_BYTES / 2 + 1));
    const two = Buffer.concat([
      Uint8Array.of(2),
      ...[frame, frame].flatMap((each) => [Uint8Array.from(varint(each.length)), each]),
    ]);
    expect(() => applyDelta(base, two)).toThrow(/can't be unpacked/);
  });
});
