/** Which rows of a table contain an address: all of them, not only the innermost. */
import { type Address, bitsOf, widthOf } from '../address.ts';
import { compareWords, covers, sharedBits, sixteenBits } from '../bits.ts';
import type { PrefixRows, PrefixTable } from './prefix-table.ts';
import { type Prefix, prefixAt } from '../prefix.ts';

/**
 * Indices of all rows whose prefix contains the address, innermost first. O(log n + depth of nesting); the first call on some rows is O(n).
 * An address of the other family matches nothing.
 */
export function matchesOf(rows: PrefixRows, address: Address): number[] {
  if (address.family !== rows.family) return [];
  const width = widthOf(rows.family);
  const { parents, places } = indexOf(rows);
  const matches: number[] = [];
  let row = lastAtOrBelow(rows, places, address.words);
  while (row >= 0 && !covers(rows.words, row * width, rows.lengths[row]!, address.words, 0))
    row = parents[row]!;
  // What contains a containing row contains the address too.
  for (; row >= 0; row = parents[row]!) matches.push(row);
  return matches;
}

/** {@link matchesOf} for a prefix: the rows that contain all of it. */
export function matchesOfPrefix(rows: PrefixRows, prefix: Prefix): number[] {
  return matchesOf(rows, prefix).filter((row) => rows.lengths[row]! <= prefix.length);
}

/** A prefix around an address, with the labels it carries: of a snapshot, the entries that it came from. */
export interface Containing {
  readonly prefix: Prefix;
  readonly labels: readonly string[];
}

/** Every prefix of the table that contains the address, innermost first, with its labels. Like {@link matchesOf}. */
export function containingPrefixes(table: PrefixTable, address: Address): Containing[] {
  const rows = table[address.family];
  return matchesOf(rows, address).map((row) => ({
    prefix: prefixAt(rows, row),
    labels: table.labelSets[rows.labels[row]!]!,
  }));
}

/** The last row that begins at or below the address; every row that contains the address is that one or contains it. */
function lastAtOrBelow(rows: PrefixRows, places: Places | null, address: readonly number[]): number {
  const width = widthOf(rows.family);
  let low = 0;
  let high = rows.size;
  if (places !== null) {
    if (sharedBits(rows.words, 0, address, 0, width) < places.skipped) {
      return compareWords(rows.words, 0, address, 0, width) > 0 ? -1 : rows.size - 1;
    }
    const place = sixteenBits(address, 0, places.skipped);
    low = places.starts[place]!;
    high = places.starts[place + 1]!;
  }
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareWords(rows.words, middle * width, address, 0, width) <= 0) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The index of a search; {@link matchesOf} makes it if it is missing. */
export interface RowIndex {
  /** For each row the innermost row around it, or -1. */
  readonly parents: Int32Array;
  /** Null where there are few rows. */
  readonly places: Places | null;
}

/**
 * Where the search begins, by the 16 bits after those that all rows have in common: `starts[p]` is the first row whose bits are at least
 * `p`. This saves most steps of a search over many rows, and nearly all that miss the processor's cache.
 */
interface Places {
  readonly skipped: number;
  readonly starts: Uint32Array;
}

/** With fewer rows the places would take more memory than the rows. */
const MANY = 16_384;
const PLACES = 2 ** 16;

const indexByRows = new WeakMap<PrefixRows, RowIndex>();

/** Rows never change, so this is computed once. */
function indexOf(rows: PrefixRows): RowIndex {
  let index = indexByRows.get(rows);
  if (index === undefined) {
    index = indexRows(rows);
    indexByRows.set(rows, index);
  }
  return index;
}

/** O(n): for a million rows it takes longer than an event loop should be blocked. */
export function indexRows(rows: PrefixRows): RowIndex {
  return { parents: parentsOf(rows), places: rows.size < MANY ? null : placesOf(rows) };
}

/** Takes the index of rows that another thread has made. */
export function useIndex(rows: PrefixRows, index: RowIndex): void {
  indexByRows.set(rows, index);
}

function parentsOf(rows: PrefixRows): Int32Array {
  const width = widthOf(rows.family);
  const parents = new Int32Array(rows.size);
  for (let i = 0; i < rows.size; i++) {
    let around = i - 1;
    while (around >= 0 && !covers(rows.words, around * width, rows.lengths[around]!, rows.words, i * width)) {
      around = parents[around]!;
    }
    parents[i] = around;
  }
  return parents;
}

function placesOf({ family, words, size }: PrefixRows): Places {
  const width = widthOf(family);
  const common = sharedBits(words, 0, words, (size - 1) * width, width);
  const skipped = Math.min(common, bitsOf(family) - 16);
  const starts = new Uint32Array(PLACES + 1);
  for (let i = 0; i < size; i++) starts[sixteenBits(words, i * width, skipped) + 1]!++;
  for (let place = 0; place < PLACES; place++) starts[place + 1]! += starts[place]!;
  return { skipped, starts };
}
