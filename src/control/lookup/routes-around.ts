/** The routes around an address, of which a packet follows the most specific one, and whether two of them are the same to it. */
import type { Address } from '../../core/address.ts';
import { formatPrefix } from '../../core/prefix.ts';
import { containingPrefixes } from '../../core/tables/lookup.ts';
import type { PrefixTable } from '../../core/tables/prefix-table.ts';

/** A route around an address. */
export interface RouteAround {
  readonly prefix: string;
  readonly labels: readonly string[];
}

/** The routes that have the address, the most specific first: a packet follows that one. */
export function routesAround(table: PrefixTable, address: Address): RouteAround[] {
  return containingPrefixes(table, address).map(({ prefix, labels }) => ({
    prefix: formatPrefix(prefix),
    labels,
  }));
}

/** Of two routes around an address: whether they are in the same prefix, or may have been merged or split, as those of the same communities are. */
export function isSameRoute(one: RouteAround, other: RouteAround): boolean {
  return one.prefix === other.prefix || isEqual(one.labels, other.labels);
}

export function isEqual(labels: readonly string[], others: readonly string[]): boolean {
  return labels.length === others.length && labels.every((label, at) => label === others[at]);
}
