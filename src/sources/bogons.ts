/** Special-purpose space in a source's list: it is found, reported and removed. */
import { meets } from '../core/sets/within.ts';
import { FAMILIES, type Family, widthOf } from '../core/address.ts';
import { PrefixBuffer } from '../core/prefix-buffer.ts';
import { PrefixSetBuilder, subtract } from '../core/sets/prefix-set.ts';
import type { CollectedPrefixes, CollectedRows } from '../core/text/prefix-text.ts';
import { formatPrefixAt, prefixAt } from '../core/prefix.ts';
import { specialPurpose, specialPurposeSet } from '../core/sets/special-purpose.ts';

const MAX_LISTED = 100;

/**
 * Prefixes at least this long that contain special-purpose space are cut around it. Shorter ones stay whole: they are mistakes rather than
 * list entries, and the guardrails must see them as they came. The numbers are the defaults of `guard_min_prefix_length_*`.
 */
export const CUT_FROM: Readonly<Record<Family, number>> = { ipv4: 8, ipv6: 19 };

export interface Bogon {
  /** The prefix as collected. */
  readonly prefix: string;
  /** The registered use, such as "Private use (10.0.0.0/8, RFC 1918)". */
  readonly within: string;
}

export interface Bogons {
  /** Prefixes that were dropped, or cut. */
  readonly count: number;
  /** The first 100. */
  readonly listed: readonly Bogon[];
}

export const NO_BOGONS: Bogons = { count: 0, listed: [] };

/** Removes special-purpose space from the rows; the rest of a cut prefix is appended at the end. */
export function dropBogons(prefixes: CollectedPrefixes): { prefixes: CollectedPrefixes; bogons: Bogons } {
  const listed: Bogon[] = [];
  let count = 0;
  const kept = { ipv4: prefixes.ipv4, ipv6: prefixes.ipv6 };
  for (const family of FAMILIES) {
    const rows = prefixes[family];
    const found = findBogons(rows);
    if (found.length === 0) continue;
    count += found.length;
    for (const row of found.slice(0, MAX_LISTED - listed.length)) listed.push(toBogon(rows, row));
    kept[family] = without(rows, found);
  }
  return { prefixes: { ...prefixes, ...kept }, bogons: { count, listed } };
}

/** Indices of the rows that contain special-purpose space and are long enough to be cut, ascending. */
function findBogons(rows: CollectedRows): number[] {
  const special = specialPurposeSet(rows.family);
  const found: number[] = [];
  for (let row = 0; row < rows.size; row++) {
    if (rows.lengths[row]! >= CUT_FROM[rows.family] && meets(rows, row, special)) found.push(row);
  }
  return found;
}

function without(rows: CollectedRows, dropped: readonly number[]): CollectedRows {
  const width = widthOf(rows.family);
  const kept = new PrefixBuffer(rows.family, Math.max(16, rows.size));
  const cut = new PrefixSetBuilder(rows.family);
  let next = 0;
  for (let row = 0; row < rows.size; row++) {
    if (row !== dropped[next]) kept.push(rows.words, row * width, rows.lengths[row]!);
    else {
      cut.add(rows.words.subarray(row * width, (row + 1) * width), rows.lengths[row]!);
      next++;
    }
  }
  kept.pushAll(subtract(cut.build(), specialPurposeSet(rows.family)));
  return kept.toList();
}

function toBogon(rows: CollectedRows, row: number): Bogon {
  const special = specialPurpose(prefixAt(rows, row));
  return {
    prefix: formatPrefixAt(rows, row),
    within:
      special === null
        ? 'wider than the special-purpose space in it, which was cut out'
        : `${special.name} (${special.prefix}, ${special.rfc})`,
  };
}
