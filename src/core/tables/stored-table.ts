/**
 * How a table that follows another one is stored: whole, or as the delta from one before, like the versions of a file in a
 * pack of git. Which one before, the number of the step says: with its lowest bit cleared.
 *
 *     step   0   1   2   3   4   5   6   7   8 …
 *            whole
 *            ^---'   |   |   |   |   |   |   |
 *            ^-------'   |   |   |   |   |   |        step 7 is whole + step 4 + step 6 + step 7
 *            |       ^---'   |   |   |   |   |
 *            ^---------------'   |   |   |   |
 *
 * So reading takes at most eight deltas, and 255 steps go by until a table is stored whole again. The way a table is stored
 * is no part of its content hash.
 */
import { differingRows } from './differing-rows.ts';
import { type PrefixTable, emptyTable } from './prefix-table.ts';
import { type EncodedTable, decodeTable, packTable, readBlocks, requireFewRows } from './table-codec.ts';
import type { Block } from './table-block.ts';
import { type CutTable, cutTable } from './table-cut.ts';
import { applyDelta, encodeDelta } from './table-delta.ts';
import { type BlockEntry, TableCodecError, readManifest } from './table-manifest.ts';

export const MAX_STEP = 255;
export const MAX_DELTAS = 8;

/** Tables whose blocks are no larger than this before they are packed gain nothing from a delta. */
const SMALL_BYTES = 8 * 1024;
/** A delta is worth reading another table for when it is smaller than the blocks by this factor (packed against not packed). */
const WORTH = 4;

export interface TableDelta {
  /** Of the table that it makes. */
  readonly contentHash: string;
  /** Of the table that it is applied to. */
  readonly baseHash: string;
  /** From 1 to {@link MAX_STEP}. */
  readonly step: number;
  readonly bytes: Uint8Array;
}

/** All that it takes to read a table: one that is whole, and the deltas from there, in order. */
export interface StoredTable {
  readonly whole: {
    readonly contentHash: string;
    readonly manifest: Uint8Array;
    /** By hash. */
    readonly blocks: ReadonlyMap<string, Uint8Array>;
  };
  readonly deltas: readonly TableDelta[];
}

export function contentHashOf({ whole, deltas }: StoredTable): string {
  return deltas.at(-1)?.contentHash ?? whole.contentHash;
}

/**
 * Rows that are read on the way to a table of `rows`: deltas may have made it out of a far larger one. Throws TableCodecError for a
 * damaged manifest.
 */
export function rowsToRead({ whole, deltas }: StoredTable, rows: number): number {
  if (deltas.length === 0) return rows;
  return readManifest(whole.manifest).reduce((sum, { count }) => sum + count, rows);
}

/**
 * The table, which has the content hash that the stored bytes claim, whoever made them. O(rows x deltas). Throws
 * TableCodecError for everything that is damaged, missing, or more than a table may be.
 */
export function decodeStoredTable({ whole, deltas }: StoredTable): PrefixTable {
  requireFewDeltas(deltas);
  const table = applyDeltas(decodeWhole(whole), whole.contentHash, deltas);
  const last = deltas.at(-1);
  if (last !== undefined && hashOf(table) !== last.contentHash) {
    throw new TableCodecError(`The deltas do not make the content ${last.contentHash}`);
  }
  return table;
}

/**
 * The rows in which two tables differ, as tables of their own. Blocks that both name are not read, and what both are deltas of is read
 * once. O(rows of both). Checked as by {@link decodeStoredTable}, except that the hash is not taken of what the deltas of one whole
 * table make: each delta has a checksum, and names what it is to be applied to.
 */
export function decodeDiffering(
  before: StoredTable,
  after: StoredTable,
): { readonly before: PrefixTable; readonly after: PrefixTable } {
  for (const { deltas } of [before, after]) requireFewDeltas(deltas);
  if (contentHashOf(before) === contentHashOf(after)) return { before: emptyTable(), after: emptyTable() };
  if (before.whole.contentHash === after.whole.contentHash) {
    const own = deltasApart(before, after);
    return differingRows(blocksOf(own.before), blocksOf(own.after));
  }
  if (before.deltas.length + after.deltas.length > 0) {
    return differingRows(blocksOf(decodeStoredTable(before)), blocksOf(decodeStoredTable(after)));
  }
  const [entries, others] = [entriesOf(before.whole), entriesOf(after.whole)];
  return differingRows(
    readBlocks(without(entries, others), before.whole.blocks),
    readBlocks(without(others, entries), after.whole.blocks),
  );
}

/** Both tables, of which the whole one and the first deltas are the same. */
function deltasApart(before: StoredTable, after: StoredTable): { before: PrefixTable; after: PrefixTable } {
  const { whole, deltas } = before;
  const common = deltas.findIndex(({ contentHash }, i) => contentHash !== after.deltas[i]?.contentHash);
  const shared = common < 0 ? deltas : deltas.slice(0, common);
  const base = applyDeltas(decodeWhole(whole), whole.contentHash, shared);
  const baseHash = contentHashOf({ whole, deltas: shared });
  const made = (stored: StoredTable): PrefixTable =>
    applyDeltas(base, baseHash, stored.deltas.slice(shared.length));
  return { before: made(before), after: made(after) };
}

