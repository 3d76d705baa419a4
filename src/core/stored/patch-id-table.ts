/** Makes a table of ids out of the one before and what has changed. */
import { FAMILIES, type Family, widthOf } from '../address.ts';
import { compareWords } from '../bits.ts';
import type { Prefix } from '../prefix.ts';
import {
  type IdTable,
  type TouchedRow,
  emptyRows,
  ID_BYTES,
  idAt,
  idCount,
  placeOfId,
  sharedBytes,
  writeId,
} from './id-table.ts';
import type { PrefixRows } from '../tables/prefix-table.ts';

/** What an id has now; null: nothing. */
export interface IdEdit {
  readonly id: string;
  readonly prefix: Prefix | null;
}

/** Ids and rows of a table, and what differs from those of the one before. */
export interface PatchedRows {
  readonly ids: Uint8Array;
  readonly ipv4: PrefixRows;
  readonly ipv6: PrefixRows;
  readonly touched: readonly TouchedRow[];
  readonly moves: Readonly<Record<Family, RowMoves>>;
}

/** Ascending. */
export interface RowMoves {
  /** Rows of the table before that are not in this one. */
  readonly removed: readonly number[];
  /** Rows of this table that were not in the one before. */
  readonly inserted: readonly number[];
  /** Of each of these, the row of the table before that it stands in front of. */
  readonly insertedAt: readonly number[];
}

interface NewRow {
  readonly prefix: Prefix;
  readonly id: string;
}

/** With this many edits or more, the row of each id is written down once instead of being looked for each time. */
const MANY = 8;

/**
 * @param edits one for an id; what has not changed may be among them
 * @returns null: two ids would have the same prefix. O(rows), but only copying
 */
export function patchIdTable(before: IdTable, edits: readonly IdEdit[]): PatchedRows | null {
  const rowOf = rowFinder(before, edits.length);
  const gone: number[] = [];
  const added: string[] = [];
  const removed: Record<Family, number[]> = { ipv4: [], ipv6: [] };
  const fresh: Record<Family, NewRow[]> = { ipv4: [], ipv6: [] };
  for (const { id, prefix } of edits) {
    const { place, isThere } = placeOfId(before.ids, id);
    const row = isThere ? rowOf(place) : null;
    if (row !== null && prefix !== null && isSame(before[row.family], row.at, prefix)) continue;
    if (row !== null) removed[row.family].push(row.at);
    if (prefix !== null) fresh[prefix.family].push({ prefix, id });
    if (row !== null && prefix === null) gone.push(place);
    if (row === null && prefix !== null) added.push(id);
  }
  const { ids, newPlaceOf } = patchIds(before, gone.sort(ascending), added.sort());
  const touched: TouchedRow[] = [];
  const patched = {} as Record<Family, { rows: PrefixRows; moves: RowMoves }>;
  for (const family of FAMILIES) {
    fresh[family].sort((a, b) => comparePrefixes(a.prefix, b.prefix));
    const family_ = patchRows(
      before[family],
      removed[family].sort(ascending),
      fresh[family],
      ids,
      newPlaceOf,
    );
    if (family_ === null) return null;
    patched[family] = family_;
    touched.push(...touchedBy(before, family, removed[family], fresh[family]));
  }
  const { ipv4, ipv6 } = patched;
  return { ids, ipv4: ipv4.rows, ipv6: ipv6.rows, touched, moves: { ipv4: ipv4.moves, ipv6: ipv6.moves } };
}

function rowFinder(
  { ids, ipv4, ipv6 }: IdTable,
  edits: number,
): (place: number) => { readonly family: Family; readonly at: number } {
  if (edits <= MANY) {
    return (place) => {
      const at = ipv4.labels.indexOf(place);
      return at >= 0 ? { family: 'ipv4', at } : { family: 'ipv6', at: ipv6.labels.indexOf(place) };
    };
  }
  // Rows of IPv6 are counted on from those of IPv4.
  const rows = new Uint32Array(ids.length / ID_BYTES);
  for (let row = 0; row < ipv4.size; row++) rows[ipv4.labels[row]!] = row;
  for (let row = 0; row < ipv6.size; row++) rows[ipv6.labels[row]!] = ipv4.size + row;
  return (place) => {
    const row = rows[place]!;
    return row < ipv4.size ? { family: 'ipv4', at: row } : { family: 'ipv6', at: row - ipv4.size };
  };
}

