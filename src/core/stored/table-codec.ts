/**
 * Tables as bytes: a manifest that names blocks by the hash of their content, and the blocks, packed. Files: table-cut.ts (where blocks
 * end, and the content hash), table-block.ts (rows as bytes), table-manifest.ts, table-packing.ts; and on top of them table-delta.ts and
 * stored-table.ts, for tables that differ little from a stored one.
 */
import { hash } from 'node:crypto';
import { type Family, widthOf } from '../address.ts';
import { compareWords } from '../bits.ts';
import { ByteStreamError } from './byte-stream.ts';
import type { PrefixRows, PrefixTable } from '../tables/prefix-table.ts';
import { type Block, BlockError, decodeBlock } from './table-block.ts';
import { type CutTable, MAX_BLOCK_BYTES, MAX_TABLE_ROWS, cutTable } from './table-cut.ts';
import { LabelSetCollector } from './table-labels.ts';
import { type BlockEntry, TableCodecError, readManifest } from './table-manifest.ts';
import { pack, unpack } from './table-packing.ts';

export { MAX_LABEL_MEMBERS, MAX_TABLE_ROWS } from './table-cut.ts';
export { TableCodecError } from './table-manifest.ts';

export interface EncodedBlock extends BlockEntry {
  readonly bytes: Uint8Array;
}

export interface EncodedTable {
  /** SHA-256, 64 hexadecimal digits: equal for equal tables, whatever order they were built in. */
  readonly contentHash: string;
  readonly manifest: Uint8Array;
  readonly blocks: readonly EncodedBlock[];
}

/**
 * Bytes of a table. O(rows). Throws RangeError for a table beyond {@link MAX_TABLE_ROWS}, {@link MAX_LABEL_MEMBERS}, MAX_LABEL_CHARACTERS
 * or with labels of more than 16 MiB on one row, and TypeError for a label that is not well-formed Unicode.
 */
export function encodeTable(table: PrefixTable): EncodedTable {
  return packTable(cutTable(table));
}

