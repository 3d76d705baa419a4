/**
 * `routes.pct`: a table of routes in one file; and `routes.delta`, the difference from another table to it. Neither is compressed, since
 * the output of compressors depends on their versions: here the same table is the same bytes everywhere, so a reader that applied a delta
 * can verify by the hash that it has the very file that was signed.
 *
 *     routes.pct     length of the table's manifest, the manifest (core/stored/table-manifest.ts); for each block that it names, in order:
 *                    length, a zero, the block (core/stored/table-block.ts)
 *     routes.delta   content hash of the table before (32 bytes); a zero, the delta (core/stored/table-delta.ts)
 *
 * Lengths are numbers in base 128, as in the table itself.
 */
import { ByteReader, ByteStreamError, ByteWriter } from '../core/stored/byte-stream.ts';
import type { PrefixTable } from '../core/tables/prefix-table.ts';
import { TableCodecError, blockHashes, decodeTable } from '../core/stored/table-codec.ts';
import { cutTable } from '../core/stored/table-cut.ts';
import { applyDelta, encodeDelta } from '../core/stored/table-delta.ts';
import { packPlain } from '../core/stored/table-packing.ts';
import { BundleError, corrupt, orCorrupt } from './bundle-error.ts';

const HASH_BYTES = 32;

export interface RoutesPart {
  readonly contentHash: string;
  readonly bytes: Uint8Array;
}

/** O(rows). Throws like {@link cutTable} for a table that may not be stored. */
export function encodeRoutes(table: PrefixTable): RoutesPart {
  const { contentHash, manifest, blocks } = cutTable(table);
  const size = blocks.reduce((sum, { content }) => sum + content.length + 8, manifest.length + 8);
  const writer = new ByteWriter(size);
  writer.varint(manifest.length);
  writer.append(manifest);
  for (const { content } of blocks) {
    writer.varint(content.length + 1);
    writer.append(packPlain(content));
  }
  return { contentHash, bytes: writer.written() };
}

/**
 * The table with this content hash.
 * The table, which has this content hash.
 * @throws {BundleError} `bundle_corrupt`
 */
export function decodeRoutes({ contentHash, bytes }: RoutesPart): PrefixTable {
  const reader = new ByteReader(bytes);
  const { manifest, blocks } = orCorrupt(ByteStreamError, () => {
    const found = reader.take(reader.varint());
    const names = orCorrupt(TableCodecError, () => blockHashes(found));
    const read = new Map(names.map((name) => [name, reader.take(reader.varint())]));
    return { manifest: found, blocks: read };
  });
  if (reader.left > 0) throw corrupt('something stands behind the routes');
  if (Buffer.from(manifest.subarray(-HASH_BYTES)).toString('hex') !== contentHash)
    throw corrupt('the routes are not those that the manifest names');
  return orCorrupt(TableCodecError, () => decodeTable(manifest, blocks));
}

/** Null when the tables differ by more than a delta may contain. O(rows). */
export function encodeRoutesDelta(
  baseHash: string,
  base: PrefixTable,
  table: PrefixTable,
): Uint8Array | null {
  const delta = encodeDelta(base, table, packPlain);
  return delta === null ? null : Buffer.concat([Buffer.from(baseHash, 'hex'), delta]);
}

/** A table that the reader has already, by its content hash. */
export interface BaseTable {
  readonly contentHash: string;
  readonly table: PrefixTable;
}

/**
 * The table after the delta, which may be any well-formed one: callers that must be sure compare hashes.
 * @throws {BundleError} `base_missing`, `bundle_corrupt`
 */
export function decodeRoutesDelta(bytes: Uint8Array, base: BaseTable | undefined): PrefixTable {
  const baseHash = Buffer.from(bytes.subarray(0, HASH_BYTES)).toString('hex');
  if (base?.contentHash !== baseHash)
    throw new BundleError(
      'base_missing',
      `The bundle holds what changed since the content ${baseHash}, which is not here. Fetch the whole bundle.`,
    );
  return orCorrupt(TableCodecError, () => applyDelta(base.table, bytes.subarray(HASH_BYTES)));
}
