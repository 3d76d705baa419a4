/** Peers over their `max_prefixes_out` are sent a cover of at most that many routes, in place of nothing new. */
import { FAMILIES, type Family } from '../core/address.ts';
import { formatCommunity } from '../core/community.ts';
import type { FitAnswer, RoutesToFit } from '../core/fitting/fit-routes.ts';
import { type FittedTable, NO_ADDED } from '../core/fitting/fit-table.ts';
import type { ForbiddenAddresses } from '../core/fitting/forbidden-addresses.ts';
import type { PrefixTable } from '../core/tables/prefix-table.ts';
import { communitiesOf, exportFilter, exportPolicies } from './export-policy.ts';
import { peersOverLimit } from './limited-peers.ts';
import {
  type FittedRoutes,
  type LimitedPeer,
  ofAllPeers,
  type PeerModel,
  type RevertedRoutes,
  type RoutesModel,
  type SpeakerModel,
  type UnfittedPeer,
} from './speaker.ts';

/** What covers may be. */
export interface FitRules {
  /** Above it a person decides. */
  readonly maxAddedPercent: number;
  readonly forbidden: ForbiddenAddresses;
  readonly shortest: Readonly<Record<Family, number>>;
  /** Makes a cover. */
  readonly fit: (routes: RoutesToFit) => Promise<FitAnswer>;
}

/**
 * The routes, with a cover for each peer that is to have one and would be sent more than its limit. A peer of `routes.limited` keeps the cover of what it
 * held: a newer one was not allowed.
 * @param rules null: nothing is fitted
 * @param before what the speaker runs, and what peers over their limit hold of it
 */
export async function fitPeers(
  model: SpeakerModel,
  routes: RoutesModel,
  rules: FitRules | null,
  before: RoutesModel | null = null,
): Promise<RoutesModel> {
  if (rules === null) return routes;
  const { limited = [], reverted = [], fitted: _, unfitted: __, ...rest } = routes;
  const held: LimitedPeer[] = [];
  for (const one of limited) held.push(await asItWas(model, one, rules));
  const peers = model.peers.filter(({ id }) => !reverted.some(({ peerIds }) => peerIds.includes(id)));
  const own = await coversOf(model, peers, routes, { rules, limited: held, before });
  const others: RevertedRoutes[] = [];
  for (const one of reverted) others.push(...(await revertedTo(model, one, rules)));
  return {
    ...rest,
    ...(others.length === 0 ? {} : { reverted: others }),
    ...(held.length === 0 ? {} : { limited: held }),
    ...own,
  };
}

/** What a peer was sent of the revision that it holds. */
async function asItWas(model: SpeakerModel, one: LimitedPeer, rules: FitRules): Promise<LimitedPeer> {
  const { peerId, held, labels, families } = one;
  const peer = model.peers.find(({ id }) => id === peerId);
  if (peer === undefined) return one;
  const { fitted } = await coversOf(model, [{ ...peer, labels, families }], held, asItWasAllowed(rules));
  return fitted?.[0] === undefined ? one : { ...one, held: fitted[0].routes };
}

/** What peers were reverted to: each to its cover, if it had one. */
async function revertedTo(
  model: SpeakerModel,
  { peerIds, routes }: RevertedRoutes,
  rules: FitRules,
): Promise<RevertedRoutes[]> {
  const peers = model.peers.filter(({ id }) => peerIds.includes(id));
  const { fitted = [] } = await coversOf(model, peers, routes, asItWasAllowed(rules));
  const rest = peerIds.filter((id) => !fitted.some((cover) => cover.peerIds.includes(id)));
  return [
    ...(rest.length === 0 ? [] : [{ peerIds: rest, routes }]),
    ...fitted.map((cover) => ({ peerIds: cover.peerIds, routes: cover.routes })),
  ];
}

/** Of a cover that a peer holds, what it may go on with beside these routes. */
export async function keptOfCover(
  model: SpeakerModel,
  peer: PeerModel,
  {
    held,
    routes,
    rules,
  }: { readonly held: RoutesModel; readonly routes: RoutesModel; readonly rules: FitRules },
): Promise<RoutesModel> {
  const { forbidden, shortest, fit } = rules;
  const { kept } = await fit({
    ...{ table: routes.table, sent: sentSets(model, peer, routes), maximum: peer.maxPrefixesOut ?? Infinity },
    ...{ forbidden, shortest, maxAddedPercent: NONE_ALLOWED, cover: held.table },
  });
  return { ...held, table: kept! };
}

interface CoverOptions {
  readonly rules: FitRules;
  /** Peers that keep what they hold, whatever a cover would cost now. */
  readonly limited: readonly LimitedPeer[];
  readonly before: RoutesModel | null;
}

/** Of a cover that a peer holds already: whatever it adds was allowed then. */
function asItWasAllowed(rules: FitRules): CoverOptions {
  return { rules: { ...rules, maxAddedPercent: Infinity }, limited: [], before: null };
}

/** Peers that are sent the same, may have as many and have the same now share one cover. */
async function coversOf(
  model: SpeakerModel,
  peers: readonly PeerModel[],
  routes: RoutesModel,
  options: CoverOptions,
): Promise<Pick<RoutesModel, 'fitted' | 'unfitted'>> {
  const fitting = peers.filter(({ fits }) => fits === true);
  const over = fitting.length === 0 ? [] : peersOverLimit({ ...model, peers: fitting }, routes);
  const groups = Map.groupBy(
    over.map(({ peer }) => peerToFit(model, peer, routes, options)),
    groupKeys(),
  );
  const fitted: FittedRoutes[] = [];
  const unfitted: UnfittedPeer[] = [];
  for (const alike of groups.values()) {
    const made = await coverFor(alike, routes, options.rules);
    if (made.cover !== null) fitted.push(made.cover);
    unfitted.push(...made.unfitted);
  }
  return {
    ...(fitted.length === 0 ? {} : { fitted }),
    ...(unfitted.length === 0 ? {} : { unfitted }),
  };
}

