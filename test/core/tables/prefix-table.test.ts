import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  PrefixTableBuilder,
  emptyTable,
  relabelTable,
  rowsWithLabel,
  type PrefixTable,
} from '../../../src/core/tables/prefix-table.ts';
import { labelledPrefixes, modelOf, seededRandom, tableOf } from '../../oracle/arbitraries.ts';
import { BigPrefix, texts } from '../../oracle/big-prefix.ts';
import { LabelTable } from '../../oracle/label-table.ts';
import { expectWellFormed } from '../well-formed.ts';
import { times } from '../../fuzz.ts';

describe('PrefixTableBuilder', () => {
  it('joins labels by prefix as the oracle does, in canonical form', () => {
    fc.assert(
      fc.property(labelledPrefixes, (rows) => {
        const table = tableOf(rows);
        expectWellFormed(table);
        expect(LabelTable.of(table).lines).toEqual(modelOf(rows).lines);
      }),
      { numRuns: times(1000) },
    );
  });

  it('does not depend on the order of what is added', () => {
    const shuffled = labelledPrefixes.chain((rows) =>
      fc.tuple(fc.constant(rows), fc.shuffledSubarray(rows, { minLength: rows.length })),
    );
    fc.assert(
      fc.property(shuffled, ([rows, reordered]) => {
        expect(tableOf(reordered)).toEqual(tableOf(rows));
      }),
    );
  });

  it('does the same with many rows', () => {
    const random = seededRandom(3);
    const rows = Array.from({ length: 25_000 }, () => ({
      prefix: new BigPrefix('ipv4', BigInt(random() % 9_000) << 8n, 24),
      label: random() % 7 === 0 ? null : `label ${random() % 50}`,
    }));
    const table = tableOf(rows);
    expectWellFormed(table);
    expect(LabelTable.of(table).lines).toEqual(modelOf(rows).lines);
  });

  it('takes sets, rows and whole tables', () => {
    fc.assert(
      fc.property(labelledPrefixes, labelledPrefixes, (a, b) => {
        const builder = new PrefixTableBuilder();
        builder.addTable(tableOf(a));
        builder.addTable(tableOf(b));
        expect(builder.build()).toEqual(tableOf([...a, ...b]));
      }),
    );
    const table = new PrefixTableBuilder();
    table.addSet(tableOf([{ prefix: BigPrefix.all('ipv6'), label: null }]).ipv6, 'x');
    expect(table.build()).toMatchObject({ labelSets: [['x']], ipv6: { size: 1 } });
  });

  it('refuses what is no prefix', () => {
    const builder = new PrefixTableBuilder();
    expect(() => builder.add('ipv4', [1], 24, null)).toThrow(RangeError);
    expect(() => builder.add('ipv6', [0, 0, 0, 0], 129, null)).toThrow(RangeError);
  });

  it('builds the empty table', () => {
    expectWellFormed(emptyTable());
    expect(emptyTable()).toMatchObject({ labelSets: [], ipv4: { size: 0 }, ipv6: { size: 0 } });
  });
});

describe('rowsWithLabel', () => {
  it('picks the prefixes of one label', () => {
    fc.assert(
      fc.property(labelledPrefixes, (rows) => {
        const picked = rowsWithLabel(tableOf(rows), '65000:1');
        const wanted = modelOf(rows.filter(({ label }) => label === '65000:1')).prefixes;
        const found = [...BigPrefix.listOf(picked.ipv4), ...BigPrefix.listOf(picked.ipv6)];
        expect(texts(found).sort()).toEqual(texts(wanted).sort());
      }),
    );
  });
});

describe('relabelTable', () => {
  const relabelled = (table: PrefixTable): string[] =>
    LabelTable.of(
      relabelTable(table, (label) =>
        label === 'blackhole' ? null : label === '65000:2' ? '65000:1' : label,
      ),
    ).lines;

  it('replaces and drops labels and never loses a row', () => {
    fc.assert(
      fc.property(labelledPrefixes, (rows) => {
        const expected = rows.map(({ prefix, label }) => ({
          prefix,
          label: label === 'blackhole' ? null : label === '65000:2' ? '65000:1' : label,
        }));
        expect(relabelled(tableOf(rows))).toEqual(modelOf(expected).lines);
      }),
    );
  });
});
