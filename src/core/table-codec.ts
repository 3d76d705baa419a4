/**
 * Tables as bytes: a manifest that names blocks by the hash of their content, and the blocks, compressed. Blocks are cut where
 * the content says so, not at a fixed count, so that a table that differs in a few rows cuts all others alike and shares
 * their blocks:
 *
 *     table A   aaaaaaaa|bbbbbb|cccccccccc|ddddd
 *     table B   aaaaaaaa|bbXbbb|cccccccccc|ddddd        one new block; the rest is stored once
 *
 *     manifest  "PFXT", version 1; number of blocks; for each: family (4 or 6), rows (number), SHA-256 of the block before
 *               compression; SHA-256 of all this, which is the content hash
 *     block     1 byte: how it is packed (1: Brotli, RFC 7932); then the packed bytes. How a block is packed is no part
 *               of its hash.
 *
 * The manifest follows from the table alone, so equal tables have equal content hashes. A change of the cutting or of the
 * layout of blocks therefore needs a new version.
 */
import { hash } from 'node:crypto';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { FAMILIES, type Family, widthOf } from './address.ts';
import { compareWords } from './bits.ts';
import { ByteReader, ByteStreamError, ByteWriter } from './byte-stream.ts';
import { compareLabelSets } from './label-sets.ts';
import { PrefixBuffer } from './prefix-buffer.ts';
import type { PrefixRows, PrefixTable } from './prefix-table.ts';
import { type Block, BlockError, decodeBlock, encodeBlock } from './table-block.ts';

export interface EncodedBlock {
  /** SHA-256 of the block before compression, 64 hexadecimal digits. */
  readonly hash: string;
  readonly bytes: Uint8Array;
  readonly family: Family;
  readonly count: number;
}

export interface EncodedTable {
  /** SHA-256, 64 hexadecimal digits: equal for equal tables, whatever order they were built in. */
  readonly contentHash: string;
  readonly manifest: Uint8Array;
  readonly blocks: readonly EncodedBlock[];
}

/** Stored bytes are damaged, incomplete or made to do harm. The message says which part. */
export class TableCodecError extends Error {
  override readonly name = 'TableCodecError';
}

const MAGIC = [0x50, 0x46, 0x58, 0x54];
const VERSION = 1;
const HASH_BYTES = 32;
const PACKED_BROTLI = 1;

/** Rows of a block: at least, on average above that, at most. */
const MIN_ROWS = 512;
const CUT_ONE_IN = 2048;
const MAX_ROWS = 8192;
/** Labels (as counted by {@link labelWeight}) after which a block is cut whatever its rows. */
const MAX_LABEL_WEIGHT = 256 * 1024;
/** A block's size before compression, so that a hostile one can't unpack to more. */
const MAX_BLOCK_BYTES = 16 * 1024 * 1024;

/** What a stored table may hold: rows of both families, and members of its label sets. */
export const MAX_TABLE_ROWS = 2 ** 24;
export const MAX_LABEL_MEMBERS = 2 ** 23;

/**
 * Bytes of a table. O(rows). Throws RangeError for a table beyond {@link MAX_TABLE_ROWS}, {@link MAX_LABEL_MEMBERS} or with
 * labels of more than 16 MiB on one row, and TypeError for a label that is not well-formed Unicode.
 */
export function encodeTable(table: PrefixTable): EncodedTable {
  requireStorable(table);
  const blocks: EncodedBlock[] = [];
  const writer = new ByteWriter();
  writer.append(Uint8Array.from([...MAGIC, VERSION]));
  for (const family of FAMILIES) {
    const rows = table[family];
    for (let from = 0; from < rows.size;) {
      const to = cutBehind(table.labelSets, rows, from);
      const content = encodeBlock(table.labelSets, rows, from, to);
      if (content.length > MAX_BLOCK_BYTES) {
        throw new RangeError(`The labels of row ${from} (${family}) need more than ${MAX_BLOCK_BYTES} bytes`);
      }
      blocks.push({ hash: hash('sha256', content), bytes: pack(content), family, count: to - from });
      from = to;
    }
  }
  writer.varint(blocks.length);
  for (const block of blocks) {
    writer.byte(block.family === 'ipv4' ? 4 : 6);
    writer.varint(block.count);
    writer.append(Buffer.from(block.hash, 'hex'));
  }
  const contentHash = hash('sha256', writer.written());
  writer.append(Buffer.from(contentHash, 'hex'));
  return { contentHash, manifest: writer.written().slice(), blocks };
}

