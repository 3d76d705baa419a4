/** Addresses that no cover takes in beside what it covers. */
import { FAMILIES, type Family } from '../address.ts';
import { type PrefixSet, PrefixSetBuilder, subtract } from '../sets/prefix-set.ts';
import { setOfTexts } from '../sets/set-of-texts.ts';
import { specialPurposeSet } from '../sets/special-purpose.ts';
import { formatPrefixAt } from '../tables/prefix-table.ts';
import { decodeStoredTable, type StoredTable } from '../stored/stored-table.ts';

export interface ForbiddenAddresses {
  readonly protected: readonly string[];
  /** Snapshots of modules that take addresses out. */
  readonly excluded: readonly StoredTable[];
  readonly avoidsBogons: boolean;
  /** Nothing else is allowed; absent or null: all is. */
  readonly allowed?: readonly string[] | null;
}

export function forbiddenOf(family: Family, rules: ForbiddenAddresses): PrefixSet {
  const builder = new PrefixSetBuilder(family);
  builder.addSet(setOfTexts(family, rules.protected));
  if (rules.allowed !== undefined && rules.allowed !== null)
    builder.addSet(subtract(setOfTexts(family, ['0.0.0.0/0', '::/0']), setOfTexts(family, rules.allowed)));
  for (const stored of rules.excluded) builder.addSet(decodeStoredTable(stored)[family]);
  if (rules.avoidsBogons) builder.addSet(specialPurposeSet(family));
  return builder.build();
}

/** The fewest prefixes that have exactly these addresses, as text. */
export function forbiddenPrefixes(rules: ForbiddenAddresses): string[] {
  return FAMILIES.flatMap((family) => {
    const set = forbiddenOf(family, rules);
    return Array.from({ length: set.size }, (_, row) => formatPrefixAt(set, row));
  });
}
