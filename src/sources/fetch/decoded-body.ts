import type { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
} from 'node:zlib';
import { GroupPlaces } from '../../concurrency/group-places.ts';
import { currentGroup } from '../../concurrency/groups.ts';
import { type AnyBytes, Parcel } from '../../concurrency/parcel.ts';
import { type FetchLimits, shownSize } from './fetch-limits.ts';
import { SourceError } from '../source-error.ts';

/**
 * Two more codings are understood but not requested. Servers disagree on what deflate is; and zstd may come in several frames (RFC 8878
 * section 3.1), of which Node's decoder reads the first.
 */
export const ACCEPT_ENCODING = 'gzip, br';

/** RFC 9659: over HTTP a window is at most 8 MiB. */
const ZSTD_WINDOW_LOG = 23;

/** Bytes that take about as long to read here as to send to a thread. */
const SHORT_BYTES = 2 ** 18;

/** A longer body waits for one of the places for such bodies, until it is read: four of 64 MiB are what a process holds of them at most. */
const LONG_BODY_BYTES = 2 ** 22;
const longBodies = new GroupPlaces({ inAll: 4, ofGroup: 2, reserved: 1 });

/** Of decoded bytes, as of a socket's. */
const CHUNK_BYTES = 2 ** 16;

/** Below this size no ratio is suspicious. */
const RATIO_FREE_BYTES = 2 ** 20;

export interface BodyOptions {
  /** Value of Content-Encoding; null when there was none. */
  readonly encoding: string | null;
  readonly limits: FetchLimits;
  readonly signal: AbortSignal;
  /** Called with the decoded bytes so far. */
  readonly onBytes: (bytes: number) => void;
  /** Waits for what is no fault of the source's: its time does not run meanwhile. */
  readonly whileWaiting: <T>(wait: Promise<T>) => Promise<T>;
}

/**
 * Reads a body to its end and decodes it, counting bytes before and after the decoder: nothing larger than the limits is ever held. The
 * bytes can be transferred to a thread, and long bodies read there only; the memory of their chunks goes with them.
 * @throws SourceError source_too_large, source_unparseable; errors of the stream
 */
export async function readDecoded(body: Readable, options: BodyOptions): Promise<AnyBytes> {
  const { encoding, limits, signal, onBytes, whileWaiting } = options;
  const gathered = new Gathered();
  const group = currentGroup();
  let wire = 0;
  let size = 0;
  const countWire = async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      wire += chunk.length;
      if (wire > limits.bodyBytes) throw tooLarge(limits);
      yield chunk;
    }
  };
  const gather = async (source: AsyncIterable<Buffer>): Promise<void> => {
    for await (const chunk of source) {
      // It is empty once its memory is on the way to a thread.
      const { length } = chunk;
      size += length;
      if (size > limits.bodyBytes) throw tooLarge(limits);
      if (size > RATIO_FREE_BYTES && size > wire * limits.ratio) throw bomb(limits);
      gathered.add(chunk);
      onBytes(size);
      if (size > LONG_BODY_BYTES && !gathered.hasPlace)
        gathered.keepPlace(await whileWaiting(longBodies.take(group, signal)));
      await paced(length);
    }
  };
  const decode = decoderOf(encoding);
  try {
    if (decode === null) await pipeline(body, countWire, gather, { signal });
    else await pipeline(body, countWire, decode, gather, { signal });
    // Bytes after the end of the coding would be a lost part of the list.
    if (decode !== null && decode.bytesWritten < wire) throw moreBehind(encoding);
  } catch (error) {
    gathered.drop();
    if (decode?.readableEnded === true && isPrematureClose(error)) throw moreBehind(encoding);
    if (isCodecError(error))
      throw new SourceError(
        'source_unparseable',
        `sent a body that is not valid ${encoding}: its server must send what Content-Encoding says.`,
        { cause: error },
      );
    throw error;
  }
  return gathered.end();
}

