import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addressRange, changesAround, encodeChanges } from '../../../src/core/stored/change-list.ts';
import { formatPrefix, parsePrefix, type Prefix } from '../../../src/core/prefix.ts';
import { type PrefixTable, PrefixTableBuilder } from '../../../src/core/tables/prefix-table.ts';
import { rowsAround } from '../../../src/core/tables/rows-around.ts';
import { LabelTable } from '../../oracle/label-table.ts';
import { BigPrefix } from '../../oracle/big-prefix.ts';

function valueOf(text: string): Prefix {
  const parsed = parsePrefix(text);
  if (!parsed.ok) throw new Error(parsed.reason);
  return parsed.value;
}

/** Prefixes close enough to contain each other, with one of few labels or none. */
const rows = fc.array(
  fc.record({
    family: fc.constantFrom('ipv4' as const, 'ipv6' as const),
    bits: fc.nat(255),
    length: fc.integer({ min: 0, max: 8 }),
    label: fc.constantFrom(null, 'a', 'b'),
  }),
  { maxLength: 40 },
);

function prefixOf({
  family,
  bits,
  length,
}: {
  family: 'ipv4' | 'ipv6';
  bits: number;
  length: number;
}): Prefix {
  const first = (((bits << 24) >>> 0) & (length === 0 ? 0 : -1 << (32 - length))) >>> 0;
  return { family, length, words: family === 'ipv4' ? [first] : [first, 0, 0, 0] };
}

function tableOf(some: readonly (Parameters<typeof prefixOf>[0] & { label: string | null })[]): PrefixTable {
  const builder = new PrefixTableBuilder();
  for (const row of some) {
    const { family, words, length } = prefixOf(row);
    builder.add(family, words, length, row.label);
  }
  return builder.build();
}

function meet(a: BigPrefix, b: BigPrefix): boolean {
  return a.family === b.family && (a.contains(b.first) || b.contains(a.first));
}

const bigOf = ({ family, words, length }: Prefix): BigPrefix => BigPrefix.of(family, words, length);

test('around each prefix the pieces say what became of those that contain it or lie inside it', () => {
  fc.assert(
    fc.property(rows, rows, fc.nat(255), fc.nat(8), (before, after, bits, length) => {
      const [was, is] = [tableOf(before), tableOf(after)];
      const [earlier, later] = [LabelTable.of(was), LabelTable.of(is)];
      const pieces = encodeChanges(was, is);
      for (const family of ['ipv4', 'ipv6'] as const) {
        const around = prefixOf({ family, bits, length });
        const asked = addressRange(around);
        const reached = pieces.filter(
          (piece) =>
            piece.family === family &&
            Buffer.compare(piece.first, asked.last) <= 0 &&
            Buffer.compare(piece.last, asked.first) >= 0,
        );
        const found = reached.flatMap((piece) => changesAround(piece.bytes, around));
        const textOf = (labels: readonly string[] | null): string | undefined =>
          labels === null ? undefined : JSON.stringify(labels);
        const wanted = new Set(
          [...earlier.prefixes, ...later.prefixes]
            .filter((one) => meet(one, bigOf(around)))
            .map(({ text }) => text),
        );
        expect(new Set(found.map(({ prefix }) => bigOf(prefix).text))).toEqual(wanted);
        for (const { prefix, before: had, after: has } of found) {
          const { text } = bigOf(prefix);
          expect([textOf(had), textOf(has)]).toEqual([earlier.labelsOf(text), later.labelsOf(text)]);
        }
        const own = rowsAround(was, around, 1_000)!.map(({ prefix }) => bigOf(prefix).text);
        expect(own).toHaveLength(new Set(own).size);
        expect(new Set(own)).toEqual(
          new Set(earlier.prefixes.filter((one) => meet(one, bigOf(around))).map(({ text }) => text)),
        );
      }
    }),
  );
});

test('many changes are cut into pieces, of which one prefix needs few', () => {
  const builder = new PrefixTableBuilder();
  for (let i = 0; i < 5_000; i++) builder.add('ipv4', [(0x0a000000 + i * 256) >>> 0], 24, 'a');
  builder.add('ipv4', [0x0a000000], 8, 'b');
  const pieces = encodeChanges(new PrefixTableBuilder().build(), builder.build());
  expect(pieces.length).toBeGreaterThan(5);
  const around = valueOf('10.10.0.1');
  const { first } = addressRange(around);
  const reached = pieces.filter(
    (piece) => Buffer.compare(piece.first, first) <= 0 && Buffer.compare(piece.last, first) >= 0,
  );
  expect(reached).toHaveLength(2);
  const found = reached.flatMap((piece) => changesAround(piece.bytes, around));
  expect(found.map(({ prefix }) => formatPrefix(prefix))).toEqual(['10.0.0.0/8', '10.10.0.0/24']);
});

test('more rows than are wanted are not listed, and damaged pieces are refused', () => {
  const builder = new PrefixTableBuilder();
  for (let i = 0; i < 4; i++) builder.add('ipv4', [(0x0a000000 + i * 256) >>> 0], 24, null);
  const table = builder.build();
  expect(rowsAround(table, valueOf('10.0.0.0/22'), 4)).toHaveLength(4);
  expect(rowsAround(table, valueOf('10.0.0.0/22'), 3)).toBeNull();
  expect(() => changesAround(Uint8Array.of(9, 9, 9), valueOf('10.0.0.0/22'))).toThrow(/can't be unpacked/);
});
