/**
 * The routes that one peer is sent, in fewer prefixes: routes with the same labels are covered together (core/sets/fit.ts), so that no prefix
 * gains a label, and none covers addresses that the table has with other labels.
 */
import { FAMILIES, type Family, bitsOf, widthOf } from '../address.ts';
import { covers } from '../bits.ts';
import { percentRoundedUp } from '../percent.ts';
import type { PrefixList } from '../prefix.ts';
import { type SetToFit, fitSets } from '../sets/fit.ts';
import {
  type PrefixSet,
  PrefixSetBuilder,
  coveredAddresses,
  overlaps,
  setOfRows,
  subtract,
} from '../sets/prefix-set.ts';
import { LargestAdded } from './added-prefixes.ts';
import { type PrefixTable, PrefixTableBuilder, formatPrefixAt, pickRows } from '../tables/prefix-table.ts';

/** A few addresses beside a large table are to be seen. */
const PERCENT_DIGITS = 4;

export interface TableToFit {
  readonly table: PrefixTable;
  /** By label set: 1 if its rows are sent. */
  readonly sent: Readonly<Record<Family, Uint8Array>>;
  /** Of both families together. */
  readonly maximum: number;
  /** Addresses that are not covered where they are not in the routes already. */
  readonly forbidden: Readonly<Record<Family, PrefixSet>>;
  /** Length of the shortest prefix to be made; default 0. */
  readonly shortest?: Readonly<Record<Family, number>>;
}

export interface AddedAddresses {
  readonly addresses: bigint;
  /** Of the family's own, in percent with four digits. */
  readonly percent: number;
  /** The largest of them as prefixes, largest first. */
  readonly prefixes: readonly string[];
}

export interface FittedTable {
  /** Of the routes that are sent only. */
  readonly table: PrefixTable;
  readonly added: Readonly<Record<Family, AddedAddresses>>;
  /** Whether less is impossible with this division of the maximum between the families. */
  readonly optimal: boolean;
  /** The prefixes that add most, largest first. */
  readonly largest: readonly { readonly prefix: string; readonly addresses: bigint }[];
}

const MOST_NAMED = 10;

/**
 * At most `maximum` routes that cover what is sent, with the fewest addresses beside it; the families get their parts of the maximum by their sizes. O(n log n).
 * @throws {@link CannotFit} if that would cover what is forbidden, or addresses of other labels
 */
export function fitTable({ table, sent, maximum, forbidden, shortest }: TableToFit): FittedTable {
  const groups = { ipv4: groupsOf(table, sent, 'ipv4'), ipv6: groupsOf(table, sent, 'ipv6') };
  const shares = sharesOf(groups, maximum);
  const builder = new PrefixTableBuilder();
  const added: Record<Family, AddedAddresses> = { ipv4: NO_ADDED, ipv6: NO_ADDED };
  const largest: WiderPrefix[] = [];
  let optimal = true;
  for (const family of FAMILIES) {
    const some = groups[family];
    const own = some.reduce((sum, { set }) => sum + coveredAddresses(set), 0n);
    const isMany = some.reduce((sum, { set }) => sum + set.size, 0) > shares[family];
    const rest = { forbidden: forbidden[family], shortest: shortest?.[family] ?? 0 };
    const made = fitSets(
      some.map((group) => (isMany ? besideOthers(table, group, rest) : { ...group, forbidden: null })),
      shares[family],
    );
    const beside = new LargestAdded();
    for (const [index, { labels, set }] of some.entries()) {
      const fitted = made.sets[index]!;
      for (const label of labels.length === 0 ? [null] : labels) builder.addSet(fitted, label);
      if (fitted === set) continue;
      keepLargest(largest, widerPrefixes(set, fitted));
      beside.add(set, fitted);
    }
    optimal &&= made.optimal;
    const { overCoverage: addresses } = made;
    const percent = own === 0n ? 0 : percentRoundedUp(addresses, own, PERCENT_DIGITS);
    added[family] = { addresses, percent, prefixes: beside.prefixes };
  }
  return { table: builder.build(), added, optimal, largest };
}

export const NO_ADDED: AddedAddresses = { addresses: 0n, percent: 0, prefixes: [] };

/** Routes with the same labels. */
interface Group {
  readonly labelSet: number;
  readonly labels: readonly string[];
  readonly set: PrefixSet;
}

