import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffTables } from '../../../src/core/tables/diff.ts';
import { PrefixTableBuilder, type PrefixTable } from '../../../src/core/tables/prefix-table.ts';
import {
  MAX_STEP,
  type StoredTable,
  type TableDelta,
  contentHashOf,
  decodeDiffering,
  decodeStoredTable,
  encodeAfter,
} from '../../../src/core/stored/stored-table.ts';
import { type EncodedTable, TableCodecError, encodeTable } from '../../../src/core/stored/table-codec.ts';
import { LabelTable } from '../../oracle/label-table.ts';
import { labelledPrefixes, seededRandom, tableOf } from '../../oracle/arbitraries.ts';
import { damaged } from '../damaged.ts';
import { expectWellFormed } from '../well-formed.ts';
import { times } from '../../fuzz.ts';

/** A store in memory: what was stored under each content hash. As the real one it keeps what it has, so that no base is among its own deltas. */
class Contents {
  readonly whole = new Map<string, EncodedTable>();
  readonly deltas = new Map<string, TableDelta>();

  put(encoded: EncodedTable | TableDelta | StoredTable): string {
    if ('whole' in encoded) return contentHashOf(encoded);
    if (this.whole.has(encoded.contentHash) || this.deltas.has(encoded.contentHash))
      return encoded.contentHash;
    if ('baseHash' in encoded) this.deltas.set(encoded.contentHash, encoded);
    else this.whole.set(encoded.contentHash, encoded);
    return encoded.contentHash;
  }

  get(contentHash: string): StoredTable {
    const deltas: TableDelta[] = [];
    let hash = contentHash;
    for (let delta = this.deltas.get(hash); delta !== undefined; delta = this.deltas.get(hash)) {
      deltas.unshift(delta);
      hash = delta.baseHash;
    }
    return { whole: wholeOf(this.whole.get(hash)!), deltas };
  }
}

function wholeOf({ contentHash, manifest, blocks }: EncodedTable): StoredTable['whole'] {
  return { contentHash, manifest, blocks: new Map(blocks.map(({ hash, bytes }) => [hash, bytes])) };
}

/** `rows` scattered /24s with one of three labels, without those of which `without` says so. */
function table(rows: number, without: (i: number) => boolean, seed = 5): PrefixTable {
  const random = seededRandom(seed);
  const builder = new PrefixTableBuilder();
  for (let i = 0; i < rows; i++) {
    const word = (random() & 0xffffff00) >>> 0;
    if (!without(i)) builder.add('ipv4', [word], 24, `65000:${i % 3}`);
  }
  return builder.build();
}

/** Version `n` of a table that always changes in a few rows. */
const version = (n: number): PrefixTable => table(6_000, (i) => i % 97 === n % 97 || i % 1009 === n);

describe('a table stored after another', () => {
  it('comes back exactly, through two whole tables and every length of chain', () => {
    const contents = new Contents();
    let last: string | null = null;
    for (let n = 0; n < MAX_STEP + 5; n++) {
      const next = version(n);
      last = contents.put(encodeAfter(next, last === null ? null : contents.get(last)));
      const stored = contents.get(last);
      expect(stored.deltas.length).toBe((n % (MAX_STEP + 1)).toString(2).replaceAll('0', '').length);
      if (n % 16 === 0 || stored.deltas.length > 6) expect(decodeStoredTable(stored)).toEqual(next);
      expect(last).toBe(encodeTable(next).contentHash);
    }
    expect(contents.whole.size).toBe(2);
  });

  it('may become again what it was', () => {
    const contents = new Contents();
    const hashes = [0, 1, 0, 2, 1].map((n, at, versions) =>
      contents.put(
        encodeAfter(
          version(n),
          at === 0 ? null : contents.get(encodeTable(version(versions[at - 1]!)).contentHash),
        ),
      ),
    );
    expect(hashes[2]).toBe(hashes[0]);
    for (const hash of hashes) expect(contentHashOf(contents.get(hash))).toBe(hash);
  });

  it('is never a delta of what it is made of', () => {
    const contents = new Contents();
    let parent: StoredTable | null = null;
    for (let n = 0; n < 16; n++) {
      parent = contents.get(contents.put(encodeAfter(version(n), parent)));
      for (const { contentHash } of [parent.whole, ...parent.deltas.slice(0, -1)]) {
        const before = contents.get(contentHash);
        if (before.deltas.length === parent.deltas.length) continue;
        expect(encodeAfter(decodeStoredTable(before), parent)).toHaveProperty('blocks');
      }
    }
  });

  it('is as good as the full encoding for any two tables', () => {
    fc.assert(
      fc.property(fc.array(labelledPrefixes, { minLength: 1, maxLength: 6 }), (versions) => {
        const contents = new Contents();
        const common = version(1);
        let parent: StoredTable | null = null;
        for (const rows of versions) {
          const builder = new PrefixTableBuilder();
          builder.addTable(common);
          builder.addTable(tableOf(rows));
          const next = builder.build();
          parent = contents.get(contents.put(encodeAfter(next, parent)));
          expect(decodeStoredTable(parent)).toEqual(next);
        }
        expect(contents.whole.size).toBe(1);
      }),
      { numRuns: times(30, 10) },
    );
  });

  it('is that other one when nothing changed, and whole when much did or little is at stake', () => {
    const contents = new Contents();
    const parent = contents.get(contents.put(encodeAfter(version(0), null)));
    expect(encodeAfter(version(0), parent)).toBe(parent);
    expect(
      encodeAfter(
        table(6_000, () => false, 6),
        parent,
      ),
    ).toHaveProperty('blocks');
    const small = contents.get(
      contents.put(
        encodeAfter(
          table(100, (i) => i === 7),
          null,
        ),
      ),
    );
    expect(
      encodeAfter(
        table(100, () => false),
        small,
      ),
    ).toHaveProperty('blocks');
  });

  it('costs a few bytes for each change', () => {
    const contents = new Contents();
    const parent = contents.get(
      contents.put(
        encodeAfter(
          table(100_000, () => false),
          null,
        ),
      ),
    );
    const after = table(100_000, (i) => i % 1000 === 0);
    const delta = encodeAfter(after, parent) as TableDelta;
    expect(delta.step).toBe(1);
    expect(delta.bytes.length).toBeLessThan(100 * 4);
  });
});

