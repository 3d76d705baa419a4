/**
 * What a reverted peer goes on with once newer routes are applied: of the addresses that its routes have, those that the newer ones have for it
 * too. A prefix that was merged with others, or lies in one that is announced now, stays as the peer holds it; of one that is announced in part,
 * that part is left. What is left has the attributes that it is held with, since those that it has now may be what the peer refused. Pure.
 */
import { FAMILIES, type Family, widthOf } from '../core/address.ts';
import { isBlackhole, parseCommunity } from '../core/community.ts';
import {
  intersect,
  type PrefixSet,
  PrefixSetBuilder,
  setOfRows,
  subtract,
  union,
} from '../core/sets/prefix-set.ts';
import { holdsRow, meets } from '../core/sets/within.ts';
import { diffTables, type TableDiff } from '../core/tables/diff.ts';
import {
  pickMarkedRows,
  pickRows,
  pickRowsAt,
  PrefixTableBuilder,
  type PrefixRows,
  type PrefixTable,
} from '../core/tables/prefix-table.ts';
import type { PeerModel } from './speaker.ts';

/** Which routes a peer is sent. */
export type SentRoutes = Pick<PeerModel, 'labels' | 'families'>;

/**
 * What is left of `held` beside `latest`: never more rows than the peer was sent of `held`, which is what it bore; `held` itself where nothing
 * leaves. O(rows): of many, in a thread.
 */
export function leftOf(held: PrefixTable, latest: PrefixTable, peer: SentRoutes): PrefixTable {
  const difference = diffTables(held, latest);
  const lost = {
    ipv4: lostRows({ held, latest, peer, family: 'ipv4' }, difference),
    ipv6: lostRows({ held, latest, peer, family: 'ipv6' }, difference),
  };
  if (lost.ipv4.length + lost.ipv6.length === 0) return held;
  const builder = new PrefixTableBuilder();
  let isWhole = true;
  for (const family of FAMILIES) {
    const rows = held[family];
    const isKept = new Uint8Array(rows.size).fill(1);
    for (const row of lost[family]) isKept[row] = 0;
    const isSent = held.labelSets.map(isSentTo(peer, family));
    const had = lost[family].filter((row) => isSent[rows.labels[row]!]);
    const pieces = had.length === 0 ? [] : restore(had, isKept, { held, latest, peer, family });
    isWhole &&= !isKept.includes(0);
    builder.addRows(held, pickMarkedRows(rows, isKept));
    for (const { set, labels } of pieces)
      for (const label of labels.length === 0 ? [null] : labels) builder.addSet(set, label);
  }
  return isWhole ? held : builder.build();
}

/** What a peer holds beside what is announced now, in one family. */
interface Sides {
  readonly held: PrefixTable;
  readonly latest: PrefixTable;
  readonly peer: SentRoutes;
  readonly family: Family;
}

/** Rows of what is held whose prefix itself the peer is sent no more. */
function lostRows({ held, latest, peer, family }: Sides, difference: TableDiff): readonly number[] {
  const { withdrawn, changed } = difference[family];
  const lost = Array.from(withdrawn);
  for (let at = 0; at < changed.length; at += 2) {
    const before = held.labelSets[held[family].labels[changed[at]!]!]!;
    const after = latest.labelSets[latest[family].labels[changed[at + 1]!]!]!;
    if (!staysWith(before, after, peer, family)) lost.push(changed[at]!);
  }
  return lost;
}

/** Addresses by whether their traffic has to be dropped. */
interface Space {
  readonly all: PrefixSet;
  readonly dropped: PrefixSet;
}

/** Prefixes that take the place of lost rows. */
interface Piece {
  readonly set: PrefixSet;
  readonly labels: readonly string[];
}