function requireStorable(table: PrefixTable): void {
  const rows = table.ipv4.size + table.ipv6.size;
  if (rows > MAX_TABLE_ROWS) throw new RangeError(`A table of ${rows} rows is beyond ${MAX_TABLE_ROWS}`);
  let members = 0;
  for (const labels of table.labelSets) {
    members += labels.length;
    const malformed = labels.find((label) => !label.isWellFormed());
    if (malformed !== undefined)
      throw new TypeError(`The label ${JSON.stringify(malformed)} is not well-formed Unicode`);
  }
  if (members > MAX_LABEL_MEMBERS) {
    throw new RangeError(`Label sets with ${members} labels together are beyond ${MAX_LABEL_MEMBERS}`);
  }
}

/** End (not included) of the block that begins at row `from`. Depends on the rows behind `from` alone. */
function cutBehind(labelSets: readonly (readonly string[])[], rows: PrefixRows, from: number): number {
  const last = Math.min(rows.size, from + MAX_ROWS);
  const seen = new Set<number>();
  let weight = 0;
  for (let i = from; i < last; i++) {
    const set = rows.labels[i]!;
    if (!seen.has(set)) {
      const added = labelWeight(labelSets[set]!);
      if (i > from && weight + added > MAX_LABEL_WEIGHT) return i;
      weight += added;
      seen.add(set);
    }
    if (i + 1 - from >= MIN_ROWS && mix(rows, i) % CUT_ONE_IN === 0) return i + 1;
  }
  return last;
}

/** About what a label set adds to a block, in bytes. */
function labelWeight(labels: readonly string[]): number {
  return labels.reduce((sum, label) => sum + label.length + 4, 0);
}

/** A number that looks random but follows from the prefix, so that the same prefix ends a block in every table. */
function mix(rows: PrefixRows, i: number): number {
  const width = widthOf(rows.family);
  let mixed = rows.lengths[i]!;
  for (let w = 0; w < width; w++) {
    mixed = Math.imul(mixed ^ rows.words[i * width + w]!, 0x9e3779b1);
    mixed ^= mixed >>> 15;
  }
  mixed = Math.imul(mixed, 0x85ebca6b);
  return (mixed ^ (mixed >>> 13)) >>> 0;
}

function pack(content: Uint8Array): Uint8Array {
  const packed = brotliCompressSync(content, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 4,
      [constants.BROTLI_PARAM_LGWIN]: 18,
      [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
    },
  });
  // Memory of its own, so that a block can be handed to another thread.
  const bytes = new Uint8Array(packed.length + 1);
  bytes[0] = PACKED_BROTLI;
  bytes.set(packed, 1);
  return bytes;
}

interface ManifestEntry {
  readonly family: Family;
  readonly count: number;
  readonly hash: string;
}

/** Hashes of the blocks that {@link decodeTable} needs, in order. Throws TableCodecError for a damaged manifest. */
export function blockHashes(manifest: Uint8Array): string[] {
  return readManifest(manifest).map((entry) => entry.hash);
}

function readManifest(manifest: Uint8Array): ManifestEntry[] {
  const body = manifest.subarray(0, Math.max(0, manifest.length - HASH_BYTES));
  const checksum = Buffer.from(manifest.subarray(body.length)).toString('hex');
  if (body.length < MAGIC.length + 2 || !MAGIC.every((byte, i) => body[i] === byte)) {
    throw new TableCodecError('The manifest is not one of a prefix table');
  }
  if (body[MAGIC.length] !== VERSION) {
    throw new TableCodecError(
      `The manifest has version ${body[MAGIC.length]}, and only ${VERSION} is known here`,
    );
  }
  if (hash('sha256', body) !== checksum)
    throw new TableCodecError('The manifest does not match its checksum');
  const reader = new ByteReader(body.subarray(MAGIC.length + 1));
  try {
    const entries: ManifestEntry[] = [];
    const blockCount = reader.varint();
    while (entries.length < blockCount) {
      const family = reader.byte();
      if (family !== 4 && family !== 6) throw new TableCodecError(`The manifest names a family ${family}`);
      entries.push({
        family: family === 4 ? 'ipv4' : 'ipv6',
        count: reader.varint(),
        hash: Buffer.from(reader.take(HASH_BYTES)).toString('hex'),
      });
    }
    if (reader.left > 0) throw new TableCodecError('The manifest has bytes behind its end');
    return entries;
  } catch (error) {
    if (error instanceof ByteStreamError) throw new TableCodecError(`The manifest ${error.message}`);
    throw error;
  }
}

