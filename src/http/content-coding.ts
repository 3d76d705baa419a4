/** Content codings (RFC 9110, section 8.4), and how answers get into them. */
import { promisify } from 'node:util';
import { brotliCompress, constants, createGzip, createZstdCompress, gzip, zstdCompress } from 'node:zlib';
import type { Transform } from 'node:stream';

const ENCODERS = {
  zstd: promisify(zstdCompress),
  br: (bytes: Buffer): Promise<Buffer> =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: promisify(gzip),
} as const;

export type Coding = keyof typeof ENCODERS;

/** Of those that compress a stream; for one, `br` takes too long. */
export const STREAM_CODINGS = ['zstd', 'gzip'] as const;
const STREAM_ENCODERS: Readonly<Record<(typeof STREAM_CODINGS)[number], () => Transform>> = {
  zstd: () => createZstdCompress(),
  gzip: () => createGzip({ level: 4 }),
};

/** Bytes; what is shorter gains nothing. */
export const WORTH_CODING = 1_024;

export function encode(bytes: Buffer, coding: Coding): Promise<Buffer> {
  return ENCODERS[coding](bytes);
}

export function encoder(coding: (typeof STREAM_CODINGS)[number]): Transform {
  return STREAM_ENCODERS[coding]();
}

/** The entity tag of the same answer in this coding: each representation has its own (RFC 9110, section 8.8.3.3). */
export function tagOf(tag: string, coding: Coding | null): string {
  return coding === null ? tag : `${tag.slice(0, -1)}-${coding}"`;
}
