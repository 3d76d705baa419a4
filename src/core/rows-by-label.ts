/** The rows of a table, label by label: what each entry of a module contributed to its snapshot. */
import { FAMILIES, type Family, widthOf } from './address.ts';
import { PrefixBuffer } from './prefix-buffer.ts';
import { type PrefixTable, PrefixTableBuilder } from './prefix-table.ts';
import type { PrefixList } from './prefix.ts';

/** Prefixes of one label, as collected: neither sorted nor distinct unless they come out of a table. */
export type RowsOfLabel = Readonly<Record<Family, PrefixList>>;

/**
 * Rows of one family that stand label by label: those of `labels[i]` go from `ends[i - 1]` to `ends[i]` (not included). Few
 * columns however many labels there are, so that they pass quickly from thread to thread.
 */
export interface LabelledRows {
  readonly labels: readonly string[];
  readonly ends: Uint32Array;
  readonly rows: PrefixList;
}

export type GroupedTable = Readonly<Record<Family, LabelledRows>>;

/** The rows of every label of the table; a row with many labels stands under each. Labels without rows of a family are left out. */
export function groupByLabel(table: PrefixTable): GroupedTable {
  return { ipv4: groupRows(table, 'ipv4'), ipv6: groupRows(table, 'ipv6') };
}

function groupRows(table: PrefixTable, family: Family): LabelledRows {
  const { size, words, lengths, labels: setOfRow } = table[family];
  const width = widthOf(family);
  const rowsOfSet = new Uint32Array(table.labelSets.length);
  for (let row = 0; row < size; row++) rowsOfSet[setOfRow[row]!]!++;
  const rowsOfLabel = new Map<string, number>();
  table.labelSets.forEach((set, i) => {
    if (rowsOfSet[i] === 0) return;
    for (const label of set) rowsOfLabel.set(label, (rowsOfLabel.get(label) ?? 0) + rowsOfSet[i]!);
  });
  const labels = [...rowsOfLabel.keys()];
  const ends = new Uint32Array(labels.length);
  let total = 0;
  const places = new Uint32Array(labels.length);
  labels.forEach((label, i) => {
    places[i] = total;
    total += rowsOfLabel.get(label)!;
    ends[i] = total;
  });
  const numberOf = new Map(labels.map((label, i) => [label, i]));
  const numbersOfSet = table.labelSets.map((set) => set.map((label) => numberOf.get(label) ?? -1));
  const grouped = {
    family,
    size: total,
    words: new Uint32Array(total * width),
    lengths: new Uint8Array(total),
  };
  for (let row = 0; row < size; row++) {
    for (const number of numbersOfSet[setOfRow[row]!]!) {
      const place = places[number]!++;
      for (let w = 0; w < width; w++) grouped.words[place * width + w] = words[row * width + w]!;
      grouped.lengths[place] = lengths[row]!;
    }
  }
  return { labels, ends, rows: grouped };
}

/** The lists of each label, without copying a row. */
export function listsByLabel(grouped: GroupedTable): Map<string, RowsOfLabel> {
  const lists = new Map<string, Record<Family, PrefixList>>();
  for (const family of FAMILIES) {
    for (const { label, list } of listsOf(grouped[family])) {
      let rows = lists.get(label);
      if (rows === undefined) lists.set(label, (rows = { ipv4: NO_ROWS.ipv4, ipv6: NO_ROWS.ipv6 }));
      rows[family] = list;
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

/** Lists of at least this many rows are not copied into one with others. */
const LARGE = 65_536;

/** The lists in few columns: large ones as they are, the small ones of a family joined. */
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
