/** Detects the format of a body, by what the source says about it and by its first bytes; and rejects what is not a list. */
import type { Parsed } from '../../core/address.ts';

/** The format of a list; `auto`: detect it. */
export type ListFormat = 'text' | 'json' | 'csv';

export interface ListLabels {
  /** Value of Content-Type, parameters included. */
  readonly contentType: string | null;
  /** Path of the URL. */
  readonly path: string;
}

const FIRST_BYTES = 4096;

/** The first bytes of binary files, and what to say about them. */
const BINARY: readonly (readonly [bytes: readonly number[], what: string])[] = [
  [[0xff, 0xfe], 'is in UTF-16: have it served in UTF-8'],
  [[0xfe, 0xff], 'is in UTF-16: have it served in UTF-8'],
  [[0x1f, 0x8b], 'is a gzip file: have it served unpacked, or with Content-Encoding: gzip'],
  [[0x28, 0xb5, 0x2f, 0xfd], 'is a Zstandard file: have it served unpacked, or with Content-Encoding: zstd'],
  [[0xfd, 0x37, 0x7a, 0x58, 0x5a], 'is an xz file: have it served unpacked'],
  [[0x42, 0x5a, 0x68], 'is a bzip2 file: have it served unpacked'],
  [[0x50, 0x4b, 0x03, 0x04], 'is a ZIP file: have it served unpacked'],
  [[0x25, 0x50, 0x44, 0x46], 'is a PDF: give the URL of the list itself'],
];

/** Why the body can't be a list in any format, or null. */
export function notAList(body: Uint8Array, { contentType }: ListLabels): string | null {
  const binary = BINARY.find(([bytes]) => bytes.every((byte, i) => body[i] === byte));
  if (binary !== undefined) return `The body ${binary[1]}`;
  const start = firstText(body);
  if (start.includes('\0'))
    return 'The body holds NUL bytes, so it is in UTF-16 or no text: have it served in UTF-8';
  if (start.startsWith('<')) {
    const what = /^<(!doctype html|html|head|body|script|title)/i.test(start)
      ? 'an HTML page'
      : 'HTML or XML';
    return `The body is ${what} in place of a list, such as pages for sign-in or errors are: open the URL to see what it says`;
  }
  if (/^\s*(image|audio|video|font)\//i.test(contentType ?? '')) {
    return `The body is of type ${JSON.stringify(contentType!.slice(0, 60))}, no list: give the URL of the list itself`;
  }
  return null;
}

/** Whether the body contains only blanks. */
export function isBlank(body: Uint8Array): boolean {
  return body.length <= FIRST_BYTES && firstText(body) === '';
}

/**
 * The format for `auto`. The beginning decides between JSON and the rest, since many lists are served with a wrong type; then a configured
 * JSON path or CSV column; then the type; then the name.
 */
export function detectFormat(
  body: Uint8Array,
  { contentType, path }: ListLabels,
  { jsonPath, csvColumn }: { readonly jsonPath: string | null; readonly csvColumn: string | null },
): ListFormat {
  // A bracket may also begin an IPv6 address or a heading of a text list.
  if (/^(\{|\[\s*["[{\]]|\[\s*$)/.test(firstText(body))) return 'json';
  if (jsonPath !== null) return 'json';
  if (csvColumn !== null) return 'csv';
  const [type = ''] = (contentType ?? '').toLowerCase().split(';');
  if (/^\s*(application|text)\/([a-z0-9.-]+\+)?json\s*$/.test(type) || /\.json$/i.test(path)) return 'json';
  if (/^\s*(text|application)\/csv\s*$/.test(type) || /\.csv$/i.test(path)) return 'csv';
  return 'text';
}

/** The body as text for readers that need a string; fails unless it is valid UTF-8. A byte order mark is dropped. */
export function decodeUtf8(body: Uint8Array): Parsed<string> {
  try {
    return { ok: true, value: new TextDecoder('utf-8', { fatal: true }).decode(body) };
  } catch {
    return { ok: false, reason: 'The body is not in UTF-8: have it served in UTF-8' };
  }
}

/** The trimmed beginning, for detection. */
function firstText(body: Uint8Array): string {
  return new TextDecoder('utf-8').decode(body.subarray(0, FIRST_BYTES)).trim();
}
