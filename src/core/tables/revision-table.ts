/** Builds a revision from contributions: one minimal set per community, then one table of routes. */
import { FAMILIES, type Family } from '../address.ts';
import { type PrefixSet, PrefixSetBuilder, subtract } from '../sets/prefix-set.ts';
import { type PrefixTable, PrefixTableBuilder } from './prefix-table.ts';

/** What a module or an entry adds to a community; null: routes without a community. */
export interface Contribution {
  readonly community: string | null;
  readonly set: PrefixSet;
}

export interface RevisionInput {
  readonly contributions: Iterable<Contribution>;
  /** Addresses removed from every community. */
  readonly exclusions: Iterable<PrefixSet>;
}

export interface RevisionContent {
  readonly table: PrefixTable;
  /** Size of each community's minimal set. A community whose addresses are all excluded has zero. */
  readonly counts: Map<string | null, { ipv4: number; ipv6: number }>;
  /** Routes without a label. */
  readonly unlabelled: Readonly<Record<Family, number>>;
}

/**
 * For each community, the minimal set of prefixes that covers exactly the contributions minus the exclusions; then the routes: each prefix
 * in any of these sets, with all communities whose sets contain that very prefix. Prefixes merge within a community, never across
 * communities. A route that only the null community has carries no label.
 */
export function buildRevisionTable(input: RevisionInput): RevisionContent {
  const exclusions = setBuilders();
  for (const set of input.exclusions) exclusions[set.family].addSet(set);
  const excluded = { ipv4: exclusions.ipv4.build(), ipv6: exclusions.ipv6.build() };

  const builders = new Map<string | null, Record<Family, PrefixSetBuilder>>();
  for (const { community, set } of input.contributions) {
    let builder = builders.get(community);
    if (builder === undefined) {
      builder = setBuilders();
      builders.set(community, builder);
    }
    builder[set.family].addSet(set);
  }

  const routes = new PrefixTableBuilder();
  const counts: RevisionContent['counts'] = new Map();
  for (const [community, builder] of builders) {
    const count = { ipv4: 0, ipv6: 0 };
    for (const family of FAMILIES) {
      const set = subtract(builder[family].build(), excluded[family]);
      routes.addSet(set, community);
      count[family] = set.size;
    }
    counts.set(community, count);
  }
  const table = routes.build();
  return { table, counts, unlabelled: countUnlabelled(table) };
}

function countUnlabelled({ labelSets, ipv4, ipv6 }: PrefixTable): Record<Family, number> {
  const none = labelSets.findIndex(({ length }) => length === 0);
  const countIn = ({ labels }: PrefixTable[Family]): number =>
    none === -1 ? 0 : labels.reduce((sum, set) => (set === none ? sum + 1 : sum), 0);
  return { ipv4: countIn(ipv4), ipv6: countIn(ipv6) };
}

function setBuilders(): Record<Family, PrefixSetBuilder> {
  return { ipv4: new PrefixSetBuilder('ipv4'), ipv6: new PrefixSetBuilder('ipv6') };
}
