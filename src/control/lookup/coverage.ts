/** How much of a prefix is announced: each of its addresses may have another answer. */
import type { Coverage } from '../../api/lookup/lookup.ts';
import { formatAddress } from '../../core/address.ts';
import { formatPrefixAt, prefixAt, type Prefix } from '../../core/prefix.ts';
import { PrefixSetBuilder, subtract } from '../../core/sets/prefix-set.ts';
import type { PrefixRows } from '../../core/tables/prefix-table.ts';
import type { LiveRoutes } from './lookup-state.ts';

/** Rows around the prefix and inside it, by address; `isCut`: more lie inside. */
type FindRows = (rows: PrefixRows) => { readonly found: readonly number[]; readonly isCut: boolean };

/** By the routes that are listed: where there are more, what lies behind them is not known. */
export function coverageOf(live: readonly LiveRoutes[], prefix: Prefix, find: FindRows): Coverage {
  const { family, words, length } = prefix;
  const [all, covered] = [new PrefixSetBuilder(family), new PrefixSetBuilder(family)];
  all.add(words, length);
  let count = 0;
  let end: Prefix | null = null;
  for (const { table } of live) {
    const rows = table[family];
    const { found, isCut } = find(rows);
    for (const row of found) {
      const route = prefixAt(rows, row);
      covered.add(route.words, route.length);
    }
    count += found.length;
    if (!isCut) continue;
    const last = prefixAt(rows, found.at(-1)!);
    if (end === null || isAfter(end, last)) end = last;
  }
  const left = subtract(all.build(), covered.build());
  if (left.size === 0) return { state: 'all', missing: null, address: null };
  const first = prefixAt(left, 0);
  // Routes that are not listed may have it, or what follows its first address.
  if (end !== null && isAfter(first, end)) return { state: 'unknown', missing: null, address: null };
  const address = formatAddress(first);
  const missing = end === null ? formatPrefixAt(left, 0) : address;
  return { state: count === 0 ? 'none' : 'part', missing, address };
}

function isAfter({ words: a }: Prefix, { words: b }: Prefix): boolean {
  const at = a.findIndex((word, i) => word !== b[i]);
  return at >= 0 && a[at]! > b[at]!;
}
