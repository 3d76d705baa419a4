/**
 * Bytes made small for storage: a byte that says how they are packed, then the packed bytes. How something is packed is no part
 * of any hash, so a better way may come at any time; what was packed in an older one stays readable.
 *
 *     0   as they are: the same bytes from every version of every program
 *     1   one Brotli stream (RFC 7932); read, no longer written
 *     2   Zstandard frames (RFC 8878), each with its length before it. What they hold belongs together in this order
 *
 * One frame is written. A frame for each column would be an eighth smaller, and takes a third longer to read: what takes the time is
 * making the decoder.
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

/** How it is packed, and the length of the frame. */
const MAX_HEAD_BYTES = 6;

/** A frame may not ask for a larger window than this: 16 MiB, as much as a block may hold. */
const WINDOW_LOG_MAX = 24;

/** More than a block has columns. Each takes a decoder and a piece of memory, however little it holds. */
const MAX_FRAMES = 16;

/** As much as most blocks hold: what is larger comes in pieces that are joined. */
const CHUNK_BYTES = 32_768;

export function pack(content: Uint8Array): Uint8Array {
  return packFrame(content, FAST);
}

/** {@link pack} with a checksum, which {@link unpack} checks: for bytes of which nothing else tells that they are good. */
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

/** For bytes that are signed, or that others read: a byte more, and no compressor. */
export function packPlain(content: Uint8Array): Uint8Array {
  const packed = new Uint8Array(content.length + 1);
  packed[0] = PLAIN;
  packed.set(content, 1);
  return packed;
}

/** Null when they are packed in no known way, are damaged, or hold more than `maxBytes`. */
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