describe('damage of a stored table', () => {
  const contents = new Contents();
  const first = contents.get(contents.put(encodeAfter(version(0), null)));
  const second = contents.get(contents.put(encodeAfter(version(1), first)));
  const third = contents.get(contents.put(encodeAfter(version(2), second)));
  const fourth = contents.get(contents.put(encodeAfter(version(3), third)));
  const [toThird, toFourth] = fourth.deltas as [TableDelta, TableDelta];
  const refuse = (stored: StoredTable, reported: RegExp): void => {
    expect(() => decodeStoredTable(stored)).toThrow(reported);
    expect(() => decodeStoredTable(stored)).toThrow(TableCodecError);
  };

  it('is found in every truncation and every flipped bit of a delta, or is none', () => {
    let refused = 0;
    let tried = 0;
    for (const bytes of damaged(toFourth.bytes)) {
      if (tried++ % 7 !== 0) continue;
      const stored = { whole: fourth.whole, deltas: [toThird, { ...toFourth, bytes }] };
      try {
        expect(decodeStoredTable(stored)).toEqual(version(3));
      } catch (error) {
        expect(error).toBeInstanceOf(TableCodecError);
        refused++;
      }
    }
    expect(refused).toBeGreaterThan((tried / 7) * 0.9);
  });

  it('is found when a delta is missing, twice there, out of order, or of another table', () => {
    const { whole } = fourth;
    refuse({ whole, deltas: [toFourth] }, /The delta from [0-9a-f]{64} is missing/);
    refuse({ whole, deltas: [toThird, toThird, toFourth] }, /is missing/);
    refuse({ whole, deltas: [toFourth, toThird] }, /is missing/);
    refuse({ whole, deltas: [{ ...toThird, bytes: second.deltas[0]!.bytes }] }, /do not make the content/);
    const claim = { ...toThird, contentHash: toFourth.contentHash };
    refuse({ whole, deltas: [claim] }, /do not make the content/);
  });

  it('is found when the whole table is missing a block, or is another one', () => {
    const { whole, deltas } = fourth;
    refuse({ whole: { ...whole, blocks: new Map() }, deltas }, /The block [0-9a-f]{64} is missing/);
    const other = wholeOf(encodeTable(version(9)));
    refuse({ whole: { ...other, contentHash: whole.contentHash }, deltas }, /manifest is not that of/);
    refuse({ whole: other, deltas }, /is missing/);
    refuse({ whole: { ...whole, manifest: new Uint8Array(0) }, deltas: [] }, /manifest is not that of/);
  });

  it('is found when deltas go in a circle, at once', () => {
    const circle = { ...toThird, baseHash: toThird.contentHash };
    refuse({ whole: fourth.whole, deltas: [toThird, circle] }, /delta/);
    refuse({ whole: fourth.whole, deltas: Array<TableDelta>(9).fill(circle) }, /9 deltas, and 8 is the most/);
  });
});