/**
 * The table of a manifest; `blocks` maps each of {@link blockHashes} to its bytes. O(rows). Every block is checked against its
 * hash and every row against the order, so what comes back is well-formed whoever made the bytes. Throws TableCodecError.
 */
export function decodeTable(manifest: Uint8Array, blocks: ReadonlyMap<string, Uint8Array>): PrefixTable {
  const entries = readManifest(manifest);
  const rowCount = entries.reduce((sum, entry) => sum + entry.count, 0);
  if (rowCount > MAX_TABLE_ROWS) {
    throw new TableCodecError(`The manifest names ${rowCount} rows, beyond ${MAX_TABLE_ROWS}`);
  }
  const labelSets = new LabelSetCollector();
  const families = { ipv4: new FamilyRows('ipv4', labelSets), ipv6: new FamilyRows('ipv6', labelSets) };
  let ipv6Seen = false;
  for (const entry of entries) {
    if (entry.family === 'ipv6') ipv6Seen = true;
    else if (ipv6Seen) throw new TableCodecError('The manifest has IPv4 blocks behind IPv6 ones');
    families[entry.family].append(readBlock(entry, blocks), entry.hash);
  }
  const { sorted, places } = labelSets.finish();
  return { labelSets: sorted, ipv4: families.ipv4.toRows(places), ipv6: families.ipv6.toRows(places) };
}

function readBlock(entry: ManifestEntry, blocks: ReadonlyMap<string, Uint8Array>): Block {
  const bytes = blocks.get(entry.hash);
  const name = `The block ${entry.hash}`;
  if (bytes === undefined) throw new TableCodecError(`${name} is missing`);
  if (bytes[0] !== PACKED_BROTLI) throw new TableCodecError(`${name} is packed in no known way`);
  let content: Uint8Array;
  try {
    content = brotliDecompressSync(bytes.subarray(1), { maxOutputLength: MAX_BLOCK_BYTES });
  } catch (error) {
    throw new TableCodecError(`${name} can't be unpacked`, { cause: error });
  }
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

/** Rows of one family as its blocks come in. */
class FamilyRows {
  private readonly prefixes: PrefixBuffer;
  private readonly labels: Uint32Array[] = [];
  private readonly labelSets: LabelSetCollector;

  constructor(family: Family, labelSets: LabelSetCollector) {
    this.prefixes = new PrefixBuffer(family);
    this.labelSets = labelSets;
  }

  append({ labelSets, rows }: Block, name: string): void {
    const { width, size, words, lengths } = this.prefixes;
    if (size > 0) {
      const order =
        compareWords(words, (size - 1) * width, rows.words, 0, width) ||
        lengths[size - 1]! - rows.lengths[0]!;
      if (order >= 0) throw new TableCodecError(`The block ${name} is out of order`);
    }
    this.prefixes.pushAll(rows);
    const numbers = labelSets.map((labels) => this.labelSets.numberOf(labels));
    this.labels.push(rows.labels.map((set) => numbers[set]!));
  }

  toRows(places: Uint32Array): PrefixRows {
    const labels = new Uint32Array(this.prefixes.size);
    let at = 0;
    for (const column of this.labels) for (const number of column) labels[at++] = places[number]!;
    return { ...this.prefixes.toList(), labels };
  }
}

/** Joins the label sets of blocks into those of a table. */
class LabelSetCollector {
  private readonly numbers = new Map<string, number>();
  private readonly labelSets: (readonly string[])[] = [];
  private members = 0;

  numberOf(labels: readonly string[]): number {
    const key = JSON.stringify(labels);
    let number = this.numbers.get(key);
    if (number === undefined) {
      this.members += labels.length;
      if (this.members > MAX_LABEL_MEMBERS) {
        throw new TableCodecError(`The label sets hold more than ${MAX_LABEL_MEMBERS} labels`);
      }
      number = this.labelSets.push(labels) - 1;
      this.numbers.set(key, number);
    }
    return number;
  }

  /** The sets in ascending order, and for each number its place among them. */
  finish(): { sorted: (readonly string[])[]; places: Uint32Array } {
    const order = this.labelSets.map((labels, number) => ({ labels, number }));
    order.sort((a, b) => compareLabelSets(a.labels, b.labels));
    const places = new Uint32Array(order.length);
    order.forEach(({ number }, place) => (places[number] = place));
    return { sorted: order.map(({ labels }) => labels), places };
  }
}
