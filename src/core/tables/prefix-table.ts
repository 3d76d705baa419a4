/**
 * Prefixes with labels: the one format of snapshots (labels are entry ids, prefixes as collected, nested ones kept) and of
 * revisions (labels are community values, prefixes the union of the minimal sets).
 */
import { FAMILIES, type Family, widthOf } from '../address.ts';
import { compareWords, hasHostBits } from '../bits.ts';
import { LabelSetInterner, compareLabels } from './label-sets.ts';
import { PrefixBuffer } from '../prefix-buffer.ts';
import type { PrefixList } from '../prefix.ts';
import { sortOrder } from '../sort-order.ts';

export { formatPrefixAt, prefixAt } from '../prefix.ts';

/** Rows sorted by address, then length, each prefix once; `labels[i]` is the index of row i's label set. */
export interface PrefixRows extends PrefixList {
  readonly labels: Uint32Array;
}

/**
 * A label set is an ascending list (by UTF-16 code unit) of distinct labels and may be empty; the sets are ascending,
 * distinct, and each is used by a row. Equal tables are therefore equal in every column.
 */
export interface PrefixTable {
  readonly labelSets: readonly (readonly string[])[];
  readonly ipv4: PrefixRows;
  readonly ipv6: PrefixRows;
}

export function emptyTable(): PrefixTable {
  return new PrefixTableBuilder().build();
}

/** Collects prefixes with one label (or none) at a time, in any order and any number of times. */
export class PrefixTableBuilder {
  readonly #labelIds = new Map<string, number>();
  readonly #collected = { ipv4: new LabelledBuffer('ipv4'), ipv6: new LabelledBuffer('ipv6') };

  /** Adds one prefix. Throws RangeError for a length out of bounds or host bits set. */
  add(family: Family, words: ArrayLike<number>, length: number, label: string | null): void {
    const width = widthOf(family);
    if (!(length >= 0 && length <= width * 32)) {
      throw new RangeError(`Length ${length} is out of bounds for ${family}`);
    }
    if (hasHostBits(words, 0, length, width)) throw new RangeError(`Host bits are set behind bit ${length}`);
    this.#collected[family].push(words, 0, length, this.#idOf(label));
  }

  /** Adds every prefix of a set, or of any list such as collected rows, with the label. */
  addSet(list: PrefixList, label: string | null): void {
    this.#collected[list.family].pushAll(list, this.#idOf(label));
  }

  /** Adds every row of a table with its labels. */
  addTable(table: PrefixTable): void {
    for (const family of FAMILIES) this.addRows(table, table[family]);
  }

