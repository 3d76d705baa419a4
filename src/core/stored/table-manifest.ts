/**
 * The manifest of a stored table: its list of blocks. It depends only on the table, so its hash stands for the content.
 *
 *     "PFXT", version 1; number of blocks; for each: family (4 or 6), rows (number), SHA-256 of the block before it is packed;
 *     SHA-256 of all this, which is the content hash
 */
import { hash } from 'node:crypto';
import type { Family } from '../address.ts';
import { ByteReader, ByteStreamError, ByteWriter } from './byte-stream.ts';

/** Stored bytes are damaged, incomplete or malicious. The message says which part. */
export class TableCodecError extends Error {
  override readonly name = 'TableCodecError';
}

/** A block as a manifest names it. */
export interface BlockEntry {
  readonly family: Family;
  /** Rows. */
  readonly count: number;
  /** SHA-256 of the block before it is packed, 64 hexadecimal digits. */
  readonly hash: string;
}

const MAGIC = [0x50, 0x46, 0x58, 0x54];
const VERSION = 1;
const HASH_BYTES = 32;

/** The manifest of these blocks, and its hash: the content hash of the table. */
export function writeManifest(entries: readonly BlockEntry[]): { contentHash: string; manifest: Uint8Array } {
  const writer = new ByteWriter();
  writer.append(Uint8Array.from([...MAGIC, VERSION]));
  writer.varint(entries.length);
  for (const entry of entries) {
    writer.byte(entry.family === 'ipv4' ? 4 : 6);
    writer.varint(entry.count);
    writer.append(Buffer.from(entry.hash, 'hex'));
  }
  const contentHash = hash('sha256', writer.written());
  writer.append(Buffer.from(contentHash, 'hex'));
  return { contentHash, manifest: writer.written().slice() };
}

/** The content hash of a table without rows. */
export const EMPTY_TABLE_HASH = writeManifest([]).contentHash;

/** Throws TableCodecError for anything that {@link writeManifest} did not write. */
export function readManifest(manifest: Uint8Array): BlockEntry[] {
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
    const entries: BlockEntry[] = [];
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
