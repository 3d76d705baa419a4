import { FAMILIES, type Address, type Family } from '../../core/address.ts';
import { matchesOf, matchesOfPrefix } from '../../core/tables/lookup.ts';
import { type OccupiedPlaces, mayContain, occupiedPlaces } from '../../core/tables/occupied-places.ts';
import type { PrefixRows, PrefixTable } from '../../core/tables/prefix-table.ts';
import { formatPrefixAt, type Prefix } from '../../core/prefix.ts';
import { rowsInside } from '../../core/tables/rows-around.ts';
import { mergeLists } from './merge-lists.ts';
import { sizeOf } from '../tables/table-cache.ts';

/** With few lists there is little to win. */
const MERGED_FROM = 4;
/** Copying a million to the thread holds the event loop for some milliseconds. */
const MERGED_ROWS = 2_000_000;
/**
 * After as many searches as rows, lists have cost about as much as sorting them all does. That is done in a thread, while searches hold the
 * event loop and everybody behind it, so they are not let go on for as long.
 */
const ROWS_PER_SEARCH = 4;

/** Matches of one address, of which most have fewer. */
const FEW = 8;

/** What was last collected of a module. */
export interface CollectedList {
  readonly moduleId: string;
  readonly table: PrefixTable;
}

/** A prefix around the address. */
export interface Collected {
  /** Number of the label set among those of all lists, list after list. */
  readonly labelSet: number;
  readonly prefix: string;
}

/**
 * The collected prefixes of all modules of a tenant, to be searched together. They never change. At first each list is searched that
 * may hold the address; when that has been done often enough to be worth it, a thread merges all into one order, which is searched from then on.
 */
export class CollectedLists {
  readonly #origins: readonly Pick<CollectedList, 'moduleId'>[];
  readonly #labelSets: readonly PrefixTable['labelSets'][];
  /** Of each list the number of its first label set; at last how many there are. */
  readonly #firstLabelSets: Uint32Array;
  #lists: readonly SearchedList[];
  #merged: Readonly<Record<Family, PrefixRows>> | null = null;
  #searchesUntilMerged: number;