function without(entries: readonly BlockEntry[], others: readonly BlockEntry[]): BlockEntry[] {
  const names = new Set(others.map(({ hash }) => hash));
  return entries.filter(({ hash }) => !names.has(hash));
}

function blocksOf({ labelSets, ipv4, ipv6 }: PrefixTable): Iterator<Block, void> {
  return [ipv4, ipv6]
    .filter(({ size }) => size > 0)
    .map((rows) => ({ labelSets, rows }))
    .values();
}

function requireFewDeltas(deltas: readonly TableDelta[]): void {
  if (deltas.length > MAX_DELTAS) {
    throw new TableCodecError(`The table needs ${deltas.length} deltas, and ${MAX_DELTAS} is the most`);
  }
}

function decodeWhole(whole: StoredTable['whole']): PrefixTable {
  requireOwnManifest(whole);
  return decodeTable(whole.manifest, whole.blocks);
}

function entriesOf(whole: StoredTable['whole']): readonly BlockEntry[] {
  requireOwnManifest(whole);
  const entries = readManifest(whole.manifest);
  requireFewRows(entries);
  return entries;
}

function requireOwnManifest({ contentHash, manifest }: StoredTable['whole']): void {
  if (Buffer.from(manifest.subarray(-32)).toString('hex') !== contentHash) {
    throw new TableCodecError(`The manifest is not that of the content ${contentHash}`);
  }
}

function applyDeltas(from: PrefixTable, contentHash: string, deltas: readonly TableDelta[]): PrefixTable {
  let table = from;
  let base = contentHash;
  for (const delta of deltas) {
    if (delta.baseHash !== base) throw new TableCodecError(`The delta from ${base} is missing`);
    table = applyDelta(table, delta.bytes);
    base = delta.contentHash;
  }
  return table;
}

function hashOf(table: PrefixTable): string | null {
  try {
    return cutTable(table).contentHash;
  } catch (error) {
    // No stored table is beyond what can be stored.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/**
 * The table as it is best stored after `parent`: as a delta, or whole; `parent` itself when it has this very content. A content that
 * `parent` is made of is never a delta. O(rows). Throws as encodeTable, and TableCodecError when the parent can't be read.
 */
export function encodeAfter(
  table: PrefixTable,
  parent: StoredTable | null,
): EncodedTable | TableDelta | StoredTable {
  const cut = cutTable(table);
  if (parent === null) return packTable(cut);
  if (contentHashOf(parent) === cut.contentHash) return parent;
  return deltaAfter(table, cut, parent) ?? packTable(cut);
}

/** What was encoded after `parent`, as it will be read back once it is stored; null: the parent itself. */
export function storedAs(encoded: EncodedTable | TableDelta | null, parent: StoredTable | null): StoredTable {
  if (encoded !== null && 'manifest' in encoded) {
    const { contentHash, manifest, blocks } = encoded;
    return {
      whole: { contentHash, manifest, blocks: new Map(blocks.map(({ hash, bytes }) => [hash, bytes])) },
      deltas: [],
    };
  }
  if (parent === null) throw new TypeError('A delta, or nothing, says nothing without its parent');
  if (encoded === null) return parent;
  const base = storedAt(parent, baseStep(encoded.step));
  if (base === null) throw new TypeError('A delta says nothing without its own parent');
  return { ...base, deltas: [...base.deltas, encoded] };
}

function deltaAfter(table: PrefixTable, cut: CutTable, parent: StoredTable): TableDelta | null {
  const size = cut.blocks.reduce((sum, { content }) => sum + content.length, 0);
  const step = (parent.deltas.at(-1)?.step ?? 0) + 1;
  if (size <= SMALL_BYTES || step > MAX_STEP) return null;
  // A list that goes back to what it was is a delta from itself, or from what is stored as a delta from it.
  if (isOnTheWay(parent, cut.contentHash)) return null;
  const base = storedAt(parent, baseStep(step));
  const bytes = base === null ? null : encodeDelta(decodeStoredTable(base), table);
  if (base === null || bytes === null || bytes.length * WORTH > size) return null;
  return { contentHash: cut.contentHash, baseHash: contentHashOf(base), step, bytes };
}

/** The step that the delta of this step is applied to. */
export function baseStep(step: number): number {
  return step & (step - 1);
}

function isOnTheWay({ whole, deltas }: StoredTable, contentHash: string): boolean {
  return whole.contentHash === contentHash || deltas.some((delta) => delta.contentHash === contentHash);
}

/** The table of that step, on the way to the stored one; null when the way does not lead there. */
function storedAt({ whole, deltas }: StoredTable, step: number): StoredTable | null {
  const end = deltas.findIndex((delta) => delta.step === step) + 1;
  return step > 0 && end === 0 ? null : { whole, deltas: deltas.slice(0, end) };
}