/** All blocks are in one buffer, which can be transferred to another thread as a whole. */
export function packTable({ contentHash, manifest, blocks }: CutTable): EncodedTable {
  const packed = blocks.map(({ content }) => pack(content));
  const memory = new Uint8Array(packed.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  const encoded = blocks.map(({ family, count, hash: name }, i) => {
    const bytes = memory.subarray(at, at + packed[i]!.length);
    bytes.set(packed[i]!);
    at += bytes.length;
    return { family, count, hash: name, bytes };
  });
  return { contentHash, manifest, blocks: encoded };
}

/** Hashes of the blocks that {@link decodeTable} needs, in order. Throws TableCodecError for a damaged manifest. */
export function blockHashes(manifest: Uint8Array): string[] {
  return readManifest(manifest).map((entry) => entry.hash);
}

/**
 * The table of a manifest; `blocks` maps each of {@link blockHashes} to its bytes. O(rows). Every block is checked against its hash and
 * every row against the order, so the result is well-formed whatever the source of the bytes. Throws TableCodecError.
 */
export function decodeTable(manifest: Uint8Array, blocks: ReadonlyMap<string, Uint8Array>): PrefixTable {
  const entries = readManifest(manifest);
  requireFewRows(entries);
  const labelSets = new LabelSetCollector();
  const rowsOf = (family: Family): number =>
    entries.reduce((sum, entry) => (entry.family === family ? sum + entry.count : sum), 0);
  const families = {
    ipv4: new FamilyRows('ipv4', rowsOf('ipv4'), labelSets),
    ipv6: new FamilyRows('ipv6', rowsOf('ipv6'), labelSets),
  };
  for (const block of readBlocks(entries, blocks)) families[block.rows.family].append(block);
  const [ipv4, ipv6] = [families.ipv4.toRows(), families.ipv6.toRows()];
  return { labelSets: labelSets.finish([ipv4.labels, ipv6.labels]), ipv4, ipv6 };
}

/** Throws TableCodecError when blocks claim more rows than a table may have. */
export function requireFewRows(entries: readonly BlockEntry[]): void {
  const rowCount = entries.reduce((sum, entry) => sum + entry.count, 0);
  if (rowCount > MAX_TABLE_ROWS) {
    throw new TableCodecError(`The manifest names ${rowCount} rows, beyond ${MAX_TABLE_ROWS}`);
  }
}

/** Yields the blocks, each verified: its hash, its rows, and that they sort after those of the block before. */
export function* readBlocks(
  entries: readonly BlockEntry[],
  blocks: ReadonlyMap<string, Uint8Array>,
): Generator<Block, void> {
  let last: PrefixRows | null = null;
  for (const entry of entries) {
    const block = readBlock(entry, blocks);
    if (last?.family === 'ipv6' && entry.family === 'ipv4') {
      throw new TableCodecError('The manifest has IPv4 blocks behind IPv6 ones');
    }
    if (last?.family === entry.family && !endsBelow(last, block.rows)) {
      throw new TableCodecError(`The block ${entry.hash} is out of order`);
    }
    last = block.rows;
    yield block;
  }
}

/** Whether the last row of the one block sorts before the first row of the other. */
function endsBelow(last: PrefixRows, next: PrefixRows): boolean {
  const width = widthOf(last.family);
  const at = last.size - 1;
  return (
    (compareWords(last.words, at * width, next.words, 0, width) || last.lengths[at]! - next.lengths[0]!) < 0
  );
}

function readBlock(entry: BlockEntry, blocks: ReadonlyMap<string, Uint8Array>): Block {
  const bytes = blocks.get(entry.hash);
  const name = `The block ${entry.hash}`;
  if (bytes === undefined) throw new TableCodecError(`${name} is missing`);
  const content = unpack(bytes, MAX_BLOCK_BYTES);
  if (content === null) throw new TableCodecError(`${name} can't be unpacked`);
  if (hash('sha256', content) !== entry.hash) throw new TableCodecError(`${name} does not match its hash`);
  try {
    const block = decodeBlock(content);
    if (block.rows.family !== entry.family || block.rows.size !== entry.count) {
      throw new TableCodecError(`${name} holds other rows than the manifest says`);
    }
    return block;
  } catch (error) {
    if (error instanceof ByteStreamError || error instanceof BlockError) {
      throw new TableCodecError(`${name} ${error.message}`);
    }
    throw error;
  }
}

/** Collects the rows of one family from its blocks. */
class FamilyRows {
  readonly #family: Family;
  readonly #words: Uint32Array;
  readonly #lengths: Uint8Array;
  readonly #labels: Uint32Array;
  readonly #labelSets: LabelSetCollector;
  #size = 0;

  /** For `size` rows. */
  constructor(family: Family, size: number, labelSets: LabelSetCollector) {
    this.#family = family;
    this.#words = new Uint32Array(size * widthOf(family));
    this.#lengths = new Uint8Array(size);
    this.#labels = new Uint32Array(size);
    this.#labelSets = labelSets;
  }

  append({ labelSets, rows }: Block): void {
    const size = this.#size;
    const words = this.#words;
    const lengths = this.#lengths;
    const width = widthOf(this.#family);
    words.set(rows.words, size * width);
    lengths.set(rows.lengths, size);
    const numbers = labelSets.map((labels) => this.#labelSets.numberOf(labels));
    if (numbers.length === 1) this.#labels.fill(numbers[0]!, size, size + rows.size);
    else for (let i = 0; i < rows.size; i++) this.#labels[size + i] = numbers[rows.labels[i]!]!;
    this.#size += rows.size;
  }

  /** The labels are numbers of the collector until it finishes. */
  toRows(): PrefixRows {
    const family = this.#family;
    const size = this.#size;
    const words = this.#words;
    const lengths = this.#lengths;
    const labels = this.#labels;
    return { family, size, words, lengths, labels };
  }
}