/** The ids, and of each place before the one that it has now. */
function patchIds(
  before: IdTable,
  gone: readonly number[],
  added: readonly string[],
): { readonly ids: Uint8Array; readonly newPlaceOf: ((place: number) => number) | null } {
  if (gone.length + added.length === 0) return { ids: before.ids, newPlaceOf: null };
  const count = idCount(before);
  const ids = sharedBytes((count - gone.length + added.length) * ID_BYTES);
  const newPlaces = new Uint32Array(count);
  const addedAt = added.map((id) => placeOfId(before.ids, id).place);
  let [place, nextGone, nextAdded] = [0, 0, 0];
  const add = (until: number): void => {
    for (; nextAdded < added.length && addedAt[nextAdded]! <= until; nextAdded++)
      writeId(added[nextAdded]!, 0, ids, place++ * ID_BYTES);
  };
  for (let old = 0; old < count;) {
    add(old);
    if (gone[nextGone] === old) {
      nextGone++;
      old++;
      continue;
    }
    // Up to the next place at which something happens.
    const end = Math.min(count, gone[nextGone] ?? count, addedAt[nextAdded] ?? count);
    ids.set(before.ids.subarray(old * ID_BYTES, end * ID_BYTES), place * ID_BYTES);
    for (; old < end; old++) newPlaces[old] = place++;
  }
  add(count);
  const isSame = gone.length === 0 && addedAt[0] === count;
  return { ids, newPlaceOf: isSame ? null : (old) => newPlaces[old]! };
}

/** @param newPlaceOf null: all ids that stay keep their places */
function patchRows(
  before: PrefixRows,
  removed: readonly number[],
  fresh: readonly NewRow[],
  ids: Uint8Array,
  newPlaceOf: ((place: number) => number) | null,
): { readonly rows: PrefixRows; readonly moves: RowMoves } | null {
  const { family } = before;
  const isFixed = removed.length + fresh.length === 0 && newPlaceOf === null;
  if (isFixed) return { rows: before, moves: { removed, inserted: [], insertedAt: [] } };
  const insertedAt = fresh.map(({ prefix }) => rowFrom(before, prefix));
  const isTaken = fresh.some(({ prefix }, i) => {
    const at = insertedAt[i]!;
    const isThere = at < before.size && isSame(before, at, prefix) && !removed.includes(at);
    return isThere || (i > 0 && comparePrefixes(fresh[i - 1]!.prefix, prefix) === 0);
  });
  if (isTaken) return null;
  const rows = emptyRows(family, before.size - removed.length + fresh.length);
  const width = widthOf(family);
  const inserted: number[] = [];
  let [at, row, nextRemoved] = [0, 0, 0];
  const copyUntil = (end: number): void => {
    rows.words.set(before.words.subarray(at * width, end * width), row * width);
    rows.lengths.set(before.lengths.subarray(at, end), row);
    if (newPlaceOf === null) {
      rows.labels.set(before.labels.subarray(at, end), row);
      row += end - at;
    } else for (let i = at; i < end; i++) rows.labels[row++] = newPlaceOf(before.labels[i]!);
    at = end;
  };
  const leaveOutUntil = (end: number): void => {
    for (; nextRemoved < removed.length && removed[nextRemoved]! < end; nextRemoved++) {
      copyUntil(removed[nextRemoved]!);
      at++;
    }
    copyUntil(end);
  };
  fresh.forEach(({ prefix, id }, i) => {
    leaveOutUntil(insertedAt[i]!);
    rows.words.set(prefix.words, row * width);
    rows.lengths[row] = prefix.length;
    rows.labels[row] = placeOfId(ids, id).place;
    inserted.push(row++);
  });
  leaveOutUntil(before.size);
  return { rows, moves: { removed, inserted, insertedAt } };
}

/** What happened to each prefix: one that one id loses and another gets has changed hands. */
function touchedBy(
  { ids, ...families }: IdTable,
  family: Family,
  removed: readonly number[],
  fresh: readonly NewRow[],
): TouchedRow[] {
  const rows = families[family];
  const width = widthOf(family);
  const byName = new Map<string, TouchedRow>();
  for (const at of removed) {
    const words = [...rows.words.subarray(at * width, (at + 1) * width)];
    const length = rows.lengths[at]!;
    const before = idAt(ids, rows.labels[at]!);
    byName.set(`${words.join()}/${length}`, { family, words, length, before, after: null });
  }
  for (const { prefix, id } of fresh) {
    const words = [...prefix.words];
    const { length } = prefix;
    const name = `${words.join()}/${length}`;
    byName.set(name, { family, words, length, before: byName.get(name)?.before ?? null, after: id });
  }
  return [...byName.values()];
}

/** The first row that does not sort before the prefix. */
export function rowFrom(rows: PrefixRows, { words, length }: Pick<Prefix, 'length'> & Words): number {
  const width = widthOf(rows.family);
  let low = 0;
  let high = rows.size;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const order = compareWords(rows.words, middle * width, words, 0, width) || rows.lengths[middle]! - length;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

interface Words {
  readonly words: ArrayLike<number>;
}

function isSame(rows: PrefixRows, at: number, { family, words, length }: Prefix): boolean {
  const width = widthOf(rows.family);
  return (
    rows.family === family &&
    rows.lengths[at] === length &&
    compareWords(rows.words, at * width, words, 0, width) === 0
  );
}

export function comparePrefixes(
  a: Pick<Prefix, 'length'> & Words,
  b: Pick<Prefix, 'length'> & Words,
): number {
  return compareWords(a.words, 0, b.words, 0, a.words.length) || a.length - b.length;
}

function ascending(a: number, b: number): number {
  return a - b;
}
