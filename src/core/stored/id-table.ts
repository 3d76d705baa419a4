/**
 * A table in which every row has one label of its own, a UUID, as the snapshot of entries that are prefixes themselves. It lies in memory that threads
 * share and has no texts, so that a hundred thousand rows are handed on, copied and searched in no time, and it remembers what it was made of: the
 * next one is made of it by the difference (patch-id-table.ts, encode-patched.ts).
 */
import { FAMILIES, type Family, widthOf } from '../address.ts';
import type { PrefixRows, PrefixTable } from '../tables/prefix-table.ts';
import type { CutTable } from './table-cut.ts';
import type { BlockEntry } from './table-manifest.ts';

export interface IdTable {
  /** In ascending order, {@link ID_BYTES} each. Labels are places among them. */
  readonly ids: Uint8Array;
  readonly ipv4: PrefixRows;
  readonly ipv6: PrefixRows;
  readonly contentHash: string;
  readonly blocks: readonly KnownBlock[];
  /** The tables that it was made of, the latest first, as far as that is remembered. */
  readonly past: readonly PastStep[];
}

/** A block that a table is cut into, and how many bytes it has before it is packed. */
export interface KnownBlock extends BlockEntry {
  readonly bytes: number;
}

/** What made a table of the one with this hash. */
export interface PastStep {
  readonly fromHash: string;
  readonly touched: readonly TouchedRow[];
}

/** A prefix that has come, gone, or changed hands. Null: it was, or is, not there. */
export interface TouchedRow {
  readonly family: Family;
  readonly words: readonly number[];
  readonly length: number;
  readonly before: string | null;
  readonly after: string | null;
}

export const ID_BYTES = 16;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** Where the digits of each byte stand in the text of a UUID. */
const DIGITS = Uint8Array.of(0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34);

/** The table as one of ids, with how it is cut; null: some row has other labels than an id of its own. O(rows). */
export function idTableOf(table: PrefixTable, cut: CutTable): IdTable | null {
  const { labelSets } = table;
  if (labelSets.length !== table.ipv4.size + table.ipv6.size) return null;
  const ids = sharedBytes(labelSets.length * ID_BYTES);
  for (let place = 0; place < labelSets.length; place++) {
    const labels = labelSets[place]!;
    if (labels.length !== 1 || !UUID.test(labels[0]!)) return null;
    writeId(labels[0]!, 0, ids, place * ID_BYTES);
  }
  return {
    ids,
    ipv4: sharedRows(table.ipv4),
    ipv6: sharedRows(table.ipv6),
    contentHash: cut.contentHash,
    blocks: cut.blocks.map(({ family, count, hash, content }) => ({
      family,
      count,
      hash,
      bytes: content.length,
    })),
    past: [],
  };
}

/** How many ids, and so rows, it has. */
export function idCount({ ids }: Pick<IdTable, 'ids'>): number {
  return ids.length / ID_BYTES;
}

/** Memory of a table. */
export function idTableBytes({ ids, ipv4, ipv6 }: IdTable): number {
  return [ipv4, ipv6].reduce(
    (sum, { words, lengths, labels }) => sum + words.byteLength + lengths.byteLength + labels.byteLength,
    ids.byteLength + 1024,
  );
}

export function idAt(ids: Uint8Array, place: number): string {
  const hex = Buffer.from(ids.buffer, ids.byteOffset + place * ID_BYTES, ID_BYTES).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Writes the UUID that stands in the text from there on as bytes. */
export function writeId(text: string, from: number, into: Uint8Array, at: number): void {
  for (let byte = 0; byte < ID_BYTES; byte++) {
    const digits = from + DIGITS[byte]!;
    into[at + byte] = (digitAt(text, digits) << 4) | digitAt(text, digits + 1);
  }
}

/** Of a digit in lower case. */
function digitAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code < 0x3a ? code - 0x30 : code - 0x57;
}