/** What has arrived: here, while it is short. */
class Gathered {
  readonly #chunks: Uint8Array[] = [];
  #length = 0;
  #parcel: Parcel | null = null;
  #hasPlace = false;
  #isDropped = false;

  get hasPlace(): boolean {
    return this.#hasPlace;
  }

  /** Of a long body: it is given back when that is freed. */
  keepPlace(giveBack: () => void): void {
    this.#hasPlace = true;
    // The connection may have broken while it waited.
    if (this.#isDropped) giveBack();
    else this.#parcel!.whenFreed(giveBack);
  }

  add(chunk: Uint8Array): void {
    this.#length += chunk.length;
    this.#chunks.push(chunk);
    if (this.#length <= SHORT_BYTES) return;
    this.#parcel ??= new Parcel();
    for (const each of this.#chunks.splice(0)) this.#parcel.put(each);
  }

  end(): AnyBytes {
    if (this.#parcel !== null) return this.#parcel;
    const bytes = new Uint8Array(this.#length);
    let at = 0;
    for (const chunk of this.#chunks) {
      bytes.set(chunk, at);
      at += chunk.length;
    }
    return bytes;
  }

  drop(): void {
    this.#isDropped = true;
    this.#parcel?.free();
  }
}

/** Bytes that all bodies together may read in one turn of the event loop: reading or copying them takes about a millisecond. */
const BYTES_PER_TURN = 2 ** 18;
let leftInTurn = BYTES_PER_TURN;
/** As long as that takes, so that half of the time is left to others: a request waits for the event loop at each of its steps. */
const REST_MS = 1;

/** Rests when this turn has reached its share. Meanwhile the stream fills up, and its socket is not read. */
async function paced(bytes: number): Promise<void> {
  leftInTurn -= bytes;
  if (leftInTurn > 0) return;
  await sleep(REST_MS);
  leftInTurn = BYTES_PER_TURN;
}

interface Decoder extends Transform {
  /** Bytes that it has consumed, without anything after its end. */
  readonly bytesWritten: number;
}

/** RFC 9110 section 8.4.1. Only one coding: nested ones occur only in decompression bombs. */
function decoderOf(encoding: string | null): Decoder | null {
  switch (encoding?.trim().toLowerCase() ?? 'identity') {
    case '':
    case 'identity':
      return null;
    case 'gzip':
    case 'x-gzip':
      return createGunzip({ chunkSize: CHUNK_BYTES });
    case 'deflate':
      return createInflate({ chunkSize: CHUNK_BYTES });
    case 'br':
      return createBrotliDecompress({ chunkSize: CHUNK_BYTES });
    case 'zstd':
      return createZstdDecompress({
        chunkSize: CHUNK_BYTES,
        params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG },
      });
    default:
      throw new SourceError(
        'source_unparseable',
        `has the Content-Encoding ${JSON.stringify(encoding!.slice(0, 80))}, which is not one of gzip, deflate, br and zstd.`,
      );
  }
}

function isCodecError(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' && /^(Z_|ZSTD_|ERR_(_ERROR_|BROTLI_|ZSTD_|ZLIB_))/.test(code);
}

/** The error of a pipeline whose decoder ends before its source does. */
function isPrematureClose(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'ERR_STREAM_PREMATURE_CLOSE';
}

function moreBehind(encoding: string | null): SourceError {
  return new SourceError(
    'source_unparseable',
    `sent a body that goes on behind the end of its ${encoding}: its server must send one stream of it, or gzip.`,
  );
}

function tooLarge({ bodyBytes }: FetchLimits): SourceError {
  return new SourceError(
    'source_too_large',
    `is larger than ${shownSize(bodyBytes)}: split the list, or use a smaller one.`,
  );
}

function bomb({ ratio }: FetchLimits): SourceError {
  return new SourceError(
    'source_too_large',
    `unpacks to more than ${ratio} times what was sent, which no list does: have its server send it uncompressed.`,
  );
}
