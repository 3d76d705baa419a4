/** The prefixes of a geofeed (RFC 8805) that are in certain countries, or in certain regions of them. */
import { FAMILIES, type Parsed } from '../../core/address.ts';
import { compareWords, covers } from '../../core/bits.ts';
import { parsePrefix, type Prefix, type PrefixList } from '../../core/prefix.ts';
import { coverOf, emptySet, subtract, union } from '../../core/sets/prefix-set.ts';
import { sortOrder } from '../../core/sort-order.ts';
import { PrefixBuffer } from '../../core/prefix-buffer.ts';
import { MAX_REJECTS } from '../../core/text/prefix-collector.ts';
import { shownText } from '../../core/text/prefix-reasons.ts';
import { lazily } from '../../core/lazily.ts';
import type { CollectedPrefixes, Reject } from '../../core/text/prefix-text.ts';
import { isWord, readRows } from './csv-list.ts';
import { ListTooLongError, MAX_PREFIXES } from './value-list.ts';

/** Codes in canonical form. If a country has regions here, only those count. */
export interface Places {
  readonly countries: readonly string[];
  readonly regions: readonly string[];
}

const names = lazily(() => new Intl.DisplayNames('en', { type: 'region', fallback: 'none' }));
/** Codes that Unicode uses for something other than a country. */
const NO_COUNTRIES = new Set(['ZZ', 'XA', 'XB', 'QO']);

/** Reads an ISO 3166-1 alpha-2 code in any case. `UK`, which is reserved for it, becomes `GB`. */
export function parseCountry(text: string): Parsed<string> {
  const code = text.trim().toUpperCase();
  if (code === 'UK') return { ok: true, value: 'GB' };
  if (!/^[A-Z]{2}$/.test(code))
    return {
      ok: false,
      reason: `${shown(text)} is not a country: write its two letters of ISO 3166-1, such as DE`,
    };
  const usual = new Intl.Locale(`und-${code}`).region;
  if (usual !== code)
    return { ok: false, reason: `${code} is no longer a code of ISO 3166-1: write ${usual}` };
  if (names().of(code) === undefined || NO_COUNTRIES.has(code))
    return { ok: false, reason: `${code} is not a country of ISO 3166-1` };
  return { ok: true, value: code };
}

/** Reads an ISO 3166-2 code in any case. It does not check that the region exists. */
export function parseRegion(text: string): Parsed<string> {
  const [, country, part] = /^([A-Z]{2})-([A-Z0-9]{1,3})$/.exec(text.trim().toUpperCase()) ?? [];
  if (country === undefined)
    return {
      ok: false,
      reason: `${shown(text)} is not a region: write its code of ISO 3166-2, such as US-CA`,
    };
  const parsed = parseCountry(country);
  return parsed.ok ? { ok: true, value: `${parsed.value}-${part}` } : parsed;
}

export interface CollectedPlaces extends CollectedPrefixes {
  /** The reason to report if the feed has no prefix of the places. */
  readonly nothing: string;
}

/**
 * Reads the feed. The longest prefix around an address decides where it is, so prefixes of other places are cut out of those around them.
 * Rows that RFC 8805 discards are reported as rejects, each with its line: unreadable ones, and duplicate prefixes. A prefix without a
 * country is in no place.
 * @throws ListTooLongError
 */
export function readGeofeed(body: Uint8Array, places: Places): Parsed<CollectedPlaces> {
  const feed = new Feed(places);
  const fault = readRows(body, (row, line) => feed.take(row, line));
  if (fault !== null) return { ok: false, reason: fault };
  return { ok: true, value: feed.finish() };
}

class Feed {
  readonly #countries: ReadonlySet<string>;
  readonly #regions: ReadonlySet<string>;
  /** Countries of which only some regions count. */
  readonly #divided: ReadonlySet<string>;
  readonly #chosen = { ipv4: new PrefixBuffer('ipv4'), ipv6: new PrefixBuffer('ipv6') };
  readonly #others = { ipv4: new PrefixBuffer('ipv4'), ipv6: new PrefixBuffer('ipv6') };
  readonly #lines = new Map<number | string, number>();
  readonly #known = new Map<string, Parsed<string>>();
  /** Rows by place. */
  readonly #seen = new Map<string, number>();
  readonly #rejects: Reject[] = [];
  #rejectedCount = 0;
  #repeatedCount = 0;
  #isFirst = true;

  constructor({ countries, regions }: Places) {
    this.#countries = new Set(countries);
    this.#regions = new Set(regions);
    this.#divided = new Set(regions.map((region) => region.slice(0, 2)));
  }

  take(row: readonly string[], line: number): void {
    const mayBeHeaders = this.#isFirst;
    this.#isFirst = false;
    const [cell = '', country = '', region = ''] = row;
    if (mayBeHeaders && isWord(cell)) return;
    const prefix = parsePrefix(cell);
    if (!prefix.ok) return this.#refuse(row, line, prefix.reason);
    const place = this.#placeOf(country, region);
    if (!place.ok) return this.#refuse(row, line, place.reason);
    const earlier = this.#keep(prefix.value, line);
    if (earlier !== null) {
      this.#repeatedCount++;
      return this.#refuse(
        row,
        line,
        `The prefix stands in line ${earlier} already, which is the one that counts`,
      );
    }
    const { family, words, length } = prefix.value;
    const isChosen = this.#isChosen(place.value);
    (isChosen ? this.#chosen : this.#others)[family].push(words, 0, length);
    const name = this.#divided.has(place.value.slice(0, 2)) ? place.value : place.value.slice(0, 2);
    this.#seen.set(name, (this.#seen.get(name) ?? 0) + 1);
  }

