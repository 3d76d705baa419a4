/**
 * Peers that would be sent more routes than their `max_prefixes_out`, in daemons with one table for all peers of a speaker. Such a peer
 * keeps those of its routes that the new ones contain too, or what has taken their place, and receives nothing else, or is sent a cover of them; the other peers receive the new routes. Routes that
 * it must not receive carry a bar in the daemon: a large community that its policy rejects and all other policies strip. The builtin speaker
 * gives each peer its own, and needs to know what such a peer holds only where it has not sent it itself. Pure.
 */
import { FAMILIES, widthOf, type Family } from '../core/address.ts';
import { formatCommunity } from '../core/community.ts';
import { diffTables } from '../core/tables/diff.ts';
import { pickMarkedRows, PrefixTableBuilder, type PrefixRows } from '../core/tables/prefix-table.ts';
import { barOf } from './bars.ts';
import { markReplacing } from './replacing-rows.ts';
import {
  communitiesOf,
  exportPolicies,
  exportFilter,
  RouteCounts,
  type ExportPolicy,
} from './export-policy.ts';
import {
  asFinal,
  EMPTY_ROUTES,
  ofAllPeers,
  SpeakerError,
  type FittedRoutes,
  type LimitedPeer,
  type PeerModel,
  type RoutesModel,
  type SpeakerModel,
} from './speaker.ts';

/** The routes that a speaker was brought to, and its peers at that time. */
export interface Brought {
  readonly routes: RoutesModel;
  readonly peers: readonly PeerModel[];
}

/**
 * The routes, with what each peer over its limit holds. A peer that was limited before still holds what it held then; one that `before`
 * does not know holds nothing.
 * @param before null: what peers hold is unknown
 * @throws {SpeakerError} `max_prefixes_exceeded` for a peer whose routes are unknown
 */
export function limitPeers(model: SpeakerModel, routes: RoutesModel, before: Brought | null): RoutesModel {
  const { limited: given = [], ...rest } = routes;
  const known = [...given, ...(before?.routes.limited ?? [])];
  const over = peersOverLimit(model, routes).filter(({ peer }) => routesOf(routes, peer.id) === routes);
  const ofOver = over.map(({ peer, count }): LimitedPeer => {
    const own = known.find(({ peerId }) => peerId === peer.id);
    if (own !== undefined) return own;
    if (before === null) throw tooMany(peer, count);
    const old = before.peers.find(({ id }) => id === peer.id);
    const { labels, families } = old ?? peer;
    const held = old === undefined ? EMPTY_ROUTES : heldOf(routesOf(before.routes, peer.id));
    return { peerId: peer.id, held, labels, families };
  });
  const unfitted = (routes.unfitted ?? []).flatMap(({ held }) => held ?? []);
  const limited = [
    ...ofOver,
    ...limitedAmongReverted(model, routes, known),
    ...unfitted.filter(({ peerId }) => !ofOver.some((one) => one.peerId === peerId)),
  ];
  return limited.length === 0 ? rest : { ...rest, limited };
}

/** A peer may have been reverted to routes of which it did not hold all either. */
function limitedAmongReverted(
  model: SpeakerModel,
  { reverted = [] }: RoutesModel,
  known: readonly LimitedPeer[],
): LimitedPeer[] {
  return reverted.flatMap(({ peerIds, routes }) => {
    const peers = model.peers.filter(({ id }) => peerIds.includes(id));
    const over = peersOverLimit({ ...model, peers }, routes);
    return over.flatMap(({ peer }) => known.find(({ peerId }) => peerId === peer.id) ?? []);
  });
}

function tooMany({ name, maxPrefixesOut }: PeerModel, count: number): SpeakerError {
  return new SpeakerError(
    'max_prefixes_exceeded',
    `the peer ${name} would be sent ${count} routes, more than its max_prefixes_out of ${maxPrefixesOut}: raise it, or send the peer fewer communities. No peer was sent anything, because it is unknown which of them this one holds`,
  );
}

/** What the peer is to hold: these routes, or those that it was reverted to, or a cover of them. */
function routesOf(routes: RoutesModel, peerId: string): RoutesModel {
  const own = [...(routes.reverted ?? []), ...(routes.fitted ?? [])];
  return own.find(({ peerIds }) => peerIds.includes(peerId))?.routes ?? routes;
}

function heldOf(routes: RoutesModel): RoutesModel {
  return ofAllPeers(asFinal(routes));
}

/** Peers over their limit, each with its number of routes. O(rows) if any peer has a limit. */
export function peersOverLimit(
  model: SpeakerModel,
  routes: RoutesModel,
): { readonly peer: PeerModel; readonly count: number }[] {
  if (model.peers.every(({ maxPrefixesOut }) => maxPrefixesOut === null)) return [];
  const counts = new RouteCounts(routes);
  return model.peers.flatMap((peer) => {
    const policies = exportPolicies(model, peer, routes);
    const count = policies.reduce((sum, policy) => sum + counts.exportedBy(policy), 0);
    return peer.maxPrefixesOut !== null && count > peer.maxPrefixesOut ? [{ peer, count }] : [];
  });
}

/**
 * The routes as the daemon receives them: those that a limited or fitted peer must not receive carry its bar, and what only fitted peers are to receive
 * carries the bars of all others. O(rows) for each such peer.
 */
