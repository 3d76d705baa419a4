/**
 * Compresses bytes for storage: a byte that says how they are packed, then the packed bytes. The packing is not part of any hash, so a
 * better one may be added at any time; older ones stay readable.
 *
 *     0   uncompressed: the same bytes from every version of every program
 *     1   one Brotli stream (RFC 7932); read, no longer written
 *     2   Zstandard frames (RFC 8878), each with its length before it; their contents are joined in this order
 *
 * One frame is written. A frame for each column would be an eighth smaller, but takes a third longer to read, since creating a decoder
 * takes most of the time.
 */
import { brotliDecompressSync, constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { ByteReader, ByteStreamError, ByteWriter } from './byte-stream.ts';

const PLAIN = 0;
const BROTLI = 1;
const ZSTD_FRAMES = 2;

/** Steps are nearly random: short matches among them cost more than they save. */
const FAST = {
  [constants.ZSTD_c_compressionLevel]: 1,
  [constants.ZSTD_c_strategy]: constants.ZSTD_fast,
  [constants.ZSTD_c_minMatch]: 7,
};

/** The packing byte and the length of the frame. */
const MAX_HEAD_BYTES = 6;

/** A frame may not require a larger window than this: 16 MiB, as much as a block may hold. */
const WINDOW_LOG_MAX = 24;

/** More than the columns of a block. Each frame takes a decoder and its memory, however little it holds. */
const MAX_FRAMES = 16;

/** The size of most blocks: larger content comes in pieces that are joined. */
const CHUNK_BYTES = 32_768;

export function pack(content: Uint8Array): Uint8Array {
  return packFrame(content, FAST);
}

/** {@link pack} with a checksum, which {@link unpack} verifies: for bytes that no other hash protects. */
export function packChecked(content: Uint8Array): Uint8Array {
  return packFrame(content, { ...FAST, [constants.ZSTD_c_checksumFlag]: 1 });
}

function packFrame(content: Uint8Array, params: Readonly<Record<number, number>>): Uint8Array {
  const frame = zstdCompressSync(content, { params });
  const writer = new ByteWriter(frame.length + MAX_HEAD_BYTES);
  writer.byte(ZSTD_FRAMES);
  writer.varint(frame.length);
  writer.append(frame);
  return writer.written();
}

/** For bytes that are signed, or that others read: one byte more, and no compressor. */
export function packPlain(content: Uint8Array): Uint8Array {
  const packed = new Uint8Array(content.length + 1);
  packed[0] = PLAIN;
  packed.set(content, 1);
  return packed;
}

/** Null if the packing is unknown, the bytes are damaged, or the content exceeds `maxBytes`. */
export function unpack(bytes: Uint8Array, maxBytes: number): Uint8Array | null {
  const packed = bytes.subarray(1);
  try {
    if (bytes[0] === PLAIN) return packed.length > maxBytes ? null : packed;
    if (bytes[0] === BROTLI) return brotliDecompressSync(packed, { maxOutputLength: maxBytes });
    if (bytes[0] === ZSTD_FRAMES) return unpackFrames(new ByteReader(packed), maxBytes);
  } catch (error) {
    if (!(error instanceof ByteStreamError) && !isZlibError(error)) throw error;
  }
  return null;
}

function unpackFrames(reader: ByteReader, maxBytes: number): Uint8Array {
  const params = { [constants.ZSTD_d_windowLogMax]: WINDOW_LOG_MAX };
  const columns: Uint8Array[] = [];
  let left = maxBytes;
  while (reader.left > 0) {
    const column = zstdDecompressSync(reader.take(reader.varint()), {
      maxOutputLength: Math.max(1, left),
      chunkSize: CHUNK_BYTES,
      params,
    });
    left -= column.length;
    columns.push(column);
    if (left < 0 || column.length === 0 || columns.length > MAX_FRAMES) {
      throw new ByteStreamError('holds too much, or nothing');
    }
  }
  return columns.length === 1 ? columns[0]! : Buffer.concat(columns);
}

/** What Node's zlib throws for damaged input, and for output beyond the limit. */
function isZlibError(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  return (
    typeof code === 'string' && /^(Z_|ZSTD_|ERR_(_ERROR_|BROTLI_|ZSTD_|ZLIB_|BUFFER_TOO_LARGE))/.test(code)
  );
}