/** Marks those of the lost rows that are announced in other prefixes. @returns what is left of others */
function restore(
  lost: readonly number[],
  isKept: Uint8Array,
  { held, latest, peer, family }: Sides,
): readonly Piece[] {
  const { labelSets, [family]: rows } = held;
  const around = setOfRows(pickRowsAt(rows, lost));
  const announced = spaceOf(rowsMeeting(latest[family], around), latest.labelSets, peer, family);
  const near: Space = {
    all: intersect(around, announced.all),
    dropped: intersect(around, announced.dropped),
  };
  const isDropped = labelSets.map((labels) => dropsTraffic(labels, peer));
  const open: number[] = [];
  for (const row of lost) {
    const space = isDropped[rows.labels[row]!] === true ? near.dropped : near.all;
    if (holdsRow(space, rows, row)) isKept[row] = 1;
    else open.push(row);
  }
  if (open.length === 0) return [];
  let taken = spaceOf(rowsMeeting(pickMarkedRows(rows, isKept), around), labelSets, peer, family);
  let room = open.length;
  const pieces: Piece[] = [];
  // What drops traffic comes first: it must not be left out for want of room.
  const bySet = [...Map.groupBy(open, (row) => rows.labels[row]!)].sort(
    ([a], [b]) => Number(isDropped[b]) - Number(isDropped[a]) || a - b,
  );
  for (const [label, some] of bySet) {
    const kind = isDropped[label] === true ? 'dropped' : 'all';
    const rest = subtract(intersect(setOfRows(pickRowsAt(rows, some)), near[kind]), taken[kind]);
    const set = largestOf(rest, room);
    room -= set.size;
    pieces.push({ set, labels: labelSets[label]! });
    taken = {
      all: union(taken.all, set),
      dropped: kind === 'dropped' ? union(taken.dropped, set) : taken.dropped,
    };
  }
  return pieces;
}

/** The rows that have addresses of the set. A set of all rows would cost the table, not what is lost of it. */
function rowsMeeting(rows: PrefixRows, set: PrefixSet): PrefixRows {
  const isNear = new Uint8Array(rows.size);
  for (let row = 0; row < rows.size; row++) if (meets(rows, row, set)) isNear[row] = 1;
  return pickMarkedRows(rows, isNear);
}

/** The addresses of the rows that the peer is sent. */
function spaceOf(
  rows: PrefixRows,
  labelSets: readonly (readonly string[])[],
  peer: SentRoutes,
  family: Family,
): Space {
  const isSent = labelSets.map(isSentTo(peer, family));
  const isDropped = labelSets.map((labels, set) => isSent[set]! && dropsTraffic(labels, peer));
  return { all: setOfRows(pickRows(rows, isSent)), dropped: setOfRows(pickRows(rows, isDropped)) };
}

/** At most that many prefixes of the set, those with the most addresses. */
function largestOf(set: PrefixSet, most: number): PrefixSet {
  if (set.size <= most) return set;
  const width = widthOf(set.family);
  const order = Array.from(set.lengths, (length, row) => ({ length, row })).sort(
    (a, b) => a.length - b.length,
  );
  const builder = new PrefixSetBuilder(set.family);
  for (const { length, row } of order.slice(0, most))
    builder.add(set.words.subarray(row * width, (row + 1) * width), length);
  return builder.build();
}

/**
 * Whether a peer that holds a route with the labels `before` keeps it while it is announced with those of `after`. One that drops traffic must end where
 * it is only forwarded by now.
 */
function staysWith(
  before: readonly string[],
  after: readonly string[],
  peer: SentRoutes,
  family: Family,
): boolean {
  const isSent = isSentTo(peer, family);
  return isSent(after) && (!dropsTraffic(before, peer) || dropsTraffic(after, peer));
}

/** Whether the peer is sent routes with these labels. */
export function isSentTo(
  { labels: wanted, families }: SentRoutes,
  family: Family,
): (labels: readonly string[]) => boolean {
  if (!families.includes(family)) return () => false;
  return (labels) => wanted === null || labels.some((label) => wanted.includes(label));
}

/** Whether the peer is sent these labels with one that drops traffic (RFC 7999). */
export function dropsTraffic(labels: readonly string[], { labels: wanted }: SentRoutes): boolean {
  return labels.some((label) => {
    if (wanted !== null && !wanted.includes(label)) return false;
    const parsed = parseCommunity(label);
    return parsed.ok && isBlackhole(parsed.value);
  });
}