  /** @param lists in the order in which their matches are answered */
  constructor(lists: readonly CollectedList[]) {
    this.#origins = lists.map(({ moduleId }) => ({ moduleId }));
    this.#labelSets = lists.map(({ table }) => table.labelSets);
    this.#firstLabelSets = new Uint32Array(lists.length + 1);
    this.#labelSets.forEach(({ length }, place) => {
      this.#firstLabelSets[place + 1] = this.#firstLabelSets[place]! + length;
    });
    this.#lists = lists.map(({ table }) => ({ table, places: placesOf(table) }));
    const rows = lists.reduce((sum, { table: { ipv4, ipv6 } }) => sum + ipv4.size + ipv6.size, 0);
    const isWorthIt = lists.length >= MERGED_FROM && rows <= MERGED_ROWS;
    this.#searchesUntilMerged = isWorthIt ? rows / ROWS_PER_SEARCH : Infinity;
  }

  /** Memory of what is searched. */
  get bytes(): number {
    if (this.#merged !== null) return sizeOf(this.#merged);
    return this.#lists.reduce((sum, { table }) => sum + sizeOf(table), 0);
  }

  get isMerged(): boolean {
    return this.#merged !== null;
  }

  /** Every prefix around the address: list by list, and in each the longest first. */
  find(address: Address): Collected[] {
    return this.#merged === null ? this.#findInEach(address) : this.#findInAll(this.#merged, address);
  }

  /** Every prefix that contains this one, as {@link find}; then the first `most` of all that lie inside it. */
  findInPrefix(prefix: Prefix, most: number): { found: Collected[]; isCut: boolean } {
    const { family } = prefix;
    const lists =
      this.#merged === null
        ? this.#lists.map(({ table }, place) => ({
            rows: table[family],
            first: this.#firstLabelSets[place]!,
          }))
        : [{ rows: this.#merged[family], first: 0 }];
    const present = (find: (rows: PrefixRows) => number[]): Collected[] =>
      lists
        .flatMap(({ rows, first }) =>
          find(rows).map((row) => ({
            labelSet: first + rows.labels[row]!,
            prefix: formatPrefixAt(rows, row),
          })),
        )
        .sort((a, b) => this.#placeOf(a.labelSet) - this.#placeOf(b.labelSet));
    const inside = present((rows) => rowsInside(rows, prefix, most + 1));
    const around = present((rows) => matchesOfPrefix(rows, prefix));
    return { found: [...around, ...inside.slice(0, most)], isCut: inside.length > most };
  }

  /** Whose prefixes carry the label set, and the ids of the entries that they were collected from. */
  originOf(labelSet: number): { readonly moduleId: string; readonly entryIds: readonly string[] } {
    const place = this.#placeOf(labelSet);
    const entryIds = this.#labelSets[place]![labelSet - this.#firstLabelSets[place]!]!;
    return { ...this.#origins[place]!, entryIds };
  }

  /** Merges the lists; where that fails they stay as they are, which is slower and no less right. */
  async merge(): Promise<void> {
    this.#searchesUntilMerged = Infinity;
    const [ipv4 = [], ipv6 = []] = FAMILIES.map((family) => this.#lists.map(({ table }) => table[family]));
    const task = { parts: { ipv4, ipv6 }, firstLabels: this.#firstLabelSets };
    this.#merged = await mergeLists(task).catch(() => null);
    // The tables are kept by whoever else needs them.
    if (this.#merged !== null) this.#lists = [];
  }

  #findInEach(address: Address): Collected[] {
    const found: Collected[] = [];
    this.#lists.forEach(({ table, places }, place) => {
      if (!mayContain(places[address.family], address)) return;
      this.#searchesUntilMerged--;
      const rows = table[address.family];
      for (const row of matchesOf(rows, address)) {
        const labelSet = this.#firstLabelSets[place]! + rows.labels[row]!;
        found.push({ labelSet, prefix: formatPrefixAt(rows, row) });
      }
    });
    if (this.#searchesUntilMerged < 0) void this.merge();
    return found;
  }

  #findInAll(merged: Readonly<Record<Family, PrefixRows>>, address: Address): Collected[] {
    const rows = merged[address.family];
    const found = matchesOf(rows, address).map((row) => ({
      labelSet: rows.labels[row]!,
      prefix: formatPrefixAt(rows, row),
    }));
    // The longest are first already, and those of one list stay as they are.
    return found.length > FEW
      ? found.sort((a, b) => this.#placeOf(a.labelSet) - this.#placeOf(b.labelSet))
      : this.#sortFew(found);
  }

  /** The same without the memory that `sort` takes: of one or two it is as much as the search for them. */
  #sortFew(found: Collected[]): Collected[] {
    for (let next = 1; next < found.length; next++) {
      const moved = found[next]!;
      const place = this.#placeOf(moved.labelSet);
      let at = next;
      for (; at > 0 && this.#placeOf(found[at - 1]!.labelSet) > place; at--) found[at] = found[at - 1]!;
      found[at] = moved;
    }
    return found;
  }

  /** The list to which the label set belongs. */
  #placeOf(labelSet: number): number {
    let low = 0;
    let high = this.#labelSets.length;
    while (low + 1 < high) {
      const middle = (low + high) >>> 1;
      if (this.#firstLabelSets[middle]! <= labelSet) low = middle;
      else high = middle;
    }
    return low;
  }
}

interface SearchedList {
  readonly table: PrefixTable;
  readonly places: Readonly<Record<Family, OccupiedPlaces>>;
}

const placesByTable = new WeakMap<PrefixTable, SearchedList['places']>();

/** Tables never change, so this is worked out once. */
function placesOf(table: PrefixTable): SearchedList['places'] {
  const known = placesByTable.get(table);
  if (known !== undefined) return known;
  const places = { ipv4: occupiedPlaces(table.ipv4), ipv6: occupiedPlaces(table.ipv6) };
  placesByTable.set(table, places);
  return places;
}
