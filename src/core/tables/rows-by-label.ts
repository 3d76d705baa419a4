/** The rows of a table by label: what each entry of a module contributed to its snapshot. */
import { FAMILIES, type Family, widthOf } from '../address.ts';
import { PrefixBuffer } from '../prefix-buffer.ts';
import { type PrefixTable, PrefixTableBuilder } from './prefix-table.ts';
import type { PrefixList } from '../prefix.ts';

/** Prefixes of one label, as collected: sorted and distinct only if they come from a table. */
export type RowsOfLabel = Readonly<Record<Family, PrefixList>>;

/**
 * Rows of one family grouped by label: those of `labels[i]` go from `ends[i - 1]` to `ends[i]` (not included). There are few columns
 * however many labels there are, so transfers between threads are fast.
 */
export interface LabelledRows {
  readonly labels: readonly string[];
  readonly ends: Uint32Array;
  readonly rows: PrefixList;
}

/** Lists of at least this many rows have their own memory, which can be transferred without the others. */
const LARGE = 65_536;

/** The rows of every label of the table; a row with several labels is in each group. Labels without rows of a family are left out. */
export function groupByLabel(table: PrefixTable): LabelledRows[] {
  return FAMILIES.flatMap((family) => groupRows(table, family));
}

/** Where the next row of a label is written. */
interface Place {
  readonly words: Uint32Array;
  readonly lengths: Uint8Array;
  next: number;
}

function groupRows(table: PrefixTable, family: Family): LabelledRows[] {
  const { size, words, lengths, labels: setOfRow } = table[family];
  const width = widthOf(family);
  const counts = countRows(table, family);
  const isLarge = (label: string): boolean => counts.get(label)! >= LARGE;
  const labels = [...counts.keys()];
  const parts = labels.filter(isLarge).map((label) => partOf(family, [label], counts));
  const small = labels.filter((label) => !isLarge(label));
  if (small.length > 0) parts.push(partOf(family, small, counts));
  const places = new Map<string, Place>();
  for (const { labels: some, ends, rows } of parts) {
    some.forEach((label, i) => {
      places.set(label, { words: rows.words, lengths: rows.lengths, next: ends[i]! - counts.get(label)! });
    });
  }
  const placesOfSet = table.labelSets.map((set) => set.map((label) => places.get(label)!));
  for (let row = 0; row < size; row++) {
    for (const place of placesOfSet[setOfRow[row]!]!) {
      const to = place.next++;
      for (let w = 0; w < width; w++) place.words[to * width + w] = words[row * width + w]!;
      place.lengths[to] = lengths[row]!;
    }
  }
  return parts;
}

function countRows({ labelSets, ...table }: PrefixTable, family: Family): Map<string, number> {
  const rowsOfSet = new Uint32Array(labelSets.length);
  for (const set of table[family].labels) rowsOfSet[set]!++;
  const counts = new Map<string, number>();
  labelSets.forEach((set, i) => {
    if (rowsOfSet[i] === 0) return;
    for (const label of set) counts.set(label, (counts.get(label) ?? 0) + rowsOfSet[i]!);
  });
  return counts;
}

/** Room for the rows of these labels. */
function partOf(
  family: Family,
  labels: readonly string[],
  counts: ReadonlyMap<string, number>,
): LabelledRows {
  let size = 0;
  const ends = Uint32Array.from(labels, (label) => (size += counts.get(label)!));
  const rows = {
    family,
    size,
    words: new Uint32Array(size * widthOf(family)),
    lengths: new Uint8Array(size),
  };
  return { labels, ends, rows };
}

/** The lists of each label, without copying a row. */
export function listsByLabel(parts: readonly LabelledRows[]): Map<string, RowsOfLabel> {
  const lists = new Map<string, Record<Family, PrefixList>>();
  for (const part of parts) {
    for (const { label, list } of listsOf(part)) {
      let rows = lists.get(label);
      if (rows === undefined) lists.set(label, (rows = { ...NO_ROWS }));
      rows[list.family] = list;
    }
  }
  return lists;
}

const NO_ROWS: RowsOfLabel = {
  ipv4: { family: 'ipv4', size: 0, words: new Uint32Array(0), lengths: new Uint8Array(0) },
  ipv6: { family: 'ipv6', size: 0, words: new Uint32Array(0), lengths: new Uint8Array(0) },
};

function* listsOf({ labels, ends, rows }: LabelledRows): Generator<{ label: string; list: PrefixList }> {
  const width = widthOf(rows.family);
  let from = 0;
  for (const [i, label] of labels.entries()) {
    const to = ends[i]!;
    const words = rows.words.subarray(from * width, to * width);
    yield {
      label,
      list: { family: rows.family, size: to - from, words, lengths: rows.lengths.subarray(from, to) },
    };
    from = to;
  }
}

/** The lists in few columns: large ones unchanged, the small ones of a family joined. */
export function joinLists(lists: ReadonlyMap<string, RowsOfLabel>): LabelledRows[] {
  return FAMILIES.flatMap((family) => {
    const small = { labels: [] as string[], ends: [] as number[], rows: new PrefixBuffer(family) };
    const joined: LabelledRows[] = [];
    for (const [label, { [family]: list }] of lists) {
      if (list.size >= LARGE) joined.push({ labels: [label], ends: Uint32Array.of(list.size), rows: list });
      else if (list.size > 0) {
        small.rows.pushAll(list);
        small.labels.push(label);
        small.ends.push(small.rows.size);
      }
    }
    if (small.labels.length === 0) return joined;
    return [
      ...joined,
      { labels: small.labels, ends: Uint32Array.from(small.ends), rows: small.rows.toList() },
    ];
  });
}

/** The table of all rows with their labels. */
export function tableOfLists(parts: readonly LabelledRows[]): PrefixTable {
  const builder = new PrefixTableBuilder();
  for (const part of parts) for (const { label, list } of listsOf(part)) builder.addSet(list, label);
  return builder.build();
}
