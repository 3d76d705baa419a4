import { gunzipSync } from 'node:zlib';
import { prefixesFromValues } from '../../core/text/prefix-text.ts';
import { type ReadAsn, type UnreadAsn, judgeAsn, refusedAsn } from './answer.ts';

const TAB = 0x09;
const LF = 0x0a;

/** A table of the whole Internet takes about 40 MiB. */
const MAX_TABLE_BYTES = 256 * 2 ** 20;

export interface TableToRead {
  /** As downloaded, with or without gzip (RFC 1952). */
  readonly body: Uint8Array<ArrayBuffer>;
  readonly asns: readonly number[];
  readonly bogons: 'drop' | 'allow';
}

export interface ReadTable {
  readonly ok: true;
  /** One for every AS of the question, in that order. */
  readonly found: readonly (ReadAsn | UnreadAsn)[];
}

/**
 * The ranges of the wanted ASes, from lines of first address, last address and AS number, separated by tabs; further columns are ignored.
 * Only the lines of wanted ASes are parsed completely. Never throws for any content.
 */
export function readAsnTable({ body, asns, bogons }: TableToRead): ReadTable | UnreadAsn {
  const table = unpackTable(body);
  if (!table.ok) return table;
  const wanted = new Map(asns.map((asn) => [asn, [] as { line: number; text: string }[]]));
  const refused = walkTable(table.text, ({ line, asn, first, last }) =>
    wanted.get(asn)?.push({ line, text: `${first()}-${last()}` }),
  );
  return (
    refused ?? { ok: true, found: asns.map((asn) => judgeAsn(prefixesFromValues(wanted.get(asn)!), bogons)) }
  );
}

/** The bytes of its lines. */
export function unpackTable(
  body: Uint8Array<ArrayBuffer>,
): { readonly ok: true; readonly text: Buffer } | UnreadAsn {
  try {
    const table = isGzip(body) ? gunzipSync(body, { maxOutputLength: MAX_TABLE_BYTES }) : body;
    return { ok: true, text: Buffer.from(table.buffer, table.byteOffset, table.length) };
  } catch (error) {
    const tooLarge = (error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE';
    return tooLarge
      ? refusedAsn('source_too_large', `The table unpacks to more than ${MAX_TABLE_BYTES / 2 ** 20} MiB`)
      : refusedAsn(
          'source_unparseable',
          'The table begins as gzip does, but does not unpack: it may be cut off',
        );
  }
}

function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** The parts of a line, read when they are asked for. */
export interface TableLine {
  readonly line: number;
  readonly asn: number;
  readonly first: () => string;
  readonly last: () => string;
  readonly name: () => string | null;
}

/** Behind the AS number there may be a country, and then what the AS is called. */
function nameIn(columns: string): string | null {
  const [, , name = ''] = columns.trimEnd().split('\t');
  return name === '' ? null : name;
}

/** Null: all lines were read. A line of another shape means another kind of file: it ends the reading, and nothing of the file is used. */
export function walkTable(text: Buffer, onLine: (line: TableLine) => void): UnreadAsn | null {
  let rows = 0;
  let line = 0;
  for (let at = 0; at < text.length; line++) {
    const lineFeed = text.indexOf(LF, at);
    const end = lineFeed < 0 ? text.length : lineFeed;
    const start = at;
    at = end + 1;
    if (end === start || text[start] === 0x23 || (end === start + 1 && text[start] === 0x0d)) continue;
    const firstEnd = text.indexOf(TAB, start);
    const lastEnd = firstEnd < 0 || firstEnd > end ? -1 : text.indexOf(TAB, firstEnd + 1);
    const asn = lastEnd < 0 || lastEnd > end ? -1 : numberAt(text, lastEnd + 1, end);
    if (asn < 0)
      return refusedAsn(
        'source_unparseable',
        `Line ${line + 1} of the table is not first address, last address and AS number, tab-separated`,
      );
    rows++;
    onLine({
      line: line + 1,
      asn,
      first: () => text.toString('latin1', start, firstEnd),
      last: () => text.toString('latin1', firstEnd + 1, lastEnd),
      name: () => nameIn(text.toString('utf8', lastEnd + 1, end)),
    });
  }
  return rows === 0 ? refusedAsn('source_empty', 'The table has no line: see what the URL serves') : null;
}

/** The number up to a tab or the end of the line, with or without "AS"; -1 if there is none. */
function numberAt(text: Buffer, from: number, end: number): number {
  let at = from;
  if ((text[at]! | 0x20) === 0x61 && (text[at + 1]! | 0x20) === 0x73) at += 2;
  const first = at;
  let value = 0;
  for (; at < end && text[at]! >= 0x30 && text[at]! <= 0x39; at++) value = value * 10 + text[at]! - 0x30;
  const isEnd = at === end || text[at] === TAB || text[at] === 0x0d;
  return isEnd && at > first && at - first <= 10 ? value : -1;
}