describe('the difference of stored tables', () => {
  const linesOf = (before: PrefixTable, after: PrefixTable): unknown =>
    LabelTable.of(before).diff(LabelTable.of(after));

  it('is that of the tables, however each is stored', () => {
    const contents = new Contents();
    let parent: StoredTable | null = null;
    const hashes = Array.from({ length: 12 }, (_, n) => {
      const hash = contents.put(encodeAfter(version(n), parent));
      parent = contents.get(hash);
      return hash;
    });
    for (const [i, j] of [
      [0, 1],
      [0, 11],
      [3, 5],
      [5, 3],
      [7, 7],
      [4, 8],
      [11, 2],
    ] as const) {
      const stored = decodeDiffering(contents.get(hashes[i]!), contents.get(hashes[j]!));
      expect(linesOf(stored.before, stored.after)).toEqual(linesOf(version(i), version(j)));
      const whole = decodeDiffering(
        { whole: wholeOf(encodeTable(version(i))), deltas: [] },
        contents.get(hashes[j]!),
      );
      expect(linesOf(whole.before, whole.after)).toEqual(linesOf(version(i), version(j)));
    }
  });

  it('is found without reading the blocks that both share', () => {
    const [before, after] = [table(60_000, () => false), table(60_000, (i) => i === 30_000)].map((rows) => ({
      whole: wholeOf(encodeTable(rows)),
      deltas: [],
    })) as unknown as [StoredTable, StoredTable];
    const shared = [...before.whole.blocks.keys()].filter((hash) => after.whole.blocks.has(hash));
    expect(shared.length).toBeGreaterThan(2);
    const withoutShared = ({ whole, deltas }: StoredTable): StoredTable => ({
      whole: { ...whole, blocks: new Map([...whole.blocks].filter(([hash]) => !shared.includes(hash))) },
      deltas,
    });
    const differing = decodeDiffering(withoutShared(before), withoutShared(after));
    const diff = diffTables(differing.before, differing.after);
    expect([diff.announced, diff.withdrawn, diff.changed]).toEqual([0, 1, 0]);
    expect(diff.withdrawn).toBe(diffTables(decodeStoredTable(before), decodeStoredTable(after)).withdrawn);
  });

  it('is all that is read of tables that are stored whole: labels, families and ends included', () => {
    fc.assert(
      fc.property(labelledPrefixes, labelledPrefixes, fc.nat({ max: 2 }), (a, b, seed) => {
        const common = table(20_000, () => false);
        const [before, after] = [a, b].map((rows, side) => {
          const builder = new PrefixTableBuilder();
          if (seed !== side) builder.addTable(common);
          builder.addTable(tableOf(rows));
          return builder.build();
        }) as [PrefixTable, PrefixTable];
        const stored = [before, after].map((each) => ({ whole: wholeOf(encodeTable(each)), deltas: [] }));
        const differing = decodeDiffering(stored[0]!, stored[1]!);
        expectWellFormed(differing.before);
        expectWellFormed(differing.after);
        const found = diffTables(differing.before, differing.after);
        const expected = diffTables(before, after);
        expect(linesOf(differing.before, differing.after)).toEqual(linesOf(before, after));
        for (const family of ['ipv4', 'ipv6'] as const) {
          const changed = expected[family].changed.length / 2;
          expect(differing.before[family].size).toBe(expected[family].withdrawn.length + changed);
          expect(differing.after[family].size).toBe(expected[family].announced.length + changed);
        }
        expect(found.changed).toBe(expected.changed);
      }),
      { numRuns: times(60, 20) },
    );
  });

  it('is not taken out of a delta that is damaged or of another base, nor without a block', () => {
    const contents = new Contents();
    const parent = contents.get(contents.put(encodeAfter(version(0), null)));
    const child = contents.get(contents.put(encodeAfter(version(1), parent)));
    const [delta] = child.deltas as [TableDelta];
    let refused = 0;
    let tried = 0;
    for (const bytes of damaged(delta.bytes)) {
      if (tried++ % 7 !== 0) continue;
      try {
        const { before, after } = decodeDiffering(parent, {
          whole: child.whole,
          deltas: [{ ...delta, bytes }],
        });
        expect(linesOf(before, after)).toEqual(linesOf(version(0), version(1)));
      } catch (error) {
        expect(error).toBeInstanceOf(TableCodecError);
        refused++;
      }
    }
    expect(refused).toBeGreaterThan((tried / 7) * 0.9);
    const strange = { ...delta, baseHash: delta.contentHash };
    expect(() => decodeDiffering(parent, { whole: child.whole, deltas: [strange] })).toThrow(/is missing/);
    const other = { whole: wholeOf(encodeTable(version(9))), deltas: [] };
    const noBlocks = { whole: { ...other.whole, blocks: new Map<string, Uint8Array>() }, deltas: [] };
    expect(() => decodeDiffering(parent, noBlocks)).toThrow(/The block [0-9a-f]{64} is missing/);
  });
});
