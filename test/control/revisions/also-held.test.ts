/** The order of two releases: what one loses that the other has, against revisions that are built in each order. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { alsoHeld } from '../../../src/control/revisions/also-held.ts';
import { buildRevision, type ModuleShare } from '../../../src/control/tables/build-revision.ts';
import { parsePrefix } from '../../../src/core/prefix.ts';
import { PrefixSetBuilder } from '../../../src/core/sets/prefix-set.ts';
import { type PrefixTable, prefixAt } from '../../../src/core/tables/prefix-table.ts';
import { times } from '../../fuzz.ts';

const COMMUNITIES = ['64500:1', '64500:2'] as const;
const known = COMMUNITIES.map((community) => ({ id: community, community, title: '' }));
/** Addresses by community. */
type Lists = Readonly<Partial<Record<(typeof COMMUNITIES)[number], readonly number[]>>>;

const ADDRESSES = 8;
const addresses = fc.uniqueArray(fc.nat(ADDRESSES - 1), { maxLength: 4 });
const anyLists = fc.record({ '64500:1': addresses, '64500:2': addresses });

function shareOf(lists: Lists, purpose: ModuleShare['purpose'] = 'announce'): ModuleShare {
  const contributions = Object.entries(lists).map(([community, some]) => {
    const builder = new PrefixSetBuilder('ipv4');
    for (const address of some) {
      const prefix = parsePrefix(`11.0.0.${address}/32`);
      if (prefix.ok) builder.add(prefix.value.words, prefix.value.length);
    }
    return { community: purpose === 'exclude' ? null : community, set: builder.build() };
  });
  return { purpose, contributions };
}

const tableOf = (shares: readonly ModuleShare[]): PrefixTable => buildRevision(shares, known).table;

/** `address` and `address community` of all routes. */
function placesOf(
  table: PrefixTable,
  rows = Array.from({ length: table.ipv4.size }, (_, row) => row),
): Set<string> {
  return new Set(
    rows.flatMap((row) => {
      const { words, length } = prefixAt(table.ipv4, row);
      const labels = table.labelSets[table.ipv4.labels[row]!]!;
      return Array.from({ length: 2 ** (32 - length) }, (_, at) => words[0]! + at).flatMap((address) => [
        `${address}`,
        ...labels.map((label) => `${address} ${label}`),
      ]);
    }),
  );
}

/** Rows of routes whose prefix the other table lacks. */
function withdrawnRows(before: PrefixTable, after: PrefixTable): number[] {
  const name = (table: PrefixTable, row: number): string =>
    `${table.ipv4.words[row]!}/${table.ipv4.lengths[row]!}`;
  const there = new Set(Array.from({ length: after.ipv4.size }, (_, row) => name(after, row)));
  return Array.from({ length: before.ipv4.size }, (_, row) => row).filter(
    (row) => !there.has(name(before, row)),
  );
}

describe('modules that are held together', () => {
  test('one has what the release of the other loses, or keeps what it brings', () => {
    fc.assert(
      fc.property(
        ...[anyLists, anyLists, anyLists, anyLists, anyLists, addresses],
        (ownBefore, ownAfter, otherBefore, otherAfter, third, excluded) => {
          const rest = [shareOf(third), shareOf({ '64500:1': excluded }, 'exclude')];
          const built = (own: Lists, other: Lists): PrefixTable =>
            tableOf([shareOf(own), shareOf(other), ...rest]);
          const before = built(ownBefore, otherBefore);
          const after = built(ownAfter, otherBefore);
          const both = built(ownAfter, otherAfter);
          const ids = ['own', 'other', 'third', 'excluding'];
          const shares = [shareOf(ownAfter), shareOf(otherBefore), ...rest].map((share, at) => ({
            ...share,
            moduleId: ids[at]!,
          }));
          const found = alsoHeld(
            before,
            after,
            { moduleId: 'own', before: shareOf(ownBefore).contributions, shares },
            [{ moduleId: 'other', name: 'Other', wanted: shareOf(otherAfter).contributions }],
          );
          const [is, comes] = [placesOf(after), placesOf(both)];
          const returning = withdrawnRows(before, after).filter((row) =>
            [...placesOf(before, [row])].some((place) => !is.has(place) && comes.has(place)),
          );
          expect(found[0]?.brings_back ?? 0).toBe(returning.length);
          const alone = placesOf(built(ownBefore, otherAfter));
          const saved = [...placesOf(before)].filter((place) => !alone.has(place) && comes.has(place));
          expect((found[0]?.keeps ?? 0) > 0).toBe(saved.length > 0);
        },
      ),
      { numRuns: times(500) },
    );
  });
});