function compareIds(a: Uint8Array, ai: number, b: Uint8Array, bi: number): number {
  for (let byte = 0; byte < ID_BYTES; byte++) {
    const difference = a[ai * ID_BYTES + byte]! - b[bi * ID_BYTES + byte]!;
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The first place whose id is not below the one with this text. */
export function placeOfId(
  ids: Uint8Array,
  id: string,
): { readonly place: number; readonly isThere: boolean } {
  const wanted = new Uint8Array(ID_BYTES);
  writeId(id, 0, wanted, 0);
  let low = 0;
  let high = ids.length / ID_BYTES;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareIds(ids, middle, wanted, 0) < 0) low = middle + 1;
    else high = middle;
  }
  return { place: low, isThere: low * ID_BYTES < ids.length && compareIds(ids, low, wanted, 0) === 0 };
}

/** Ids that are looked at between two looks at the clock. */
const LOOK = 1_024;

/**
 * Which of the lists each id is in, by its place; -1: in none. What is in a list but not in the table is passed over.
 * @param lists ids in ascending order, separated by commas. O(ids)
 */
export function listOfIds(table: Pick<IdTable, 'ids'>, lists: readonly string[]): Int32Array {
  const work = findLists(table, lists);
  for (let step = work.next(); ; step = work.next()) if (step.done === true) return step.value;
}

/** {@link listOfIds} for the event loop: it may rest wherever this yields. */
export function* findLists(
  { ids }: Pick<IdTable, 'ids'>,
  lists: readonly string[],
): Generator<undefined, Int32Array> {
  const listOf = new Int32Array(ids.length / ID_BYTES).fill(-1);
  for (const [list, text] of lists.entries()) {
    const at = { from: 0, place: 0 };
    while (findSome(ids, text, list, { listOf, at })) yield undefined;
  }
  return listOf;
}

/** The next ids of the list. @returns whether there are more */
function findSome(
  ids: Uint8Array,
  text: string,
  list: number,
  { listOf, at }: { readonly listOf: Int32Array; readonly at: { from: number; place: number } },
): boolean {
  const id = new Uint8Array(ID_BYTES);
  const count = listOf.length;
  const end = Math.min(text.length, at.from + LOOK * (TEXT_LENGTH + 1));
  let { from, place } = at;
  for (; from < end && place < count; from += TEXT_LENGTH + 1) {
    writeId(text, from, id, 0);
    let order = compareIds(ids, place, id, 0);
    while (order < 0 && ++place < count) order = compareIds(ids, place, id, 0);
    if (order === 0) listOf[place++] = list;
  }
  at.from = from;
  at.place = place;
  return from < text.length && place < count;
}

const TEXT_LENGTH = 36;

export function sharedBytes(length: number): Uint8Array {
  return new Uint8Array(new SharedArrayBuffer(length));
}

function sharedWords(length: number): Uint32Array {
  return new Uint32Array(new SharedArrayBuffer(length * 4));
}

function sharedRows({ family, size, words, lengths, labels }: PrefixRows): PrefixRows {
  const shared = emptyRows(family, size);
  shared.words.set(words.subarray(0, size * widthOf(family)));
  shared.lengths.set(lengths.subarray(0, size));
  shared.labels.set(labels.subarray(0, size));
  return shared;
}

/** Rows to be filled, in memory that threads share. */
export function emptyRows(family: Family, size: number): PrefixRows {
  const words = sharedWords(size * widthOf(family));
  return { family, size, words, lengths: sharedBytes(size), labels: sharedWords(size) };
}

/** The same as a plain table. */
export function plainTableOf(table: IdTable): PrefixTable {
  const labelSets = Array.from({ length: idCount(table) }, (_, place) => [idAt(table.ids, place)]);
  const [ipv4, ipv6] = FAMILIES.map((family) => table[family]) as [PrefixRows, PrefixRows];
  return { labelSets, ipv4, ipv6 };
}
