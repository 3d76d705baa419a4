/**
 * Peers that would be sent more routes than their `max_prefixes_out`, in daemons with one table for all peers of a speaker. Such a peer
 * keeps of what it holds whatever the new routes have too, and is sent nothing beside that; the others get the new routes.
 * Routes that it is not to be sent carry a bar in the daemon: a large community which the policies of that peer refuse and those of all
 * others take away. Pure.
 */
import { FAMILIES, widthOf, type Family } from '../core/address.ts';
import { formatCommunity } from '../core/community.ts';
import { diffTables } from '../core/tables/diff.ts';
import { PrefixTableBuilder } from '../core/tables/prefix-table.ts';
import { barOf } from './bars.ts';
import { communitiesOf, exportPolicies, hearing, RouteCounts, type ExportPolicy } from './export-policy.ts';
import {
  asFinal,
  EMPTY_ROUTES,
  SpeakerError,
  type LimitedPeer,
  type PeerModel,
  type RoutesModel,
  type SpeakerModel,
} from './speaker.ts';

/** What a speaker was brought to, and for which peers. */
export interface Brought {
  readonly routes: RoutesModel;
  readonly peers: readonly PeerModel[];
}

/**
 * The routes, with what each peer holds that they are too many for. A peer that was limited before holds what it held then; one that
 * `before` does not know holds nothing.
 * @param before null: nobody knows what peers hold
 * @throws {SpeakerError} `max_prefixes_exceeded` for a peer that may hold anything
 */
export function limitPeers(model: SpeakerModel, routes: RoutesModel, before: Brought | null): RoutesModel {
  const { limited: given = [], ...rest } = routes;
  const limited = peersOverLimit(model, routes).map(({ peer, count }): LimitedPeer => {
    const known = [...given, ...(before?.routes.limited ?? [])].find(({ peerId }) => peerId === peer.id);
    if (known !== undefined) return known;
    if (before === null) throw tooMany(peer, count);
    const old = before.peers.find(({ id }) => id === peer.id);
    const { labels, families } = old ?? peer;
    return {
      peerId: peer.id,
      held: old === undefined ? EMPTY_ROUTES : heldOf(before.routes),
      labels,
      families,
    };
  });
  return limited.length === 0 ? rest : { ...rest, limited };
}

function tooMany({ name, maxPrefixesOut }: PeerModel, count: number): SpeakerError {
  return new SpeakerError(
    'max_prefixes_exceeded',
    `the peer ${name} would be sent ${count} routes, more than its max_prefixes_out of ${maxPrefixesOut}: raise it, or send the peer fewer communities. No peer was told anything: nobody knows for certain which of them this one holds`,
  );
}

function heldOf(routes: RoutesModel): RoutesModel {
  const { limited: _, reverted: __, ...held } = asFinal(routes);
  return held;
}

/** Peers that the routes are too many for, and how many they are. O(rows) where any peer has a limit. */
function peersOverLimit(
  model: SpeakerModel,
  routes: RoutesModel,
): { readonly peer: PeerModel; readonly count: number }[] {
  if (model.peers.every(({ maxPrefixesOut }) => maxPrefixesOut === null)) return [];
  const counts = new RouteCounts(routes);
  return model.peers.flatMap((peer) => {
    const policies = exportPolicies(model, peer, routes);
    const count = policies.reduce((sum, policy) => sum + counts.heardBy(policy), 0);
    return peer.maxPrefixesOut !== null && count > peer.maxPrefixesOut ? [{ peer, count }] : [];
  });
}

/** The routes as the daemon is to have them: those that a limited peer is not to be sent carry its bar. O(rows) for each such peer. */
export function barRoutes(model: SpeakerModel, routes: RoutesModel): RoutesModel {
  const { limited = [] } = routes;
  if (limited.length === 0) return routes;
  const builder = new PrefixTableBuilder();
  builder.addTable(routes.table);
  for (const one of limited) {
    const peer = model.peers.find(({ id }) => id === one.peerId);
    if (peer === undefined) continue;
    const bar = formatCommunity(barOf(one.peerId));
    for (const family of FAMILIES) {
      const { words, lengths } = routes.table[family];
      const width = widthOf(family);
      for (const row of barredRows(model, peer, one, routes, family))
        builder.add(family, words.subarray(row * width, (row + 1) * width), lengths[row]!, bar);
    }
  }
  return { ...routes, table: builder.build(), barred: limited.map(({ peerId }) => peerId).sort() };
}

/** The routes with what else is barred from a peer by `others`: for policies while the one takes the place of the other. */
export function withBarsOf(routes: RoutesModel, others: RoutesModel | null): RoutesModel {
  const barred = new Set([...(others?.barred ?? []), ...(routes.barred ?? [])]);
  return barred.size === 0 ? routes : { ...routes, barred: [...barred].sort() };
}

/** Rows that the peer would be sent and does not hold. */
function barredRows(
  model: SpeakerModel,
  peer: PeerModel,
  { held, labels, families }: LimitedPeer,
  routes: RoutesModel,
  family: Family,
): number[] {
  const rows = routes.table[family];
  const isSent = listening(exportPolicies(model, peer, routes), family, routes);
  const old = exportPolicies(model, { ...peer, labels, families }, held);
  const wasSent = listening(old, family, held);
  const wanted = routes.table.labelSets.map(isSent);
  const heldSets = held.table.labelSets.map(wasSent);
  // Of a row that is in both with equal labels, what these labels mean now says whether it was sent.
  const isHeld = Uint8Array.from(rows.labels, (set) => (wasSent(routes.table.labelSets[set]!) ? 1 : 0));
  const { announced, changed } = diffTables(held.table, routes.table)[family];
  for (const row of announced) isHeld[row] = 0;
  for (let at = 0; at < changed.length; at += 2)
    isHeld[changed[at + 1]!] = heldSets[held.table[family].labels[changed[at]!]!] === true ? 1 : 0;
  const barred: number[] = [];
  for (let row = 0; row < rows.size; row++)
    if (isHeld[row] === 0 && wanted[rows.labels[row]!] === true) barred.push(row);
  return barred;
}

/** Whether routes with these labels are sent. */
function listening(
  policies: readonly ExportPolicy[],
  family: Family,
  routes: RoutesModel,
): (labels: readonly string[]) => boolean {
  const policy = policies.find((one) => one.family === family);
  if (policy === undefined) return () => false;
  const isHeard = hearing(policy);
  return (labels) => isHeard(new Set(communitiesOf(labels, routes).map(formatCommunity)));
}

/** What a session says of a peer that is left with what it has; null for one that is not. */
export function limitProblem({ id, maxPrefixesOut }: PeerModel, { barred = [] }: RoutesModel): string | null {
  return barred.includes(id)
    ? `its routes are more than max_prefixes_out ${maxPrefixesOut}, so it keeps of those that it has what is still announced: raise max_prefixes_out, or send the peer fewer communities`
    : null;
}
