/** What peers go on with that did not bear what their speaker runs. */
import { Problem } from '../../api/problems/problem.ts';
import type { RoutesVersion } from '../../speakers/routes-version.ts';
import { asFinal, EMPTY_ROUTES, type RevertedRoutes, type RoutesModel } from '../../speakers/speaker.ts';
import type { TenantTx } from '../../store/database/database.ts';
import type { RevertedPeer } from '../../api/speakers/reverted-peer.ts';
import { loadRoutes } from '../revisions/load-routes.ts';

/** What these peers held, read again for a process that takes the speaker over. */
export async function loadReverted(tx: TenantTx, peers: readonly RevertedPeer[]): Promise<RevertedRoutes[]> {
  const loaded: RevertedRoutes[] = [];
  for (const [id, some] of Map.groupBy(peers, ({ revision_id: id }) => id)) {
    const routes = id === null ? EMPTY_ROUTES : await readableRoutes(tx, id);
    // An unreadable content must not block the whole speaker: the peer is sent what all peers are sent.
    if (routes !== null) loaded.push({ peerIds: some.map(({ peer_id: peer }) => peer), routes });
  }
  return loaded;
}

/** The routes of a revision; null where its content cannot be read. */
export async function readableRoutes(tx: TenantTx, revisionId: string): Promise<RoutesModel | null> {
  try {
    return asFinal(await loadRoutes(tx, revisionId));
  } catch (error) {
    if (error instanceof Problem && error.code === 'database_unavailable') throw error;
    return null;
  }
}

/** The routes, but for these peers, which go on with what they hold now. */
export function keeping(
  routes: RoutesModel,
  now: RoutesVersion,
  peers: readonly Pick<RevertedPeer, 'peer_id'>[],
): RoutesModel {
  const known = peers.filter(({ peer_id: id }) => now.forPeer(id) !== now);
  const reverted = [...Map.groupBy(known, ({ peer_id: id }) => now.forPeer(id))].map(([version, some]) => ({
    peerIds: some.map(({ peer_id: id }) => id),
    routes: version.model,
  }));
  return { ...routes, ...(reverted.length === 0 ? {} : { reverted }) };
}
