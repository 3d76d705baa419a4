import type { Address, Family } from '../core/address.ts';
import { matchesOf } from '../core/lookup.ts';
import { type OccupiedPlaces, mayContain, occupiedPlaces } from '../core/occupied-places.ts';
import type { PrefixTable } from '../core/prefix-table.ts';
import { formatPrefixAt } from '../core/prefix.ts';

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

/** The collected prefixes of all modules of a tenant, to be searched together. They never change. */
export class CollectedLists {
  readonly #lists: readonly SearchedList[];
  /** Of each list the number of its first label set; at last how many there are. */
  readonly #firstLabelSets: Uint32Array;

  /** @param lists in the order in which their matches are told */
  constructor(lists: readonly CollectedList[]) {
    this.#lists = lists.map((list) => ({ ...list, places: placesOf(list.table) }));
    let labelSets = 0;
    this.#firstLabelSets = new Uint32Array(lists.length + 1);
    lists.forEach(({ table }, place) => {
      labelSets += table.labelSets.length;
      this.#firstLabelSets[place + 1] = labelSets;
    });
  }

  /** Every prefix around the address: list by list, and in each the longest first. */
  find(address: Address): Collected[] {
    const found: Collected[] = [];
    this.#lists.forEach(({ table, places }, place) => {
      if (!mayContain(places[address.family], address)) return;
      const rows = table[address.family];
      for (const row of matchesOf(rows, address))
        found.push({
          labelSet: this.#firstLabelSets[place]! + rows.labels[row]!,
          prefix: formatPrefixAt(rows, row),
        });
    });
    return found;
  }

  /** Whose prefixes carry the label set, and the ids of the entries that they were collected from. */
  originOf(labelSet: number): { readonly moduleId: string; readonly entryIds: readonly string[] } {
    const place = this.#placeOf(labelSet);
    const { moduleId, table } = this.#lists[place]!;
    return { moduleId, entryIds: table.labelSets[labelSet - this.#firstLabelSets[place]!]! };
  }

  /** The list to which the label set belongs. */
  #placeOf(labelSet: number): number {
    let low = 0;
    let high = this.#lists.length;
    while (low + 1 < high) {
      const middle = (low + high) >>> 1;
      if (this.#firstLabelSets[middle]! <= labelSet) low = middle;
      else high = middle;
    }
    return low;
  }
}

interface SearchedList extends CollectedList {
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