export function barRoutes(model: SpeakerModel, routes: RoutesModel): RoutesModel {
  const { limited = [], fitted = [] } = routes;
  const present = fitted.filter(({ peerIds }) => model.peers.some(({ id }) => peerIds.includes(id)));
  if (limited.length + present.length === 0) return routes;
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
  for (const one of present) barFitted(builder, model, routes, one);
  // With a cover in the table, every peer has something that it must not receive.
  const barred = present.length > 0 ? model.peers.map(({ id }) => id) : limited.map(({ peerId }) => peerId);
  return { ...routes, table: builder.build(), barred: barred.sort() };
}

/** Adds the prefixes of the cover for its peers alone, and keeps from them what these cover. */
function barFitted(
  builder: PrefixTableBuilder,
  model: SpeakerModel,
  routes: RoutesModel,
  { peerIds, routes: cover }: FittedRoutes,
): void {
  const barsOf = (some: readonly PeerModel[]): string[] => some.map(({ id }) => formatCommunity(barOf(id)));
  const own = barsOf(model.peers.filter(({ id }) => peerIds.includes(id)));
  const others = barsOf(model.peers.filter(({ id }) => !peerIds.includes(id)));
  const difference = diffTables(cover.table, routes.table);
  for (const family of FAMILIES) {
    const width = widthOf(family);
    const add = ({ words, lengths }: PrefixRows, row: number, labels: readonly string[]): void => {
      const address = words.subarray(row * width, (row + 1) * width);
      for (const label of labels) builder.add(family, address, lengths[row]!, label);
      if (labels.length === 0) builder.add(family, address, lengths[row]!, null);
    };
    for (const row of difference[family].announced) add(routes.table[family], row, own);
    const { labelSets, [family]: rows } = cover.table;
    for (const row of difference[family].withdrawn)
      add(rows, row, [...labelSets[rows.labels[row]!]!, ...others]);
  }
}

/** The routes with the bars of `others` added: for policies while one version replaces the other. */
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
  // For a row in both tables with equal labels, the present meaning of the labels says whether it was sent.
  const isHeld = Uint8Array.from(rows.labels, (set) => (wasSent(routes.table.labelSets[set]!) ? 1 : 0));
  const { announced, withdrawn, changed } = diffTables(held.table, routes.table)[family];
  for (const row of announced) isHeld[row] = 0;
  const heldRows = held.table[family];
  for (let at = 0; at < changed.length; at += 2)
    isHeld[changed[at + 1]!] = heldSets[heldRows.labels[changed[at]!]!] === true ? 1 : 0;
  const lost = Array.from(withdrawn).filter((row) => heldSets[heldRows.labels[row]!] === true);
  markReplacing({ held: heldRows, lost, latest: rows, isWanted: (set) => wanted[set] === true }, isHeld);
  const barred: number[] = [];
  for (let row = 0; row < rows.size; row++)
    if (isHeld[row] === 0 && wanted[rows.labels[row]!] === true) barred.push(row);
  return barred;
}

/** How many of these routes a limited peer has: those that it holds, and what has taken their place. O(rows) */
export function countKept(
  model: SpeakerModel,
  peer: PeerModel,
  limited: LimitedPeer,
  routes: RoutesModel,
): Record<Family, number> {
  const policies = exportPolicies(model, peer, routes);
  const count = (family: Family): number => {
    const wanted = routes.table.labelSets.map(listening(policies, family, routes));
    const { labels, size } = routes.table[family];
    let all = 0;
    for (let row = 0; row < size; row++) if (wanted[labels[row]!] === true) all++;
    return all - barredRows(model, peer, limited, routes, family).length;
  };
  return { ipv4: count('ipv4'), ipv6: count('ipv6') };
}

/** Those of these routes that a limited peer has, beside such as its policy keeps from it. O(rows) */
export function keptRoutes(
  model: SpeakerModel,
  peer: PeerModel,
  limited: LimitedPeer,
  routes: RoutesModel,
): RoutesModel {
  const builder = new PrefixTableBuilder();
  for (const family of FAMILIES) {
    const rows = routes.table[family];
    const isKept = new Uint8Array(rows.size).fill(1);
    for (const row of barredRows(model, peer, limited, routes, family)) isKept[row] = 0;
    builder.addRows(routes.table, pickMarkedRows(rows, isKept));
  }
  return { ...routes, table: builder.build() };
}

/** Whether routes with these labels are sent. */
function listening(
  policies: readonly ExportPolicy[],
  family: Family,
  routes: RoutesModel,
): (labels: readonly string[]) => boolean {
  const policy = policies.find((one) => one.family === family);
  if (policy === undefined) return () => false;
  const isExported = exportFilter(policy);
  return (labels) => isExported(new Set(communitiesOf(labels, routes).map(formatCommunity)));
}

/** The error of a session whose peer keeps its old routes, or is not sent a cover that it should be; null for other peers. */
export function limitProblem(
  { id, maxPrefixesOut }: PeerModel,
  { limited = [], unfitted = [] }: RoutesModel,
): string | null {
  const refused = unfitted.find(({ peerId }) => peerId === id);
  if (refused === undefined && !limited.some(({ peerId }) => peerId === id)) return null;
  const remedy = refused?.reason ?? 'raise max_prefixes_out, or send the peer fewer communities';
  return `its routes are more than max_prefixes_out ${maxPrefixesOut}, so it keeps of those that it has what is still announced: ${remedy}`;
}