function groupsOf({ labelSets, ...rows }: PrefixTable, sent: TableToFit['sent'], family: Family): Group[] {
  return labelSets.flatMap((labels, labelSet) => {
    if (sent[family][labelSet] !== 1) return [];
    const set = setOfRows(
      pickRows(
        rows[family],
        labelSets.map((__, one) => one === labelSet),
      ),
    );
    return set.size === 0 ? [] : [{ labelSet, labels, set }];
  });
}

/** What of the maximum each family has: by its size, but room for each of its groups. */
function sharesOf(
  groups: Readonly<Record<Family, readonly Group[]>>,
  maximum: number,
): Record<Family, number> {
  const sizeOf = (family: Family): number => groups[family].reduce((sum, { set }) => sum + set.size, 0);
  const [size4, size6] = [sizeOf('ipv4'), sizeOf('ipv6')];
  if (size4 + size6 <= maximum) return { ipv4: size4, ipv6: size6 };
  const wanted = Math.round((maximum * size4) / (size4 + size6));
  const ipv4 = Math.max(groups.ipv4.length, Math.min(wanted, maximum - groups.ipv6.length));
  return { ipv4, ipv6: maximum - ipv4 };
}

/** Addresses that the table has with other labels belong to somebody else. */
function besideOthers(
  { labelSets, ...rows }: PrefixTable,
  { labelSet, set }: Group,
  rest: Pick<SetToFit, 'shortest'> & { readonly forbidden: PrefixSet },
): SetToFit {
  const builder = new PrefixSetBuilder(set.family);
  builder.addSet(rest.forbidden);
  builder.addSet(
    pickRows(
      rows[set.family],
      labelSets.map((_, one) => one !== labelSet),
    ),
  );
  return { ...rest, set, forbidden: builder.build() };
}

interface WiderPrefix {
  readonly prefix: string;
  /** Beside the set. */
  addresses: bigint;
}

/** The first of those that add most, largest first. There may be half a million. */
function keepLargest(largest: WiderPrefix[], more: readonly WiderPrefix[]): void {
  for (const one of more) {
    if (largest.length === MOST_NAMED && one.addresses <= largest.at(-1)!.addresses) continue;
    const place = largest.findIndex(({ addresses }) => addresses < one.addresses);
    largest.splice(place === -1 ? largest.length : place, 0, one);
    largest.length = Math.min(largest.length, MOST_NAMED);
  }
}

/** The prefixes of the cover that have addresses beside the set, with how many. O(n): both are in the order of addresses. */
function widerPrefixes(set: PrefixSet, fitted: PrefixSet): WiderPrefix[] {
  const { family, words, lengths } = fitted;
  const width = widthOf(family);
  const beside = subtract(fitted, set);
  const found: WiderPrefix[] = [];
  let row = 0;
  let last = -1;
  for (let at = 0; at < beside.size; at++) {
    while (!covers(words, row * width, lengths[row]!, beside.words, at * width)) row++;
    const addresses = 1n << BigInt(bitsOf(family) - beside.lengths[at]!);
    if (row === last) found.at(-1)!.addresses += addresses;
    else found.push({ prefix: formatPrefixAt(fitted, row), addresses });
    last = row;
  }
  return found;
}

/**
 * Of a cover that a peer has, what it may go on with beside newer routes that have no allowed cover: prefixes that still cover some of these, with the same
 * labels, and nothing that is forbidden now. O(n log n).
 */
export function keepCover(
  { table, sent, forbidden }: Omit<TableToFit, 'maximum'>,
  cover: PrefixTable,
): PrefixTable {
  const builder = new PrefixTableBuilder();
  for (const family of FAMILIES) {
    const covered = cover[family];
    for (const group of groupsOf(table, sent, family)) {
      const name = group.labels.join(' ');
      const had = pickRows(
        covered,
        cover.labelSets.map((labels) => labels.join(' ') === name),
      );
      const { forbidden: banned } = besideOthers(table, group, { forbidden: forbidden[family] });
      const beside = subtract(banned!, group.set);
      for (let row = 0; row < had.size; row++) {
        const one = rowAt(had, row);
        if (!overlaps(group.set, one) || overlaps(beside, one)) continue;
        for (const label of group.labels.length === 0 ? [null] : group.labels) builder.addSet(one, label);
      }
    }
  }
  return builder.build();
}

/** One row as a set. */
function rowAt({ family, words, lengths }: PrefixList, row: number): PrefixSet {
  const width = widthOf(family);
  return {
    ...{ family, size: 1, lengths: lengths.subarray(row, row + 1) },
    words: words.subarray(row * width, (row + 1) * width),
  };
}
