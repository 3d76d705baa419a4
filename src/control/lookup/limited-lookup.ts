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
import { isEqual } from './routes-around.ts';

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

/** Of a route of the speaker, whether the peer has it. */
interface Held {
  readonly prefix: string;
  readonly isThere: 'yes' | 'no' | 'maybe';
}

/**
 * Whether the peer has the route that is most specific for the address: what happens to a packet follows that one. A route that it held in the same
 * prefix it keeps. Of those that have been merged or split since it is sent as many as it bore, and of a cover what is allowed: which, only the
 * speaker knows. Null: none is for this peer.
 */
export function holdsOfLimited(peer: LimitedLookup, address: Address): Held | null {
  const { family } = address;
  const { held, latest, sent } = peer;
  const [rows, before] = [latest[family], held[family]];
  const isSent = isSentTo(sent, family);
  const wasSent = isSentTo({ labels: peer.held_labels, families: peer.held_families }, family);
  const row = matchesOf(rows, address).find((one) => isSent(latest.labelSets[rows.labels[one]!]!));
  if (row === undefined) return null;
  const prefix = formatPrefixAt(rows, row);
  if (peer.fits) return { prefix, isThere: 'maybe' };
  const labels = latest.labelSets[rows.labels[row]!]!;
  const around = matchesOfPrefix(before, prefixAt(rows, row)).filter((at) =>
    wasSent(held.labelSets[before.labels[at]!]!),
  );
  if (around.some((at) => formatPrefixAt(before, at) === prefix)) return { prefix, isThere: 'yes' };
  // What carries other communities is another route, and was not merged or split.
  const isNear =
    around.some((at) => isEqual(held.labelSets[before.labels[at]!]!, labels)) ||
    rowsInside(before, prefixAt(rows, row), 1).length > 0;
  return { prefix, isThere: isNear ? 'maybe' : 'no' };
}