  /** Adds rows with the labels of `table`; `rows` may be any rows that index its label sets. */
  addRows(table: Pick<PrefixTable, 'labelSets'>, rows: PrefixRows): void {
    const width = widthOf(rows.family);
    const ids = table.labelSets.map((labels) =>
      labels.length === 0 ? [NO_LABEL] : labels.map((label) => this.#idOf(label)),
    );
    const collected = this.#collected[rows.family];
    for (let i = 0; i < rows.size; i++) {
      for (const id of ids[rows.labels[i]!]!) collected.push(rows.words, i * width, rows.lengths[i]!, id);
    }
  }

  /** The table of everything added. O(n) after a radix sort. */
  build(): PrefixTable {
    const labels = [...this.#labelIds.keys()].sort(compareLabels);
    const rankOf = new Uint32Array(labels.length + 1);
    labels.forEach((label, rank) => (rankOf[this.#labelIds.get(label)!] = rank + 1));
    const interner = new LabelSetInterner(labels);
    const ipv4 = this.#collected.ipv4.toRows(rankOf, interner);
    const ipv6 = this.#collected.ipv6.toRows(rankOf, interner);
    interner.use(ipv4.labels);
    interner.use(ipv6.labels);
    const { labelSets, places } = interner.finish();
    for (const rows of [ipv4, ipv6]) {
      for (let i = 0; i < rows.size; i++) rows.labels[i] = places[rows.labels[i]!]!;
    }
    return { labelSets, ipv4, ipv6 };
  }

  #idOf(label: string | null): number {
    if (label === null) return NO_LABEL;
    let id = this.#labelIds.get(label);
    if (id === undefined) {
      id = this.#labelIds.size + 1;
      this.#labelIds.set(label, id);
    }
    return id;
  }
}

/** Both the id and the rank of "no label". */
const NO_LABEL = 0;

/** Prefixes as collected, each with one label id. */
class LabelledBuffer {
  readonly #prefixes: PrefixBuffer;
  #ids = new Uint32Array(16);

  constructor(family: Family) {
    this.#prefixes = new PrefixBuffer(family);
  }

  push(words: ArrayLike<number>, at: number, length: number, id: number): void {
    this.#prefixes.push(words, at, length);
    this.#growIds();
    this.#ids[this.#prefixes.size - 1] = id;
  }

  pushAll(list: PrefixList, id: number): void {
    const start = this.#prefixes.size;
    this.#prefixes.pushAll(list);
    this.#growIds();
    this.#ids.fill(id, start, this.#prefixes.size);
  }

  #growIds(): void {
    if (this.#ids.length >= this.#prefixes.size) return;
    const ids = new Uint32Array(this.#prefixes.lengths.length);
    ids.set(this.#ids);
    this.#ids = ids;
  }

  /** Sorts, and joins rows of one prefix into one whose `labels` is a number of the interner. */
  toRows(rankOf: Uint32Array, interner: LabelSetInterner): PrefixRows {
    const { family, width, size, words, lengths } = this.#prefixes;
    const ranks = new Uint32Array(size);
    for (let i = 0; i < size; i++) ranks[i] = rankOf[this.#ids[i]!]!;
    const order = sortOrder({ size, width, words, lengths, ranks });
    const rows = new PrefixBuffer(family, size);
    const labels = new Uint32Array(size);
    for (let i = 0; i < size; i++) {
      const from = order === null ? i : order[i]!;
      const last = rows.size - 1;
      const again =
        last >= 0 &&
        rows.lengths[last] === lengths[from] &&
        compareWords(rows.words, last * width, words, from * width, width) === 0;
      if (!again) rows.push(words, from * width, lengths[from]!);
      const rank = ranks[from]!;
      const place = rows.size - 1;
      if (rank !== NO_LABEL) labels[place] = interner.extend(labels[place]!, rank - 1);
    }
    return { ...rows.toList(), labels: labels.slice(0, rows.size) };
  }
}

/** The prefixes with the label, per family: in a revision, that community's minimal set. */
export function rowsWithLabel(
  table: PrefixTable,
  label: string,
): { readonly ipv4: PrefixList; readonly ipv6: PrefixList } {
  const wanted = table.labelSets.map((labels) => labels.includes(label));
  return { ipv4: pickRows(table.ipv4, wanted), ipv6: pickRows(table.ipv6, wanted) };
}

/** The rows whose label set is wanted, by `wanted[i]` for set i. */
export function pickRows(rows: PrefixRows, wanted: readonly boolean[]): PrefixList {
  const width = widthOf(rows.family);
  const picked = new PrefixBuffer(rows.family);
  for (let i = 0; i < rows.size; i++) {
    if (wanted[rows.labels[i]!]!) picked.push(rows.words, i * width, rows.lengths[i]!);
  }
  return picked.toList();
}

/** The rows that are marked with 1. */
export function pickMarkedRows(rows: PrefixRows, isMarked: Uint8Array): PrefixRows {
  const width = widthOf(rows.family);
  const size = isMarked.reduce((sum, one) => sum + one, 0);
  const words = new Uint32Array(size * width);
  const lengths = new Uint8Array(size);
  const labels = new Uint32Array(size);
  let at = 0;
  for (let row = 0; row < rows.size; row++) {
    if (isMarked[row] === 0) continue;
    words.set(rows.words.subarray(row * width, (row + 1) * width), at * width);
    lengths[at] = rows.lengths[row]!;
    labels[at++] = rows.labels[row]!;
  }
  return { family: rows.family, size, words, lengths, labels };
}

/** The rows of these indices, in the order of the table. */
export function pickRowsAt(rows: PrefixRows, indices: Iterable<number>): PrefixRows {
  const isMarked = new Uint8Array(rows.size);
  for (const row of indices) isMarked[row] = 1;
  return pickMarkedRows(rows, isMarked);
}

/**
 * The table with every label replaced by the result of `relabel`; null drops it. A row whose labels are all dropped stays, without labels.
 */
export function relabelTable(table: PrefixTable, relabel: (label: string) => string | null): PrefixTable {
  const labelSets = table.labelSets.map((labels) => labels.map(relabel).filter((label) => label !== null));
  const builder = new PrefixTableBuilder();
  for (const family of FAMILIES) builder.addRows({ labelSets }, table[family]);
  return builder.build();
}
