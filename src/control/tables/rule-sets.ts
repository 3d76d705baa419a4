/** What a firewall rule lists, as sets of each family: pure, and done in a thread where it is much. */
import { hashOfSet } from '../../bundle/ruleset.ts';
import { type Family, widthOf } from '../../core/address.ts';
import {
  PrefixSetBuilder,
  intersect,
  setOfRows,
  subtract,
  type PrefixSet,
} from '../../core/sets/prefix-set.ts';
import { setOfTexts } from '../../core/sets/set-of-texts.ts';
import type { PrefixRows, PrefixTable } from '../../core/tables/prefix-table.ts';
import { decodeStoredTable, type StoredTable } from '../../core/stored/stored-table.ts';
import { addressesOf, type Use } from './used-snapshots.ts';

/** What a rule draws on at one revision. */
export interface RuleSources {
  /** Null: there is no revision yet, or the rule draws on none. */
  readonly revision: StoredTable | null;
  /** Values of communities, of which the prefixes count. */
  readonly communities: readonly string[];
  readonly modules: readonly (Use & {
    readonly snapshot: StoredTable;
    /** The module takes addresses out of revisions, so it counts as it is. */
    readonly isExcluding: boolean;
  })[];
  readonly cidrs: readonly string[];
}

/** A set with the hash that rulesets name it by. */
export interface NamedSet {
  readonly set: PrefixSet;
  readonly hash: string;
}

export type SetsByFamily = Readonly<Record<Family, NamedSet>>;

export interface RuleSetsTask {
  readonly kind: 'rule_sets';
  readonly sources: RuleSources;
}

/** What was added, and what was removed, from one to the other. */
export interface SetDifferenceTask {
  readonly kind: 'set_difference';
  readonly before: PrefixSet;
  readonly after: PrefixSet;
}

export interface SetDifference {
  readonly added: PrefixSet;
  readonly removed: PrefixSet;
}

export function ruleSets({ sources }: RuleSetsTask): SetsByFamily {
  const revision = sources.revision === null ? null : decodeStoredTable(sources.revision);
  const snapshots = sources.modules.map(({ snapshot, ...rest }) => ({
    ...rest,
    table: decodeStoredTable(snapshot),
  }));
  const setOf = (family: Family): NamedSet => {
    const builder = new PrefixSetBuilder(family);
    if (revision !== null) builder.addSet(rowsOfCommunities(revision, family, sources.communities));
    for (const { isExcluding, ...used } of snapshots) {
      if (!used.families.includes(family)) continue;
      const contributed = addressesOf([used], family);
      // Without what other modules exclude.
      builder.addSet(
        isExcluding || revision === null ? contributed : intersect(contributed, setOfRows(revision[family])),
      );
    }
    builder.addSet(setOfTexts(family, sources.cidrs));
    const set = builder.build();
    return { set, hash: hashOfSet(set) };
  };
  return { ipv4: setOf('ipv4'), ipv6: setOf('ipv6') };
}

function rowsOfCommunities(
  { labelSets, ...table }: PrefixTable,
  family: Family,
  communities: readonly string[],
): PrefixSet {
  const isWanted = labelSets.map((labels) => labels.some((label) => communities.includes(label)));
  const rows: PrefixRows = table[family];
  const builder = new PrefixSetBuilder(family);
  const width = widthOf(family);
  for (let row = 0; row < rows.size; row++)
    if (isWanted[rows.labels[row]!] === true)
      builder.add(rows.words.subarray(row * width, (row + 1) * width), rows.lengths[row]!);
  return builder.build();
}

export function setDifference({ before, after }: SetDifferenceTask): SetDifference {
  return { added: subtract(after, before), removed: subtract(before, after) };
}
