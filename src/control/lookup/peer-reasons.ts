/** Peers that do not get a route that their speaker announces: those that hold an older revision, and those without a next hop. */
import type { Address, Family } from '../../core/address.ts';
import { matchesOf } from '../../core/tables/lookup.ts';
import type { PrefixTable } from '../../core/tables/prefix-table.ts';
import type { TenantTx } from '../../store/database/database.ts';
import {
  listRevertedForLookup,
  listWithoutNextHop,
  type LookupNextHop,
  type LookupReverted,
} from '../../store/lookup/lookup-peers.ts';
import { getSettings } from '../../store/tenants/settings.ts';
import { tableCache } from '../tables/table-cache.ts';
import type { LiveRoutes, LookupPeers, LookupState } from './lookup-state.ts';
import type { Reasons } from './reasons.ts';

export async function readLookupPeers(tx: TenantTx): Promise<LookupPeers> {
  const reverted: (LookupReverted & { readonly table: PrefixTable | null })[] = [];
  for (const peer of await listRevertedForLookup(tx)) {
    const table = peer.content_hash === null ? null : await tableCache.load(tx, peer.content_hash);
    reverted.push({ ...peer, table });
  }
  const { bgp_source_ipv4: ipv4, bgp_source_ipv6: ipv6 } = await getSettings(tx, [
    'bgp_source_ipv4',
    'bgp_source_ipv6',
  ]);
  const withoutNextHop = await listWithoutNextHop(tx, { ipv4, ipv6 });
  return { reverted, withoutNextHop, hasSome: reverted.length + withoutNextHop.length > 0 };
}

/** @param announcing ids of the enabled speakers that announce the address */
export function tellPeers(
  reasons: Reasons,
  { peers, live }: Pick<LookupState, 'peers' | 'live'>,
  address: Address,
  announcing: ReadonlySet<string>,
): void {
  for (const { peer_id: id, peer, speaker_id: speakerId, speaker, number, table, error } of peers.reverted) {
    if (!announcing.has(speakerId)) continue;
    if (table !== null && matchesOf(table[address.family], address).length > 0) continue;
    const holds = number === null ? 'nothing' : `revision ${number}, which does not have it`;
    reasons.add('peer_reverted', {
      ...{ speaker_ids: [speakerId], peer_ids: [id] },
      detail: `The peer ${peer} of the speaker ${speaker} holds ${holds}: it failed on what the speaker runs (${error}). Fix the peer, then retry the apply.`,
    });
  }
  for (const one of peers.withoutNextHop) {
    if (one.family !== address.family || !announcing.has(one.speaker_id) || !isSent(one, live, address))
      continue;
    reasons.add('no_next_hop', {
      ...{ speaker_ids: [one.speaker_id], peer_ids: [one.peer_id] },
      detail: `The peer ${one.peer} of the speaker ${one.speaker} receives no ${NAMES[one.family]} routes, because there is no ${NAMES[one.family]} next hop: set next_hop_${one.family} of the peer, or local_${one.family} of the speaker.`,
    });
  }
}

const NAMES = { ipv4: 'IPv4', ipv6: 'IPv6' } as const satisfies Readonly<Record<Family, string>>;

/** Whether the route carries a community that the peer is sent. */
function isSent(
  { speaker_id: speakerId, community_ids: ids }: LookupNextHop,
  live: readonly LiveRoutes[],
  address: Address,
): boolean {
  if (ids.length === 0) return true;
  return live
    .filter(({ revision }) => revision.speaker_ids.includes(speakerId))
    .some(({ revision, table }) => {
      const sent = revision.communities.filter(({ community_id: id }) => ids.includes(id));
      const labels = new Set(sent.map(({ community }) => community));
      const rows = table[address.family];
      return matchesOf(rows, address).some((row) =>
        table.labelSets[rows.labels[row]!]!.some((label) => labels.has(label)),
      );
    });
}
