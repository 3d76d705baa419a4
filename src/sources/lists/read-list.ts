/** Turns the body of a source into prefixes. Pure, so that it runs in threads and outside. */
import { type Family, type Parsed, widthOf } from '../../core/address.ts';
import type { PrefixList } from '../../core/prefix.ts';
import { coverOf } from '../../core/sets/prefix-set.ts';
import { type CollectedPrefixes, parsePrefixText } from '../../core/text/prefix-text.ts';
import { type Bogons, NO_BOGONS, dropBogons } from '../bogons.ts';
import { readCsvList } from './csv-list.ts';
import { type Places, readGeofeed } from './geofeed-list.ts';
import { readJsonList } from './json-list.ts';
import { type ListFormat, type ListLabels, detectFormat, isBlank, notAList } from './list-format.ts';
import type { SourceErrorCode } from '../source-error.ts';
import { ListTooLongError, checkCount } from './value-list.ts';

/** How to read a source, as its owner configured it. */
export interface Reading {
  readonly format: ListFormat | 'auto';
  /** RFC 9535; null: the usual places. */
  readonly jsonPath: string | null;
  /** Header or number from 1; null: the first column. */
  readonly csvColumn: string | null;
  /** The list is a geofeed, and these places are taken from it. */
  readonly places?: Places;
}

export interface ListToRead extends Reading, ListLabels {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly bogons: 'drop' | 'allow';
  /** Only this many of each family are wanted, the first, and how many there are: counted here in the thread, which keeps the rest. */
  readonly first?: number | undefined;
}

export interface ReadList {
  readonly ok: true;
  readonly format: ListFormat;
  readonly prefixes: CollectedPrefixes;
  readonly bogons: Bogons;
  /** Of all, where only the first of them are wanted; else null. */
  readonly counts: PrefixCounts | null;
}

export interface PrefixCounts {
  readonly collected: Readonly<Record<Family, number>>;
  /** Prefixes that cover exactly the same addresses. */
  readonly aggregated: Readonly<Record<Family, number>>;
}

export interface UnreadList {
  readonly ok: false;
  readonly code: SourceErrorCode;
  readonly reason: string;
}

/** Reads the list. Never throws for any content. */
export function readList(list: ListToRead): ReadList | UnreadList {
  try {
    return read(list);
  } catch (error) {
    if (error instanceof ListTooLongError) return refused('source_too_large', error.message);
    throw error;
  }
}

function read(list: ListToRead): ReadList | UnreadList {
  const { body } = list;
  const unfit = notAList(body, list);
  if (unfit !== null) return refused('source_unparseable', unfit);
  if (isBlank(body)) return refused('source_empty', 'The body is empty: see what the URL serves');
  const format = list.format === 'auto' ? detectFormat(body, list, list) : list.format;
  const collected = readAs(format, list);
  if (!collected.ok) return refused('source_unparseable', collected.reason);
  checkCount(collected.value);
  const judged = judge(format, collected.value, list.bogons);
  return judged.ok && list.first !== undefined ? firstOf(judged, list.first) : judged;
}

/** The result, and the reason if a valid list has no prefix. */
type Found = CollectedPrefixes & { readonly nothing?: string };

function readAs(format: ListFormat, { body, jsonPath, csvColumn, places }: ListToRead): Parsed<Found> {
  if (places !== undefined) return readGeofeed(body, places);
  switch (format) {
    case 'text':
      return { ok: true, value: parsePrefixText(body) };
    case 'json':
      return readJsonList(body, jsonPath);
    case 'csv':
      return readCsvList(body, csvColumn);
  }
}

function judge(format: ListFormat, collected: Found, bogonRule: 'drop' | 'allow'): ReadList | UnreadList {
  const { accepted, rejectedCount, rejects } = collected;
  if (accepted === 0 && rejectedCount > 0) {
    const [first] = rejects;
    const place = format === 'json' ? 'value' : 'line';
    return refused(
      'source_unparseable',
      `None of the ${rejectedCount} ${place}s read as ${format} holds a prefix. The first, ${place} ${first!.line}: ${first!.reason}`,
    );
  }
  if (accepted === 0)
    return refused('source_empty', `The list, read as ${format}, holds no prefix: see what the URL serves`);
  if (collected.nothing !== undefined && collected.ipv4.size + collected.ipv6.size === 0)
    return refused('source_empty', collected.nothing);
  const { prefixes, bogons } =
    bogonRule === 'drop' ? dropBogons(collected) : { prefixes: collected, bogons: NO_BOGONS };
  if (prefixes.ipv4.size + prefixes.ipv6.size === 0) {
    const [first] = bogons.listed;
    return refused(
      'source_empty',
      `All ${bogons.count} prefixes of the list are special-purpose, such as ${first!.prefix}: ${first!.within}. If they are meant, have guard_bogons set to allow (the operator of the service does, unless the policy of the tenant has may_loosen_guards)`,
    );
  }
  return { ok: true, format, prefixes, bogons, counts: null };
}

function firstOf(list: ReadList, most: number): ReadList {
  const { ipv4, ipv6 } = list.prefixes;
  return {
    ...list,
    prefixes: { ...list.prefixes, ipv4: firstRows(ipv4, most), ipv6: firstRows(ipv6, most) },
    counts: {
      collected: { ipv4: ipv4.size, ipv6: ipv6.size },
      aggregated: { ipv4: coverOf(ipv4).size, ipv6: coverOf(ipv6).size },
    },
  };
}

/** In memory of their own. */
function firstRows({ family, size, words, lengths }: PrefixList, most: number): PrefixList {
  const count = Math.min(size, most);
  return {
    ...{ family, size: count },
    ...{ words: words.slice(0, count * widthOf(family)), lengths: lengths.slice(0, count) },
  };
}

function refused(code: SourceErrorCode, reason: string): UnreadList {
  return { ok: false, code, reason };
}
