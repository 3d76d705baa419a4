/** The route that a packet to an address follows, and whether another table has it as well. */
import type { Address } from '../../core/address.ts';
import { formatPrefixAt } from '../../core/prefix.ts';
import { matchesOf } from '../../core/tables/lookup.ts';
import type { PrefixRows, PrefixTable } from '../../core/tables/prefix-table.ts';

export interface SpecificRoute {
  readonly prefix: string;
  readonly labels: readonly string[];
}

/** Undefined: there is none. */
export function mostSpecific({ lengths }: PrefixRows, some: readonly number[]): number | undefined {
  return some.toSorted((a, b) => lengths[b]! - lengths[a]!)[0];
}

/** Null: no route has the address. */
export function specificRoute(table: PrefixTable, address: Address): SpecificRoute | null {
  const rows = table[address.family];
  const row = mostSpecific(rows, matchesOf(rows, address));
  if (row === undefined) return null;
  return { prefix: formatPrefixAt(rows, row), labels: table.labelSets[rows.labels[row]!]! };
}

/** Whether the table has the route, or one around the address that it may have been merged into or split from: with the same communities. */
export function hasRoute(table: PrefixTable, address: Address, { prefix, labels }: SpecificRoute): boolean {
  const rows = table[address.family];
  return matchesOf(rows, address).some(
    (row) => formatPrefixAt(rows, row) === prefix || isEqual(table.labelSets[rows.labels[row]!]!, labels),
  );
}

export function isEqual(labels: readonly string[], others: readonly string[]): boolean {
  return labels.length === others.length && labels.every((label, at) => label === others[at]);
}
