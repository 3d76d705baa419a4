/** Peers over their `max_prefixes_out`, and which routes of their speaker they hold all the same (speakers/limited-peers.ts). */
import type { Address } from '../../core/address.ts';
import { formatPrefixAt, prefixAt } from '../../core/prefix.ts';
import { matchesOf, matchesOfPrefix } from '../../core/tables/lookup.ts';
import { emptyTable } from '../../core/tables/prefix-table.ts';
import { rowsInside } from '../../core/tables/rows-around.ts';
import { isSentTo } from '../../speakers/still-held.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { listLimitedForLookup } from '../../store/lookup/lookup-peers.ts';
import { tableCache } from '../tables/table-cache.ts';
import type { LimitedLookup, LiveRoutes } from './lookup-state.ts';
import { labelsFor } from './sent-labels.ts';

/** @param live what enabled speakers announce */
export async function readLimitedPeers(tx: TenantTx, live: readonly LiveRoutes[]): Promise<LimitedLookup[]> {
  const limited: LimitedLookup[] = [];
  for (const peer of await listLimitedForLookup(tx)) {
    const running = live.find(({ revision }) => revision.speaker_ids.includes(peer.speaker_id));
    if (running === undefined) continue;
    const held = peer.content_hash === null ? emptyTable() : await tableCache.load(tx, peer.content_hash);
    const labels = labelsFor(peer.community_ids, running.revision.communities);
    limited.push({ ...peer, held, latest: running.table, sent: { labels, families: peer.families } });
  }
  return limited;
}

/**
 * Whether the peer has a route to the address. A route that it held in the same prefix it keeps. Of those that have been merged or split since it
 * is sent as many as it bore, and of a cover what is allowed: which, only the speaker knows.
 */
export function holdsOfLimited(peer: LimitedLookup, address: Address): 'yes' | 'no' | 'maybe' {
  const { family } = address;
  const { held, latest, sent } = peer;
  const [rows, before] = [latest[family], held[family]];
  const isSent = isSentTo(sent, family);
  const wasSent = isSentTo({ labels: peer.held_labels, families: peer.held_families }, family);
  const due = matchesOf(rows, address).filter((row) => isSent(latest.labelSets[rows.labels[row]!]!));
  // It is not for this peer.
  if (due.length === 0) return 'yes';
  if (peer.fits) return 'maybe';
  let isNear = false;
  for (const row of due) {
    const prefix = prefixAt(rows, row);
    const name = formatPrefixAt(rows, row);
    const around = matchesOfPrefix(before, prefix).filter((at) =>
      wasSent(held.labelSets[before.labels[at]!]!),
    );
    if (around.some((at) => formatPrefixAt(before, at) === name)) return 'yes';
    isNear ||= around.length > 0 || rowsInside(before, prefix, 1).length > 0;
  }
  return isNear ? 'maybe' : 'no';
}
