/** How a table of ids is stored after the one that it was made of: what is not touched is neither read nor written again. */
import { FAMILIES, type Family, widthOf } from '../address.ts';
import { type IdTable, type KnownBlock, type PastStep, type TouchedRow, idAt } from './id-table.ts';
import { touchedSince } from './id-table-past.ts';
import {
  type IdEdit,
  type PatchedRows,
  type RowMoves,
  comparePrefixes,
  patchIdTable,
  rowFrom,
} from './patch-id-table.ts';
import type { PrefixRows } from '../tables/prefix-table.ts';
import {
  type StoredTable,
  type TableDelta,
  contentHashOf,
  deltaAfter,
  storedOnTheWay,
} from './stored-table.ts';
import { type Block, encodeBlock } from './table-block.ts';
import type { EncodedTable } from './table-codec.ts';
import { MAX_TABLE_ROWS, cutBehind, hashOfBlock, labelWeight } from './table-cut.ts';
import { writeDelta } from './table-delta.ts';
import { MAX_LABEL_CHARACTERS } from '../tables/label-sets.ts';
import { writeManifest } from './table-manifest.ts';

/** Rows that are remembered of a table's past. */
const MAX_REMEMBERED = 2_000;
/** Of a UUID. */
const LABEL_WEIGHT = labelWeight(['00000000-0000-0000-0000-000000000000']);
const MAX_IDS = Math.min(MAX_TABLE_ROWS, Math.floor(MAX_LABEL_CHARACTERS / 36));

export interface PatchedTable {
  readonly table: IdTable;
  /** As encodeAfter has it; null: it is what `parent` has. */
  readonly encoded: EncodedTable | TableDelta | null;
}

/**
 * The table after these edits, and how it is stored after `parent`, which has what the table had before: the very bytes that encodeAfter makes of the whole.
 * @returns null: what is remembered does not say it, and the whole has to be encoded. O(rows), but only copying
 */
export function encodePatched(
  before: IdTable,
  edits: readonly IdEdit[],
  parent: StoredTable,
): PatchedTable | null {
  if (contentHashOf(parent) !== before.contentHash) return null;
  const patched = patchIdTable(before, edits);
  if (patched === null || patched.ids.length / 16 > MAX_IDS) return null;
  const blocks = FAMILIES.flatMap((family) => cutPatched(before, patched, family));
  const { contentHash } = writeManifest(blocks);
  if (contentHash === before.contentHash) return { table: before, encoded: null };
  const { ids, ipv4, ipv6, touched } = patched;
  const past = remembered([{ fromHash: before.contentHash, touched }, ...before.past]);
  const table: IdTable = { ids, ipv4, ipv6, contentHash, blocks, past };
  const encoded = storedOnTheWay(parent, contentHash) ?? deltaOf(table, parent);
  return encoded === null ? null : { table, encoded };
}

function remembered(steps: readonly PastStep[]): PastStep[] {
  let rows = 0;
  const end = steps.findIndex(({ touched }) => (rows += touched.length + 1) > MAX_REMEMBERED);
  return end < 0 ? [...steps] : steps.slice(0, end);
}

/** Blocks of the table before that nothing has happened in or right behind stay as they are. */
function cutPatched(before: IdTable, after: PatchedRows, family: Family): KnownBlock[] {
  const rows = after[family];
  const moves = after.moves[family];
  const known = new Map<number, KnownBlock>();
  let start = 0;
  for (const block of before.blocks) {
    if (block.family !== family) continue;
    known.set(start, block);
    start += block.count;
  }
  const blocks: KnownBlock[] = [];
  for (let from = 0; from < rows.size;) {
    const old = rowBefore(from, moves);
    const same = old === null ? undefined : known.get(old);
    const block =
      same !== undefined && isUntouched(old!, same.count, moves) ? same : cutBlock(after.ids, rows, from);
    blocks.push(block);
    from += block.count;
  }
  return blocks;
}

/** The row of the table before; null: it was not there. */
function rowBefore(row: number, { removed, inserted }: RowMoves): number | null {
  let old = row;
  for (const one of inserted) {
    if (one === row) return null;
    if (one < row) old--;
  }
  for (const one of removed) {
    if (one > old) break;
    old++;
  }
  return old;
}

/** Where a block ends, the row behind it decides, too. */
function isUntouched(from: number, count: number, { removed, insertedAt }: RowMoves): boolean {
  const to = from + count;
  return (
    !removed.some((row) => row >= from && row <= to) && !insertedAt.some((row) => row > from && row <= to)
  );
}

function cutBlock(ids: Uint8Array, rows: PrefixRows, from: number): KnownBlock {
  const to = cutBehind(rows, from, () => LABEL_WEIGHT);
  const { labelSets, rows: own } = blockOf(ids, rows, from, to);
  const content = encodeBlock(labelSets, own, 0, to - from);
  return { hash: hashOfBlock(content), family: rows.family, count: to - from, bytes: content.length };
}

/** Some rows with label sets of their own. */
function blockOf(ids: Uint8Array, rows: PrefixRows, from: number, to: number): Block {
  const width = widthOf(rows.family);
  const places = rows.labels.slice(from, to).sort();
  const labels = rows.labels.slice(from, to).map((place) => indexIn(places, place));
  return {
    labelSets: Array.from(places, (place) => [idAt(ids, place)]),
    rows: {
      ...{ family: rows.family, size: to - from, labels, lengths: rows.lengths.subarray(from, to) },
      words: rows.words.subarray(from * width, to * width),
    },
  };
}

function indexIn(sorted: Uint32Array, value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

function deltaOf(table: IdTable, parent: StoredTable): TableDelta | null {
  const bytes = table.blocks.reduce((sum, block) => sum + block.bytes, 0);
  return deltaAfter({ contentHash: table.contentHash, bytes }, parent, (base) =>
    deltaFrom(table, contentHashOf(base)),
  );
}

/** As encodeDelta, by what is remembered of the way from that content; null: too little of it is, or too much has changed. */
function deltaFrom(table: IdTable, baseHash: string): Uint8Array | null {
  const net = touchedSince(table, baseHash);
  if (net === null) return null;
  const withdrawn = net.filter(({ after }) => after === null);
  const announced = net.filter(({ before }) => before === null);
  const size = table.ipv4.size + table.ipv6.size;
  if (net.length * 2 > 2 * size + withdrawn.length - announced.length) return null;
  return writeDelta((family) => {
    const of = (touched: readonly TouchedRow[]): TouchedRow[] =>
      touched.filter((one) => one.family === family).sort(comparePrefixes);
    const [gone, come] = [of(withdrawn), of(announced)];
    // In the base, what has gone since stood before a row, and what has come did not.
    const removed = gone.map((row, at) => {
      const others = come.filter((one) => comparePrefixes(one, row) < 0).length;
      return rowFrom(table[family], row) + at - others;
    });
    return {
      removed,
      written: written(
        of(net).filter(({ after }) => after !== null),
        family,
      ),
    };
  });
}

function written(rows: readonly TouchedRow[], family: Family): Block {
  const ids = rows.map(({ after }) => after!).sort();
  const placeOf = new Map(ids.map((id, place) => [id, place]));
  return {
    labelSets: ids.map((id) => [id]),
    rows: {
      ...{ family, size: rows.length },
      words: Uint32Array.from(rows.flatMap(({ words }) => words)),
      lengths: Uint8Array.from(rows, ({ length }) => length),
      labels: Uint32Array.from(rows, ({ after }) => placeOf.get(after!)!),
    },
  };
}
