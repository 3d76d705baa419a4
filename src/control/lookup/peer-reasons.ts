/** Peers that do not get a route that their speaker announces, or hold one that it announces no more: those that hold an older revision, and those without a next hop. */
import type { Address, Family } from '../../core/address.ts';
import { emptyTable, type PrefixTable } from '../../core/tables/prefix-table.ts';
import { dropsTraffic, isSentTo, type SentRoutes } from '../../speakers/still-held.ts';
import type { TenantTx } from '../../store/database/database.ts';
import {
  listRevertedForLookup,
  listWithoutNextHop,
  type LookupNextHop,
  type LookupReverted,
} from '../../store/lookup/lookup-peers.ts';
import type { LookupTenant } from '../../store/lookup/lookup-tenant.ts';
import { getSettings } from '../../store/tenants/settings.ts';
import { tableCache } from '../tables/table-cache.ts';
import { leftBeside } from '../tables/table-threads.ts';
import { readLeftOnNodes, explainLeftOnNodes } from './left-on-nodes.ts';
import type { LiveRoutes, LookupPeers, LookupState } from './lookup-state.ts';
import { holdsOfLimited, readLimitedPeers } from './limited-lookup.ts';
import type { Reasons } from './reasons.ts';
import { labelsFor } from './sent-labels.ts';
import { type RouteAround, isSameRoute, routesAround } from './routes-around.ts';

/** @param live what enabled speakers announce */
export async function readLookupPeers(
  tx: TenantTx,
  { hasReverted, hasLimited, hasDisabledNodes }: LookupTenant,
  live: readonly LiveRoutes[],
): Promise<LookupPeers> {
  const reverted: LookupPeers['reverted'][number][] = [];
  for (const peer of hasReverted ? await listRevertedForLookup(tx) : []) {
    const held = peer.content_hash === null ? null : await tableCache.load(tx, peer.content_hash);
    const running = live.find(({ revision }) => revision.speaker_ids.includes(peer.speaker_id));
    const labels = labelsFor(peer.community_ids, [
      ...peer.communities,
      ...(running?.revision.communities ?? []),
    ]);
    const [sent, latest] = [{ labels, families: peer.families }, running?.table ?? NO_ROUTES];
    const left = held !== null && peer.narrowed ? await leftOnce(held, latest, sent) : held;
    reverted.push({ ...peer, sent, held, left, latest });
  }
  const { bgp_source_ipv4: ipv4, bgp_source_ipv6: ipv6 } = await getSettings(tx, [
    'bgp_source_ipv4',
    'bgp_source_ipv6',
  ]);
  const withoutNextHop = await listWithoutNextHop(tx, { ipv4, ipv6 });
  const limited = hasLimited ? await readLimitedPeers(tx, live) : [];
  const left = hasDisabledNodes ? await readLeftOnNodes(tx) : [];
  const count = reverted.length + withoutNextHop.length + limited.length + left.length;
  return { reverted, withoutNextHop, limited, left, hasSome: count > 0 };
}

/** @param announcing ids of the enabled speakers that announce the address */
export function explainPeers(
  reasons: Reasons,
  { peers, live }: Pick<LookupState, 'peers' | 'live'>,
  address: Address,
  announcing: ReadonlySet<string>,
): void {
  for (const reverted of peers.reverted) {
    const { peer_id: id, peer, speaker_id: speakerId, speaker, error, is_up: isUp } = reverted;
    const of = { speaker_ids: [speakerId], peer_ids: [id] };
    const { had, has, lacks, isAnnounced } = holdingOf(reverted, address);
    if (announcing.has(speakerId) && (has.length === 0 || lacks !== null)) {
      const holding =
        has.length === 0 || !isUp ? holds(reverted, had) : `has ${has.join(', ')} and not ${lacks}`;
      reasons.add('peer_reverted', {
        ...of,
        detail: `The peer ${peer} of the speaker ${speaker} ${holding}: it failed on what the speaker runs (${error}). Fix the peer, then retry the apply.`,
      });
    }
    if (has.length > 0 && !isAnnounced)
      reasons.add('still_held', {
        ...of,
        detail: `The peer ${peer} of the speaker ${speaker} ${stillHas(has.join(', '), isUp)}: it was reverted to revision ${reverted.number}. The next apply withdraws what is announced no more.`,
      });
  }
  explainLeftOnNodes(reasons, peers.left, address);
  explainLimited(reasons, peers, address, announcing);
  for (const one of peers.withoutNextHop) {
    if (one.family !== address.family || !announcing.has(one.speaker_id) || !isSent(one, live, address))
      continue;
    reasons.add('no_next_hop', {
      ...{ speaker_ids: [one.speaker_id], peer_ids: [one.peer_id] },
      detail: `The peer ${one.peer} of the speaker ${one.speaker} receives no ${NAMES[one.family]} routes, because there is no ${NAMES[one.family]} next hop: set next_hop_${one.family} of the peer, or local_${one.family} of the speaker.`,
    });
  }
}

