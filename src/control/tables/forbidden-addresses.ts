/** Addresses that no cover takes in beside what it covers. Pure. */
import type { Family } from '../../core/address.ts';
import { parsePrefix } from '../../core/prefix.ts';
import { type PrefixSet, PrefixSetBuilder, subtract } from '../../core/sets/prefix-set.ts';
import { specialPurposeSet } from '../../core/sets/special-purpose.ts';
import { decodeStoredTable, type StoredTable } from '../../core/tables/stored-table.ts';

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
  builder.addSet(setOf(family, rules.protected));
  if (rules.allowed !== undefined && rules.allowed !== null)
    builder.addSet(subtract(setOf(family, ['0.0.0.0/0', '::/0']), setOf(family, rules.allowed)));
  for (const stored of rules.excluded) builder.addSet(decodeStoredTable(stored)[family]);
  if (rules.avoidsBogons) builder.addSet(specialPurposeSet(family));
  return builder.build();
}

/** Those of the family among these prefixes. */
function setOf(family: Family, prefixes: readonly string[]): PrefixSet {
  const builder = new PrefixSetBuilder(family);
  for (const text of prefixes) {
    const parsed = parsePrefix(text);
    if (parsed.ok && parsed.value.family === family) builder.add(parsed.value.words, parsed.value.length);
  }
  return builder.build();
}
