/** The routes that remain when the tenant's policy no longer allows some. Pure. */
import { FAMILIES, type Family, widthOf } from '../core/address.ts';
import { type PrefixSet, PrefixSetBuilder, intersect, setOfRows } from '../core/sets/prefix-set.ts';
import type { PrefixRows, PrefixTable } from '../core/tables/prefix-table.ts';
import { buildRevisionTable, type Contribution } from '../core/tables/revision-table.ts';
import { groupByLabel, listsByLabel } from '../core/tables/rows-by-label.ts';
import { holdsRow } from '../core/sets/within.ts';
import { type AllowedSets, allowedSets, allowsCommunity } from './limits.ts';
import type { PolicyGuardrail } from './policy-guardrail.ts';

/** The contributions without the addresses and communities that the policy does not allow. O(prefixes). */
export function limitContributions(
  contributions: readonly Contribution[],
  policy: PolicyGuardrail,
): readonly Contribution[] {
  const allowed = allowedSets(policy.prefixes);
  return contributions
    .filter(({ community }) => community === null || mayCarry(policy, community))
    .map(({ community, set }) => ({ community, set: within(set, allowed) }));
}

/** Whether the policy allows every route. O(rows x log(prefixes)). */
export function isWithinPolicy(table: PrefixTable, policy: PolicyGuardrail): boolean {
  const allowed = allowedSets(policy.prefixes);
  const areBad = table.labelSets.map((labels) => labels.some((label) => !mayCarry(policy, label)));
  const isOutside = (rows: PrefixRows, row: number): boolean =>
    areBad[rows.labels[row]!]! || (allowed !== null && !holdsRow(allowed[rows.family], rows, row));
  return FAMILIES.every((family) => {
    const rows = table[family];
    for (let row = 0; row < rows.size; row++) if (isOutside(rows, row)) return false;
    return true;
  });
}

/** The routes that the policy allows; the same table if it allows all. O(rows x log(prefixes)). */
export function limitRoutes(table: PrefixTable, policy: PolicyGuardrail): PrefixTable {
  return isWithinPolicy(table, policy)
    ? table
    : buildRevisionTable({ contributions: limitContributions(labelled(table), policy), exclusions: [] })
        .table;
}

function mayCarry({ communities, foreignNextHops }: PolicyGuardrail, community: string): boolean {
  return allowsCommunity(communities, community) && !foreignNextHops.includes(community);
}

function within(set: PrefixSet, allowed: AllowedSets): PrefixSet {
  return allowed === null ? set : intersect(set, allowed[set.family]);
}

/** The table, community by community. */
function labelled(table: PrefixTable): Contribution[] {
  const lists = listsByLabel(groupByLabel(table));
  const carrying = [...lists].flatMap(([community, list]) =>
    FAMILIES.map((family) => ({ community, set: setOfRows(list[family]) })),
  );
  return [...carrying, ...FAMILIES.map((family) => ({ community: null, set: unlabelled(table, family) }))];
}

/** The routes without a community. */
function unlabelled({ labelSets, ...table }: PrefixTable, family: Family): PrefixSet {
  const { words, lengths, labels, size } = table[family];
  const width = widthOf(family);
  const set = new PrefixSetBuilder(family);
  for (let row = 0; row < size; row++)
    if (labelSets[labels[row]!]!.length === 0)
      set.add(words.subarray(row * width, (row + 1) * width), lengths[row]!);
  return set.build();
}