interface PeerToFit {
  readonly peer: PeerModel;
  readonly sent: Sent;
  /** Null: it has no cover. */
  readonly held: LimitedPeer | null;
  readonly isHeld: boolean;
}

function peerToFit(
  model: SpeakerModel,
  peer: PeerModel,
  routes: RoutesModel,
  { limited, before }: CoverOptions,
): PeerToFit {
  const { id, labels, families } = peer;
  const sent = sentSets(model, peer, routes);
  const kept = limited.find(({ peerId }) => peerId === id);
  const known = before?.limited?.find(({ peerId }) => peerId === id);
  const cover = before?.fitted?.find(({ peerIds }) => peerIds.includes(id))?.routes;
  const held = kept ?? known ?? (cover === undefined ? null : { peerId: id, held: cover, labels, families });
  return { peer, sent, held, isHeld: kept !== undefined };
}

/** @returns what is equal for peers that share a cover */
function groupKeys(): (peer: PeerToFit) => string {
  const numbers = new Map<RoutesModel, number>();
  const numberOf = (routes: RoutesModel): number => {
    const number = numbers.get(routes) ?? numbers.size;
    numbers.set(routes, number);
    return number;
  };
  return ({ peer, sent, held, isHeld }) =>
    [
      ...[peer.maxPrefixesOut, sent.ipv4.join(''), sent.ipv6.join('')],
      ...[isHeld, held === null ? '' : numberOf(held.held)],
    ].join(' ');
}

/** One cover for peers that are alike; those that are not allowed it keep of theirs what they may. */
async function coverFor(
  alike: readonly PeerToFit[],
  routes: RoutesModel,
  rules: FitRules,
): Promise<{ readonly cover: FittedRoutes | null; readonly unfitted: readonly UnfittedPeer[] }> {
  const { peer, sent, held, isHeld } = alike[0]!;
  const maximum = peer.maxPrefixesOut!;
  const { forbidden, shortest, fit } = rules;
  const maxAddedPercent = isHeld ? NONE_ALLOWED : rules.maxAddedPercent;
  const cover = held === null ? null : held.held.table;
  const work = { table: routes.table, sent, maximum, forbidden, shortest, maxAddedPercent, cover };
  const { fitted, isAllowed, kept } = await fit(work);
  const peerIds = alike.map(({ peer: { id } }) => id);
  const coverOf = (table: PrefixTable, cost: FittedRoutes['cost']): FittedRoutes => ({
    ...{ peerIds, cost },
    routes: { ...ofAllPeers(routes), table },
  });
  const cost = fitted === null ? null : costOf(fitted);
  if (fitted !== null && cost !== null && isAllowed)
    return { cover: coverOf(fitted.table, cost), unfitted: [] };
  const reason = isHeld ? HELD : reasonAgainst(fitted, rules.maxAddedPercent);
  const mayKeep = kept !== null && kept.ipv4.size + kept.ipv6.size <= maximum;
  return {
    cover: mayKeep ? coverOf(kept, NO_COST) : null,
    unfitted: alike.map((one) => ({
      peerId: one.peer.id,
      reason,
      held: one.held,
      cost: isHeld ? null : cost,
    })),
  };
}

function costOf({ table: _, ...cost }: FittedTable): FittedRoutes['cost'] {
  return cost;
}

/** Also a cover that adds nothing is a newer one. */
const NONE_ALLOWED = -1;
const HELD = 'a newer cover was not allowed. Apply again for what it would cost now';
const NO_COST: FittedRoutes['cost'] = {
  added: { ipv4: NO_ADDED, ipv6: NO_ADDED },
  ...{ optimal: true, largest: [] },
};

type Sent = Readonly<Record<Family, Uint8Array>>;

/** Which label sets the peer is sent. */
function sentSets(model: SpeakerModel, peer: PeerModel, routes: RoutesModel): Sent {
  const policies = exportPolicies(model, peer, routes);
  const texts = routes.table.labelSets.map(
    (labels) => new Set(communitiesOf(labels, routes).map(formatCommunity)),
  );
  const of = (family: Family): Uint8Array => {
    const policy = policies.find((one) => one.family === family);
    const isSent = policy === undefined ? () => false : exportFilter(policy);
    return Uint8Array.from(texts, (communities) => (isSent(communities) ? 1 : 0));
  };
  return { ipv4: of('ipv4'), ipv6: of('ipv6') };
}

/** Why a cover may not be sent. */
function reasonAgainst(made: FittedTable | null, maxAddedPercent: number): string {
  if (made === null)
    return 'so few prefixes cannot cover its routes without addresses that are protected, excluded, special-purpose, of other lists or not allowed, or a prefix that is too short. Raise max_prefixes_out, or send the peer fewer communities';
  const costs = FAMILIES.flatMap((family) => {
    const { addresses, percent } = made.added[family];
    const name = family === 'ipv4' ? 'IPv4' : 'IPv6';
    return percent > maxAddedPercent
      ? [`${addresses} foreign ${name} addresses, ${percent} % of its own`]
      : [];
  });
  return `fitting its routes would add ${costs.join(' and ')}, and the setting fit_max_added_percent is ${maxAddedPercent}. Raise one of them to let it through, or send the peer fewer communities`;
}
