/**
 * How a table that follows another one is stored: whole, or as the delta from an earlier one, like the versions of a file in a git pack.
 * The number of the step with its lowest bit cleared says which earlier one.
 *
 *     step   0   1   2   3   4   5   6   7   8 …
 *            whole
 *            ^---'   |   |   |   |   |   |   |
 *            ^-------'   |   |   |   |   |   |        step 7 is whole + step 4 + step 6 + step 7
 *            |       ^---'   |   |   |   |   |
 *            ^---------------'   |   |   |   |
 *
 * So reading takes at most eight deltas, and a table is stored whole every 255 steps. The way a table is stored is not part of its content
 * hash.
 */
import { differingRows } from './differing-rows.ts';
import { type PrefixTable, emptyTable } from '../tables/prefix-table.ts';
import { type EncodedTable, decodeTable, packTable, readBlocks, requireFewRows } from './table-codec.ts';
import type { Block } from './table-block.ts';
import { type CutTable, cutTable } from './table-cut.ts';
import { applyDelta, encodeDelta } from './table-delta.ts';
import { type BlockEntry, TableCodecError, readManifest } from './table-manifest.ts';

export const MAX_STEP = 255;
export const MAX_DELTAS = 8;

/** Tables whose unpacked blocks are no larger than this gain nothing from a delta. */
const SMALL_BYTES = 8 * 1024;
/** A delta must be smaller than the blocks by this factor to justify reading another table (packed against not packed). */
const WORTH = 4;

export interface TableDelta {
  /** Hash of the table that it produces. */
  readonly contentHash: string;
  /** Hash of the table that it is applied to. */
  readonly baseHash: string;
  /** From 1 to {@link MAX_STEP}. */
  readonly step: number;
  readonly bytes: Uint8Array;
}

/** Everything needed to read a table: a whole one, and the deltas from there, in order. */
export interface StoredTable {
  readonly whole: {
    readonly contentHash: string;
    readonly manifest: Uint8Array;
    /** Blocks by hash. */
    readonly blocks: ReadonlyMap<string, Uint8Array>;
  };
  readonly deltas: readonly TableDelta[];
}

export function contentHashOf({ whole, deltas }: StoredTable): string {
  return deltas.at(-1)?.contentHash ?? whole.contentHash;
}

/**
 * Rows that are read to get a table of `rows`: the deltas may start from a far larger one. Throws TableCodecError for a damaged manifest.
 */
export function rowsToRead({ whole, deltas }: StoredTable, rows: number): number {
  if (deltas.length === 0) return rows;
  return readManifest(whole.manifest).reduce((sum, { count }) => sum + count, rows);
}

/**
 * The table, verified to have the content hash that the stored bytes claim. O(rows x deltas). Throws TableCodecError for anything damaged,
 * missing, or beyond the limits of a table.
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
 * The rows in which two tables differ, as separate tables. Blocks that both name are not read, and shared base tables are read once. O(rows
 * of both). Verified like {@link decodeStoredTable}, except that the hash of intermediate results is not computed: each delta has a
 * checksum, and names its base.
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

/** Both tables, whose whole table and first deltas are the same. */
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
    // No stored table exceeds the limits.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/**
 * The best way to store the table after `parent`: as a delta, or whole; `parent` itself if it has this very content. A content that
 * `parent` is made of is never a delta. O(rows). Throws like encodeTable, and TableCodecError if the parent can't be read.
 */
export function encodeAfter(
  table: PrefixTable,
  parent: StoredTable | null,
): EncodedTable | TableDelta | StoredTable {
  return encodeCutAfter(table, cutTable(table), parent);
}

/** {@link encodeAfter} of a table that is cut already. */
export function encodeCutAfter(
  table: PrefixTable,
  cut: CutTable,
  parent: StoredTable | null,
): EncodedTable | TableDelta | StoredTable {
  if (parent === null) return packTable(cut);
  if (contentHashOf(parent) === cut.contentHash) return parent;
  // A list that returns to an earlier content would be a delta from itself, or from a delta of it.
  if (isOnTheWay(parent, cut.contentHash)) return packTable(cut);
  const content = {
    contentHash: cut.contentHash,
    bytes: cut.blocks.reduce((sum, { content: { length } }) => sum + length, 0),
  };
  return deltaAfter(content, parent, (base) => encodeDelta(decodeStoredTable(base), table)) ?? packTable(cut);
}

/** What was encoded after `parent`, as it will be read back; null: the parent itself. */
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

/**
 * The content as a delta of one that `parent` is made of; null: it is better stored whole.
 * @param content with its bytes before they are packed
 * @param encode makes the delta from that one; null: it is too large, or cannot be made
 */
export function deltaAfter(
  { contentHash, bytes: size }: { readonly contentHash: string; readonly bytes: number },
  parent: StoredTable,
  encode: (base: StoredTable) => Uint8Array | null,
): TableDelta | null {
  const step = (parent.deltas.at(-1)?.step ?? 0) + 1;
  if (size <= SMALL_BYTES || step > MAX_STEP) return null;
  const base = storedAt(parent, baseStep(step));
  const bytes = base === null ? null : encode(base);
  if (base === null || bytes === null || bytes.length * WORTH > size) return null;
  return { contentHash, baseHash: contentHashOf(base), step, bytes };
}

/** The content as the stored one has it that is made of it; null: it is not made of it. */
export function storedOnTheWay(
  { whole, deltas }: StoredTable,
  contentHash: string,
): EncodedTable | TableDelta | null {
  if (whole.contentHash !== contentHash)
    return deltas.find((delta) => delta.contentHash === contentHash) ?? null;
  const blocks = readManifest(whole.manifest).map((entry) => ({
    ...entry,
    bytes: whole.blocks.get(entry.hash)!,
  }));
  return { contentHash, manifest: whole.manifest, blocks };
}

/** The step to which the delta of this step is applied. */
export function baseStep(step: number): number {
  return step & (step - 1);
}

function isOnTheWay({ whole, deltas }: StoredTable, contentHash: string): boolean {
  return whole.contentHash === contentHash || deltas.some((delta) => delta.contentHash === contentHash);
}

/** The table of that step, on the way to the stored one; null if it is not on that way. */
function storedAt({ whole, deltas }: StoredTable, step: number): StoredTable | null {
  const end = deltas.findIndex((delta) => delta.step === step) + 1;
  return step > 0 && end === 0 ? null : { whole, deltas: deltas.slice(0, end) };
}
