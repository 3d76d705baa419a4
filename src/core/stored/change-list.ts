/**
 * The differences between two tables, split into pieces by address, so that a request about one prefix reads only the pieces that may
 * contain it:
 *
 *     piece   10.0.0.0 … 10.3.255.255      rows of a table whose labels name both sides: `-` and a label of the prefix before,
 *     piece   10.4.0.0 … 10.99.0.255       `+` and one after; a sign alone: the prefix was, or is, in the table
 */
import { FAMILIES, type Family, widthOf } from '../address.ts';
import { covers } from '../bits.ts';
import { type Prefix, prefixAt } from '../prefix.ts';
import { PrefixTableBuilder, type PrefixRows, type PrefixTable } from '../tables/prefix-table.ts';
import { decodeBlock, encodeBlock } from './table-block.ts';
import { TableCodecError } from './table-manifest.ts';
import { packChecked, packPlain, unpack } from './table-packing.ts';

/** Few enough to read a piece for a single prefix, enough to share their labels and the database's overhead. */
const PIECE_ROWS = 512;
/** Smaller pieces are read many at a time, where creating a decoder for each would take most of the time. */
const PACKED_FROM_BYTES = 8 * 1024;
/** Before it is packed. */
const MAX_PIECE_BYTES = 16 * 1024 * 1024;

/** Differences of consecutive addresses. */
export interface ChangePiece {
  readonly family: Family;
  /** The first address of its prefixes, and the last: 4 or 16 bytes each. */
  readonly first: Uint8Array;
  readonly last: Uint8Array;
  readonly rows: number;
  readonly bytes: Uint8Array;
}

/** The change of one prefix: its labels on both sides; null: it was not in the table. */
export interface PrefixChange {
  readonly prefix: Prefix;
  readonly before: readonly string[] | null;
  readonly after: readonly string[] | null;
}

const [BEFORE, AFTER] = ['-', '+'] as const;

/** The pieces for two tables with only their differing rows, as decodeDiffering returns them. O(rows). */
export function encodeChanges(before: PrefixTable, after: PrefixTable): ChangePiece[] {
  const builder = new PrefixTableBuilder();
  for (const [table, sign] of [
    [before, BEFORE],
    [after, AFTER],
  ] as const) {
    const labelSets = table.labelSets.map((labels) =>
      labels.length === 0 ? [sign] : labels.map((label) => sign + label),
    );
    for (const family of FAMILIES) builder.addRows({ labelSets }, table[family]);
  }
  const { labelSets, ...rows } = builder.build();
  return FAMILIES.flatMap((family) => [...piecesOf(labelSets, rows[family])]);
}

function* piecesOf(labelSets: PrefixTable['labelSets'], rows: PrefixRows): Generator<ChangePiece> {
  for (let from = 0; from < rows.size; from += PIECE_ROWS) {
    const to = Math.min(rows.size, from + PIECE_ROWS);
    const content = encodeBlock(labelSets, rows, from, to);
    if (content.length > MAX_PIECE_BYTES) {
      throw new RangeError(`The labels of ${to - from} prefixes need more than ${MAX_PIECE_BYTES} bytes`);
    }
    const ends = Array.from({ length: to - from }, (_, i) => addressRange(prefixAt(rows, from + i)));
    // A prefix may reach beyond those after it.
    const last = ends.reduce(
      (most, { last: end }) => (Buffer.compare(end, most) > 0 ? end : most),
      ends[0]!.last,
    );
    const { family } = rows;
    yield {
      family,
      first: ends[0]!.first,
      last,
      rows: to - from,
      bytes: content.length < PACKED_FROM_BYTES ? packPlain(content) : packChecked(content),
    };
  }
}

/**
 * The changes of prefixes that contain this one, equal it, or are inside it, by address. Throws TableCodecError for damaged bytes.
 */
export function changesAround(bytes: Uint8Array, around: Prefix): PrefixChange[] {
  const content = unpack(bytes, MAX_PIECE_BYTES);
  if (content === null) throw new TableCodecError("A piece of a history can't be unpacked");
  const { labelSets, rows } = decodeBlock(content);
  if (rows.family !== around.family) return [];
  const width = widthOf(rows.family);
  const changes: PrefixChange[] = [];
  for (let i = 0; i < rows.size; i++) {
    const shorter = Math.min(rows.lengths[i]!, around.length);
    if (!covers(rows.words, i * width, shorter, around.words, 0)) continue;
    const labels = labelSets[rows.labels[i]!]!;
    changes.push({
      prefix: prefixAt(rows, i),
      before: labelsOf(labels, BEFORE),
      after: labelsOf(labels, AFTER),
    });
  }
  return changes;
}

function labelsOf(labels: readonly string[], sign: string): string[] | null {
  const own = labels.filter((label) => label.startsWith(sign));
  return own.length === 0 ? null : own.map((label) => label.slice(1)).filter((label) => label !== '');
}

/** The first and the last address of the prefix, in network order: bytes compare as addresses do. */
export function addressRange({ family, words, length }: Prefix): { first: Uint8Array; last: Uint8Array } {
  const first = Buffer.alloc(4 * widthOf(family));
  const last = Buffer.alloc(first.length);
  words.forEach((word, w) => {
    const kept = Math.min(Math.max(length - 32 * w, 0), 32);
    const rest = kept === 32 ? 0 : 0xffffffff >>> kept;
    first.writeUInt32BE(word, 4 * w);
    last.writeUInt32BE((word | rest) >>> 0, 4 * w);
  });
  return { first, last };
}