/** Those over their limit that are not reverted as well: what those hold is said with that. */
function explainLimited(
  reasons: Reasons,
  { limited, reverted }: LookupPeers,
  address: Address,
  announcing: ReadonlySet<string>,
): void {
  for (const one of limited) {
    const { peer_id: id, peer, speaker_id: speakerId, speaker, max_prefixes_out: most } = one;
    if (!announcing.has(speakerId)) continue;
    if (reverted.some((other) => other.peer_id === id && other.speaker_id === speakerId)) continue;
    const has = holdsOfLimited(one, address);
    if (has === null || has.isThere === 'yes') continue;
    reasons.add('too_many_routes', {
      ...{ speaker_ids: [speakerId], peer_ids: [id] },
      detail: `The peer ${peer} of the speaker ${speaker} ${has.isThere === 'no' ? 'does not have' : 'may not have'} ${has.prefix}: its routes are more than its max_prefixes_out${most === null ? '' : ` of ${most}`}, so it keeps of those that it has what is still announced. Raise max_prefixes_out, or send the peer fewer communities, and apply again.`,
    });
  }
}

function stillHas(prefixes: string, isUp: boolean): string {
  return isUp
    ? `still has ${prefixes}`
    : `has no session, so it is unknown whether it still has ${prefixes}, which it is sent when it is back`;
}

const NAMES = { ipv4: 'IPv4', ipv6: 'IPv6' } as const satisfies Readonly<Record<Family, string>>;

/** What a peer without the address holds. @param had the prefixes around the address of the revision that it was reverted to */
function holds({ number, is_up: isUp }: LookupReverted, had: readonly string[]): string {
  if (number === null) return 'holds nothing';
  if (!isUp)
    return `has no session, and so no routes from us; it is sent those of revision ${number} when it is back`;
  return had.length === 0
    ? `holds revision ${number}, which does not have it`
    : `has lost ${had.join(', ')} of revision ${number}, which it holds, since later revisions announce it otherwise`;
}

/** What a reverted peer has of an address. */
interface AddressHolding {
  /** The routes around it in the revision that the peer was reverted to. */
  readonly had: readonly string[];
  /** Those that it still holds, or what is left of them. */
  readonly has: readonly string[];
  /** The most specific route that its speaker announces, where it holds neither that nor one around it with the same communities. */
  readonly lacks: string | null;
  /** Whether its speaker announces the address to it, and drops its traffic if the peer does. */
  readonly isAnnounced: boolean;
}

function holdingOf(
  { held, left, latest, sent }: LookupPeers['reverted'][number],
  address: Address,
): AddressHolding {
  if (held === null || left === null || !sent.families.includes(address.family))
    return { had: [], has: [], lacks: null, isAnnounced: false };
  const of = (table: PrefixTable): Around => sentAround(table, address, sent);
  const now = of(latest);
  const had = of(held);
  const has = left === held ? had : of(left);
  return {
    had: had.routes.map(({ prefix }) => prefix),
    has: has.routes.map(({ prefix }) => prefix),
    lacks: lackingOf(now, has),
    isAnnounced: now.routes.length > 0 && (!has.isDropped || now.isDropped),
  };
}

/** Null: nothing is lacking, or nothing is announced. */
function lackingOf({ routes: [due] }: Around, { routes }: Around): string | null {
  return due === undefined || routes.some((route) => isSameRoute(route, due)) ? null : due.prefix;
}

interface Around {
  /** The most specific first. */
  readonly routes: readonly RouteAround[];
  /** Whether one of them drops traffic. */
  readonly isDropped: boolean;
}

/** The routes that the peer is sent and that have the address. */
function sentAround(table: PrefixTable, address: Address, sent: SentRoutes): Around {
  const isSent = isSentTo(sent, address.family);
  const routes = routesAround(table, address).filter(({ labels }) => isSent(labels));
  return { routes, isDropped: routes.some(({ labels }) => dropsTraffic(labels, sent)) };
}

const NO_ROUTES = emptyTable();

/** What is left of a table beside another, once for what is sent: several peers may hold the same. */
const lefts = new WeakMap<PrefixTable, { latest: PrefixTable; bySent: Map<string, Promise<PrefixTable>> }>();

/** It is made once for all lookups until something else is announced. */
async function leftOnce(held: PrefixTable, latest: PrefixTable, sent: SentRoutes): Promise<PrefixTable> {
  const known = lefts.get(held);
  const bySent = known?.latest === latest ? known.bySent : new Map<string, Promise<PrefixTable>>();
  lefts.set(held, { latest, bySent });
  const key = JSON.stringify(sent);
  const made = bySent.get(key) ?? leftBeside(held, latest, sent);
  bySent.set(key, made);
  try {
    return await made;
  } catch (error) {
    bySent.delete(key);
    throw error;
  }
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
      const isSentLabels = isSentTo(
        { labels: labelsFor(ids, revision.communities), families: [family] },
        family,
      );
      return routesAround(table, address).some(({ labels }) => isSentLabels(labels));
    });
}
