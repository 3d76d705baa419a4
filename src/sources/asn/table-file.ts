import { open } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { DEFAULT_LIMITS, shownSize } from '../fetch/fetch-limits.ts';
import { SourceError } from '../source-error.ts';

export interface FileBody {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Size and time of the last change, in the form of an entity tag (RFC 9110 section 8.8.3). */
  readonly etag: string;
}

/** Reads a file of the operator's (`file:` URL); null if it still matches `etag`. @throws SourceError */
export async function readTableFile(url: URL, etag: string | null): Promise<FileBody | null> {
  const { bodyBytes } = DEFAULT_LIMITS;
  try {
    await using file = await open(fileURLToPath(url), 'r');
    const { size, mtimeMs } = await file.stat();
    if (size > bodyBytes)
      throw new SourceError(
        'source_too_large',
        `${url.href} is larger than ${shownSize(bodyBytes)}: compress it with gzip.`,
      );
    const found = `"${size.toString(16)}-${Math.floor(mtimeMs).toString(16)}"`;
    if (found === etag) return null;
    return { bytes: new Uint8Array(await file.readFile()), etag: found };
  } catch (error) {
    if (error instanceof SourceError) throw error;
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new SourceError(
      'source_unreachable',
      `${url.href} cannot be read (${code}). Check APP_ASN_SOURCE_URL.`,
      {
        cause: error,
      },
    );
  }
}
