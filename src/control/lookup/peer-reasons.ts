/** Peers that do not get a route that their speaker announces, or hold one that it announces no more: those that hold an older revision, and those without a next hop. */
import type { Revision } from '../../api/revisions/revisions.ts';
import type { Address, Family } from '../../core/address.ts';
import { formatPrefixAt } from '../../core/prefix.ts';
import { matchesOf } from '../../core/tables/lookup.ts';
import type { PrefixTable } from '../../core/tables/prefix-table.ts';
import { isSentTo, staysWith } from '../../speakers/still-held.ts';
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
  for (const reverted of peers.reverted) {
    const { peer_id: id, peer, speaker_id: speakerId, speaker, number, error, is_up: isUp } = reverted;
    const of = { speaker_ids: [speakerId], peer_ids: [id] };
    const held = heldBy(reverted, live, address);
    if (announcing.has(speakerId) && held.length === 0) {
      const holds = number === null ? 'nothing' : `revision ${number}, which does not have it`;
      reasons.add('peer_reverted', {
        ...of,
        detail: `The peer ${peer} of the speaker ${speaker} holds ${holds}: it failed on what the speaker runs (${error}). Fix the peer, then retry the apply.`,
      });
    }
    const left = held.filter(({ isAnnounced }) => !isAnnounced).map(({ prefix }) => prefix);
    if (left.length > 0)
      reasons.add('still_held', {
        ...of,
        detail: `The peer ${peer} of the speaker ${speaker} ${stillHas(left.join(', '), isUp)}: it was reverted to revision ${number}. The next apply withdraws what is announced no more.`,
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

function stillHas(prefixes: string, isUp: boolean): string {
  return isUp
    ? `still has ${prefixes}`
    : `has no session, so it is unknown whether it still has ${prefixes}, which it is sent when it is back`;
}

const NAMES = { ipv4: 'IPv4', ipv6: 'IPv6' } as const satisfies Readonly<Record<Family, string>>;

/** The routes around the address that the peer holds, and whether its speaker announces them to it still. */
function heldBy(
  peer: LookupPeers['reverted'][number],
  live: readonly LiveRoutes[],
  address: Address,
): { readonly prefix: string; readonly isAnnounced: boolean }[] {
  const { family } = address;
  if (peer.table === null || !peer.families.includes(family)) return [];
  const routesIn = (
    table: PrefixTable,
    communities: Revision['communities'],
  ): Map<string, readonly string[]> => {
    const labels = labelsFor(peer.community_ids, communities);
    const rows = table[family];
    const isSentLabels = isSentTo({ labels, families: [family] }, family);
    const sentLabels = (set: readonly string[]): readonly string[] =>
      labels === null ? set : set.filter((label) => labels.includes(label));
    return new Map(
      matchesOf(rows, address).flatMap((row) => {
        const set = table.labelSets[rows.labels[row]!]!;
        return isSentLabels(set) ? [[formatPrefixAt(rows, row), sentLabels(set)] as const] : [];
      }),
    );
  };
  const running = live.find(({ revision }) => revision.speaker_ids.includes(peer.speaker_id));
  const now =
    running === undefined
      ? new Map<string, readonly string[]>()
      : routesIn(running.table, running.revision.communities);
  const sent = { labels: null, families: [family] };
  return [...routesIn(peer.table, peer.communities)].flatMap(([prefix, labels]) => {
    const present = now.get(prefix);
    const isAnnounced = present !== undefined && staysWith(labels, present, sent, family);
    return peer.narrowed && !isAnnounced ? [] : [{ prefix, isAnnounced }];
  });
}

/** Labels of routes that a peer with these communities is sent; null: all. */
function labelsFor(ids: readonly string[], communities: Revision['communities']): string[] | null {
  if (ids.length === 0) return null;
  return communities.filter(({ community_id: id }) => ids.includes(id)).map(({ community }) => community);
}

/** Whether the route carries a community that the peer is sent. */
function isSent(
  { speaker_id: speakerId, community_ids: ids }: LookupNextHop,
  live: readonly LiveRoutes[],
  address: Address,
): boolean {
  return live
    .filter(({ revision }) => revision.speaker_ids.includes(speakerId))
    .some(({ revision, table }) => {
      const { family } = address;
      const rows = table[family];
      const isSentLabels = isSentTo(
        { labels: labelsFor(ids, revision.communities), families: [family] },
        family,
      );
      return matchesOf(rows, address).some((row) => isSentLabels(table.labelSets[rows.labels[row]!]!));
    });
}
