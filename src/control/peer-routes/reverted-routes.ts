/** What peers go on with that did not bear what their speaker runs. */
import { Problem } from '../../api/problems/problem.ts';
import {
  asFinal,
  EMPTY_ROUTES,
  type PeerModel,
  type RevertedRoutes,
  type RoutesModel,
  type SpeakerModel,
} from '../../speakers/speaker.ts';
import type { PrefixTable } from '../../core/tables/prefix-table.ts';
import type { TenantTx } from '../../store/database/database.ts';
import type { RevertedPeer } from '../../api/speakers/reverted-peer.ts';
import { listRevertedPeers, type KnownReverted } from '../../store/rollout/reverted-peers.ts';
import { leftBeside } from '../tables/table-threads.ts';
import { fitPeers, keptOfCover, type FitRules } from '../../speakers/fit-peers.ts';
import { readFitRules } from './fit-rules.ts';
import { loadSentRoutes } from './load-routes.ts';

/** What these peers held, read again for a process that takes the speaker over. */
export async function loadReverted(
  tx: TenantTx,
  speakerId: string,
  peers: readonly RevertedPeer[],
): Promise<RevertedRoutes[]> {
  const loaded: RevertedRoutes[] = [];
  for (const [id, some] of Map.groupBy(peers, ({ revision_id: id }) => id)) {
    const routes = id === null ? EMPTY_ROUTES : await readableRoutes(tx, speakerId, id);
    // An unreadable content must not block the whole speaker: the peer is sent what all peers are sent.
    if (routes !== null) loaded.push({ peerIds: some.map(({ peer_id: peer }) => peer), routes });
  }
  return loaded;
}

/** The routes of a revision as the speaker was sent routes last; null where its content cannot be read. */
export async function readableRoutes(
  tx: TenantTx,
  speakerId: string,
  revisionId: string,
): Promise<RoutesModel | null> {
  try {
    return asFinal(await loadSentRoutes(tx, speakerId, revisionId));
  } catch (error) {
    if (error instanceof Problem && error.code === 'database_unavailable') throw error;
    return null;
  }
}

/** The routes, but for these peers, which go on with what they hold. @param held by peer, whatever was withdrawn from it since */
export function keeping(
  routes: RoutesModel,
  held: ReadonlyMap<string, RoutesModel>,
  peers: readonly Pick<RevertedPeer, 'peer_id'>[],
): RoutesModel {
  const ids = peers.map(({ peer_id: id }) => id).filter((id) => held.has(id));
  const reverted = [...Map.groupBy(ids, (id) => held.get(id)!)].map(([model, peerIds]) => ({
    ...{ peerIds, routes: model },
  }));
  return { ...routes, ...(reverted.length === 0 ? {} : { reverted }) };
}

/** What the reverted peers of these routes are sent, by peer. */
export function heldBy({ reverted = [] }: RoutesModel): Map<string, RoutesModel> {
  return new Map(reverted.flatMap(({ peerIds, routes }) => peerIds.map((id) => [id, routes] as const)));
}

/**
 * The routes, with less for those of the reverted peers that are narrowed: of what they hold, what the routes have for them too.
 * @param rules null: no peer of the model has anything fitted
 */
export async function narrowReverted(
  model: SpeakerModel,
  routes: RoutesModel,
  peers: readonly Pick<RevertedPeer, 'peer_id' | 'narrowed'>[],
  rules: FitRules | null,
): Promise<RoutesModel> {
  const { reverted = [] } = routes;
  const narrowed = new Set(peers.filter((peer) => peer.narrowed).map(({ peer_id: id }) => id));
  if (!reverted.some(({ peerIds }) => peerIds.some((id) => narrowed.has(id)))) return routes;
  const made: RevertedRoutes[] = [];
  for (const { peerIds, routes: held } of reverted) {
    const some = model.peers.filter(({ id }) => peerIds.includes(id) && narrowed.has(id));
    const whole = peerIds.filter((id) => !some.some((peer) => peer.id === id));
    if (whole.length > 0) made.push({ peerIds: whole, routes: held });
    for (const alike of Map.groupBy(some, sentAs).values()) {
      const [peer] = alike;
      const left =
        peer!.fits === true && rules !== null
          ? await keptOfCover(model, peer!, { held, routes, rules })
          : await withTable(held, leftBeside(held.table, routes.table, peer!));
      made.push({ peerIds: alike.map(({ id }) => id), routes: left });
    }
  }
  return { ...routes, reverted: made };
}

async function withTable(routes: RoutesModel, made: Promise<PrefixTable>): Promise<RoutesModel> {
  const table = await made;
  return table === routes.table ? routes : { ...routes, table };
}

/** The routes that a speaker runs, with what peers that were reverted hold instead. */
export function withReverted(tx: TenantTx, model: SpeakerModel, running: RoutesModel): Promise<RoutesModel> {
  return withKept(tx, model, running, (peer) => peer);
}

/**
 * The routes with what reverted peers would hold instead once they are applied. Who is due for another try would be sent them.
 * @param appliedId what the speaker runs
 */
export function previewReverted(
  tx: TenantTx,
  model: SpeakerModel,
  routes: RoutesModel,
  appliedId: string | null,
): Promise<RoutesModel> {
  const isNext = routes.revisionId !== (appliedId ?? '');
  return withKept(tx, model, routes, (peer) => {
    const isDue = peer.is_due && !peer.is_spent;
    if (peer.requested || peer.is_changed || (isNext && (isDue || isBearable(peer, routes)))) return null;
    return { ...peer, narrowed: peer.narrowed || (isNext && peer.tried_revision_id !== routes.revisionId) };
  });
}

/** Whether these routes are no more than it holds, so that it is tried at once. */
export function isBearable(
  { held_routes: held }: Pick<KnownReverted, 'held_routes'>,
  { table }: Pick<RoutesModel, 'table'>,
): boolean {
  return table.ipv4.size + table.ipv6.size <= held;
}

/** @param keep how the peer stays reverted; null: it does not */
async function withKept(
  tx: TenantTx,
  model: SpeakerModel,
  routes: RoutesModel,
  keep: (peer: KnownReverted) => RevertedPeer | null,
): Promise<RoutesModel> {
  const known = await listRevertedPeers(tx, model.speakerId);
  const kept = known.flatMap((peer) => keep(peer) ?? []);
  if (kept.length === 0) return routes;
  const reverted = await loadReverted(tx, model.speakerId, kept);
  const rules = await readFitRules(tx, [model], routes.revisionId || null);
  const covered = await fitPeers(model, { ...routes, reverted }, rules);
  return narrowReverted(model, { ...routes, reverted: covered.reverted ?? [] }, kept, rules);
}

/** Equal for peers that keep the same. */
function sentAs({ labels, families, fits, maxPrefixesOut }: PeerModel): string {
  return JSON.stringify([labels, families, fits === true ? maxPrefixesOut : null]);
}
