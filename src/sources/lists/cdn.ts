/**
 * Sources: collecting prefixes from outside. A CDN source is a URL with a list:
 *
 *     cdn.ts -> fetch.ts (address-guard.ts, decoded-body.ts)      the body, bounded and guarded
 *            -> parse-pool.ts -> read-list.ts                    its prefixes, off the event loop
 *                 (list-format.ts; core's text reader, json-list.ts, csv-list.ts; bogons.ts)
 *
 * IP range entries need no source (`ip-range.ts`). Nothing here stores anything: control keeps the last good prefixes when a source fails,
 * and every failure is a SourceError with a code of `source-error.ts`.
 */
import type { CollectedPrefixes } from '../../core/text/prefix-text.ts';
import type { Bogons } from '../bogons.ts';
import { DEFAULT_LIMITS, type FetchOptions, type FetchRequest, fetchSource } from '../fetch/fetch.ts';
import type { ListFormat } from './list-format.ts';
import { parseList } from './parse-pool.ts';
import type { PrefixCounts, Reading } from './read-list.ts';
import { SourceError } from '../source-error.ts';
import { shownUrl } from '../fetch/source-url.ts';

export { checkCsvColumn } from './csv-list.ts';
export { checkJsonPath } from './json-path.ts';
export { checkSourceUrl } from '../fetch/source-url.ts';

/** A source, how to read it, and the validators of its last good answer. */
export interface CdnRequest extends FetchRequest, Reading {}

export type CdnOptions = FetchOptions & {
  /** How special-purpose prefixes are handled (setting `guard_bogons`). */
  readonly bogons: 'drop' | 'allow';
  /** Only this many prefixes of each family are wanted, the first, and how many there are. */
  readonly first?: number;
};

export interface CdnList {
  readonly notModified: false;
  /** Never empty. */
  readonly prefixes: CollectedPrefixes;
  readonly bogons: Bogons;
  readonly etag: string | null;
  readonly lastModified: string | null;
  /** Size of the body after decoding. */
  readonly bytes: number;
  readonly httpStatus: number;
  readonly contentType: string | null;
  readonly format: ListFormat;
  /** Of all prefixes, where only the first of them were requested; else null. */
  readonly counts: PrefixCounts | null;
  /** Warnings for the owner of the source, as sentences. */
  readonly warnings: readonly string[];
}

/**
 * Fetches and reads the list. Unreadable lines are reported and left out; a list without any readable line is an error.
 *
 * @throws SourceError, or the signal's reason when it aborts
 */
export async function collectCdn(
  source: CdnRequest,
  options: CdnOptions,
): Promise<{ readonly notModified: true } | CdnList> {
  const answer = await fetchSource(source, options);
  if (answer.notModified) return { notModified: true };
  const { bytes: body, url, httpStatus, contentType, etag, lastModified } = answer;
  const { url: _url, headers: _headers, etag: _etag, lastModified: _modified, ...reading } = source;
  const { bogons, signal, first } = options;
  const { parseMs } = { ...DEFAULT_LIMITS, ...options.limits };
  const bytes = body.length;
  const list = { ...reading, body, contentType, path: url.pathname, bogons, first };
  const read = await parseList(list, { signal, parseMs });
  if (!read.ok) throw new SourceError(read.code, `${shownUrl(url)}: ${read.reason}.`, { httpStatus });
  const { ok: _, ...found } = read;
  const answered = { etag, lastModified, bytes, httpStatus, contentType };
  return { notModified: false, ...found, ...answered, warnings: warningsOf(found) };
}

function warningsOf({ prefixes, bogons }: Pick<CdnList, 'prefixes' | 'bogons'>): string[] {
  const warnings: string[] = [];
  const [reject] = prefixes.rejects;
  if (reject !== undefined) {
    warnings.push(`${prefixes.rejectedCount} refused. The first, line ${reject.line}: ${reject.reason}.`);
  }
  const [bogon] = bogons.listed;
  if (bogon !== undefined) {
    warnings.push(`${bogons.count} dropped as special-purpose, such as ${bogon.prefix}: ${bogon.within}.`);
  }
  return warnings;
}
