/**
 * What a reverted peer goes on with once newer routes are applied: as for a peer over its limit (limited-peers.ts), of the routes that it holds, those
 * that the newer ones have for it too. It keeps their attributes as well, since those that they have now may be what it refused. Pure.
 */
import { FAMILIES, type Family } from '../core/address.ts';
import { isBlackhole, parseCommunity } from '../core/community.ts';
import { diffTables } from '../core/tables/diff.ts';
import { PrefixTableBuilder, pickMarkedRows } from '../core/tables/prefix-table.ts';
import type { PeerModel, RoutesModel } from './speaker.ts';

type Sent = Pick<PeerModel, 'labels' | 'families'>;

/** The held routes, but for those that `latest` withdraws from the peer. O(rows). */
export function stillHeld(held: RoutesModel, latest: RoutesModel, peer: Sent): RoutesModel {
  const difference = diffTables(held.table, latest.table);
  const builder = new PrefixTableBuilder();
  let isWhole = true;
  for (const family of FAMILIES) {
    const rows = held.table[family];
    const { withdrawn, changed } = difference[family];
    // What the peer was not sent stays: it is not sent it now either.
    const isKept = new Uint8Array(rows.size).fill(1);
    for (const row of withdrawn) isKept[row] = 0;
    for (let at = 0; at < changed.length; at += 2) {
      const before = held.table.labelSets[rows.labels[changed[at]!]!]!;
      const after = latest.table.labelSets[latest.table[family].labels[changed[at + 1]!]!]!;
      if (!staysWith(before, after, peer, family)) isKept[changed[at]!] = 0;
    }
    isWhole &&= !isKept.includes(0);
    builder.addRows(held.table, pickMarkedRows(rows, isKept));
  }
  return isWhole ? held : { ...held, table: builder.build() };
}

/**
 * Whether a peer that holds a route with the labels `before` keeps it while it is announced with those of `after`. One that drops traffic must end where
 * it is only forwarded by now.
 */
export function staysWith(
  before: readonly string[],
  after: readonly string[],
  peer: Sent,
  family: Family,
): boolean {
  const isSent = isSentTo(peer, family);
  return isSent(after) && (!dropsTraffic(before, peer) || dropsTraffic(after, peer));
}

/** Whether the peer is sent routes with these labels. */
export function isSentTo(
  { labels: wanted, families }: Sent,
  family: Family,
): (labels: readonly string[]) => boolean {
  if (!families.includes(family)) return () => false;
  return (labels) => wanted === null || labels.some((label) => wanted.includes(label));
}

function dropsTraffic(labels: readonly string[], { labels: wanted }: Sent): boolean {
  return labels.some((label) => {
    if (wanted !== null && !wanted.includes(label)) return false;
    const parsed = parseCommunity(label);
    return parsed.ok && isBlackhole(parsed.value);
  });
}
