import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FAMILIES, type Family } from '../../../src/core/address.ts';
import { buildRevisionTable } from '../../../src/core/tables/revision-table.ts';
import { rowsWithLabel } from '../../../src/core/tables/prefix-table.ts';
import { AddressRanges } from '../../oracle/address-ranges.ts';
import { family, prefixes, setOf } from '../../oracle/arbitraries.ts';
import { BigPrefix, texts } from '../../oracle/big-prefix.ts';
import { LabelTable } from '../../oracle/label-table.ts';
import { expectWellFormed } from '../well-formed.ts';
import { times } from '../../fuzz.ts';

const COMMUNITIES = ['65000:1', '65000:2', 'blackhole', null];

const contribution = family.chain((of) =>
  fc.record({ family: fc.constant(of), community: fc.constantFrom(...COMMUNITIES), list: prefixes(of, 25) }),
);
const exclusion = family.chain((of) => fc.record({ family: fc.constant(of), list: prefixes(of, 8) }));

function prefixSets(list: readonly { readonly family: Family; readonly list: readonly BigPrefix[] }[]) {
  return list.map(({ family: of, list: from }) => setOf(of, from));
}

function block(text: string): BigPrefix {
  const [quad, length] = text.split('/') as [string, string];
  const first = quad.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);
  return new BigPrefix('ipv4', first, Number(length));
}

describe('buildRevisionTable', () => {
  it('holds for each community exactly the minimal cover of what was contributed minus the exclusions', () => {
    const input = fc.record({
      contributions: fc.array(contribution, { maxLength: 6 }),
      exclusions: fc.array(exclusion, { maxLength: 2 }),
    });
    fc.assert(
      fc.property(input, ({ contributions, exclusions }) => {
        const { table, counts, unlabelled } = buildRevisionTable({
          contributions: contributions.map(({ community, family: of, list }) => ({
            community,
            set: setOf(of, list),
          })),
          exclusions: prefixSets(exclusions),
        });
        expectWellFormed(table);
        const expected = new LabelTable();
        expect([...counts.keys()].sort()).toEqual([...new Set(contributions.map((c) => c.community))].sort());
        for (const community of counts.keys()) {
          for (const of of FAMILIES) {
            const listsOf = (from: readonly { family: Family; list: BigPrefix[] }[]): BigPrefix[] =>
              from.filter((part) => part.family === of).flatMap((part) => part.list);
            const cover = AddressRanges.of(listsOf(contributions.filter((c) => c.community === community)))
              .subtract(AddressRanges.of(listsOf(exclusions)))
              .minimalCover(of);
            for (const prefix of cover) expected.add(prefix, community);
            expect(counts.get(community)![of]).toBe(cover.length);
            if (community !== null) {
              expect(texts(BigPrefix.listOf(rowsWithLabel(table, community)[of]))).toEqual(texts(cover));
            }
          }
        }
        expect(LabelTable.of(table).lines).toEqual(expected.lines);
        for (const of of FAMILIES) {
          const labelled = new Set(table.labelSets.flat());
          const carried = new Set(
            [...labelled].flatMap((label) => texts(BigPrefix.listOf(rowsWithLabel(table, label)[of]))),
          );
          expect(unlabelled[of]).toBe(table[of].size - carried.size);
        }
      }),
      { numRuns: times(500) },
    );
  });

  it('merges within a community and never across', () => {
    const halves = block('10.0.0.0/8').halves;
    const { table } = buildRevisionTable({
      contributions: [
        { community: 'a', set: setOf('ipv4', [halves[0]]) },
        { community: 'a', set: setOf('ipv4', [halves[1]]) },
        { community: 'b', set: setOf('ipv4', [halves[0]]) },
        { community: 'c', set: setOf('ipv4', [halves[0]]) },
        { community: null, set: setOf('ipv4', [halves[0], block('11.0.0.0/8')]) },
      ],
      exclusions: [],
    });
    const expected = new LabelTable();
    expected.add(block('10.0.0.0/8'), 'a');
    expected.add(halves[0], 'b');
    expected.add(halves[0], 'c');
    expected.add(block('11.0.0.0/8'), null);
    expect(LabelTable.of(table).lines).toEqual(expected.lines);
    expect(table.labelSets).toEqual([[], ['a'], ['b', 'c']]);
  });

  it('counts a community whose addresses are all excluded as zero', () => {
    const set = setOf('ipv4', [block('10.0.0.0/8')]);
    const { table, counts } = buildRevisionTable({
      contributions: [{ community: 'a', set }],
      exclusions: [set],
    });
    expect(table.ipv4.size).toBe(0);
    expect(counts.get('a')).toEqual({ ipv4: 0, ipv6: 0 });
  });
});