  finish(): CollectedPlaces {
    const [ipv4, ipv6] = FAMILIES.map((family) => mostSpecific(this.#chosen[family], this.#others[family]));
    const accepted = this.#lines.size;
    const rejects = {
      ...{ rejectedCount: this.#rejectedCount, repeatedCount: this.#repeatedCount },
      rejects: this.#rejects,
    };
    return { ipv4: ipv4!, ipv6: ipv6!, accepted, ...rejects, nothing: this.#nothing() };
  }

  /** The region, or the country if there is none, or an empty text. */
  #placeOf(country: string, region: string): Parsed<string> {
    if (country === '' && region === '') return { ok: true, value: '' };
    const inCountry = this.#parse(country, parseCountry);
    if (region === '' || !inCountry.ok) return inCountry;
    const inRegion = this.#parse(region, parseRegion);
    if (inRegion.ok && !inRegion.value.startsWith(inCountry.value))
      return { ok: false, reason: `The region ${inRegion.value} is not in the country ${inCountry.value}` };
    return inRegion;
  }

  /** Caches results: a feed has few places, and many rows of each. */
  #parse(text: string, parse: (text: string) => Parsed<string>): Parsed<string> {
    let parsed = this.#known.get(text);
    if (parsed === undefined) this.#known.set(text, (parsed = parse(text)));
    return parsed;
  }

  #isChosen(place: string): boolean {
    const country = place.slice(0, 2);
    return this.#divided.has(country) ? this.#regions.has(place) : this.#countries.has(country);
  }

  /** @returns the line of the same prefix before; null: there is none */
  #keep({ family, words, length }: Prefix, line: number): number | null {
    const key = family === 'ipv4' ? words[0]! * 64 + length : `${words.join()}/${length}`;
    const earlier = this.#lines.get(key);
    if (earlier !== undefined) return earlier;
    if (this.#lines.size === MAX_PREFIXES)
      throw new ListTooLongError(`The feed holds more than ${MAX_PREFIXES} prefixes: use a shorter one`);
    this.#lines.set(key, line);
    return null;
  }

  #refuse(row: readonly string[], line: number, reason: string): void {
    if (this.#rejectedCount++ < MAX_REJECTS)
      this.#rejects.push({ line, text: shownText(row.join(',')), reason });
  }

  #nothing(): string {
    const most = [...this.#seen].sort(([, a], [, b]) => b - a).slice(0, 10);
    const places = most.map(([place]) => (place === '' ? 'no country' : place)).join(', ');
    const [first] = this.#rejects;
    const rejected =
      first === undefined
        ? ''
        : `. Of ${this.#rejectedCount} rows that can not be read the first is line ${first.line}: ${first.reason}`;
    return `None of the ${this.#lines.size} prefixes of the feed is in the countries and regions of the entry. Most are in ${places}: correct countries or regions${rejected}`;
  }
}

/** The chosen prefixes without the addresses for which a longer one of the others decides. No prefix is in both. */
function mostSpecific(chosen: PrefixBuffer, others: PrefixBuffer): PrefixList {
  const { family, width, words, lengths } = chosen;
  const sorted = inOrder(others);
  const whole = new PrefixBuffer(family, Math.max(16, chosen.size));
  const cut = new PrefixBuffer(family);
  for (let row = 0; row < chosen.size; row++)
    (holdsLonger(chosen, row, sorted) ? cut : whole).push(words, row * width, lengths[row]!);
  if (cut.size > 0) whole.pushAll(longestMatches(cut, others));
  return whole.toList();
}

/** Sorted by address, then length. */
function inOrder(list: PrefixBuffer): PrefixList {
  const { family, size, width, words, lengths } = list;
  const order = sortOrder({ size, width, words, lengths });
  if (order === null) return list.toView();
  const sorted = new PrefixBuffer(family, Math.max(16, size));
  for (const row of order.subarray(0, size)) sorted.push(words, row * width, lengths[row]!);
  return sorted.toView();
}

/** Whether one of the others is inside the row: if so, the first one after it is. */
function holdsLonger({ width, words, lengths }: PrefixBuffer, row: number, others: PrefixList): boolean {
  const length = lengths[row]!;
  let low = 0;
  let high = others.size;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const order = compareWords(others.words, middle * width, words, row * width, width);
    if (order < 0 || (order === 0 && others.lengths[middle]! < length)) low = middle + 1;
    else high = middle;
  }
  return low < others.size && covers(words, row * width, length, others.words, low * width);
}

/** Addresses for which one of `chosen` is the longest prefix: lengths are processed in ascending order, so the longer ones decide. */
function longestMatches(chosen: PrefixBuffer, others: PrefixBuffer): PrefixList {
  const [ours, theirs] = [chosen, others].map(byLength);
  let set = emptySet(chosen.family);
  for (let length = 0; length <= chosen.width * 32; length++) {
    const [more, less] = [ours![length], theirs![length]];
    if (less !== undefined && set.size > 0) set = subtract(set, coverOf(less));
    if (more !== undefined) set = union(set, coverOf(more));
  }
  return set;
}

function byLength({ family, size, width, words, lengths }: PrefixBuffer): (PrefixBuffer | undefined)[] {
  const lists: (PrefixBuffer | undefined)[] = [];
  for (let row = 0; row < size; row++)
    (lists[lengths[row]!] ??= new PrefixBuffer(family)).push(words, row * width, lengths[row]!);
  return lists;
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 40));
}
