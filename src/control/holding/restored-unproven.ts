/** Peers that were put back to what they have yet to show that they bear, read again for a process that takes the speaker over. */
import type { RoutesModel } from '../../speakers/speaker.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { listPassedApplies, type PassedApply } from '../../store/rollout/passed-applies.ts';
import { readableRoutes } from '../peer-routes/reverted-routes.ts';
import type { UnprovenPeer, UnprovenPeers } from './unproven-peers.ts';

/**
 * @param held the revisions that reverted peers hold, by peer
 * @param calm how long a peer has to stay up to show that it bears what it has, in milliseconds
 */
export async function readUnproven(
  tx: TenantTx,
  speakerId: string,
  held: ReadonlyMap<string, string | null>,
  calm: number,
): Promise<UnprovenPeers> {
  const unproven = new Map<string, UnprovenPeer>();
  if (held.size === 0) return unproven;
  const passed = Map.groupBy(await listPassedApplies(tx, speakerId), (one) => one.peer_id);
  for (const [id, applies] of passed) {
    const [last] = applies;
    if (last?.revision_id !== held.get(id)) continue;
    const peer = await unprovenOf(tx, speakerId, applies, calm);
    if (peer !== null) unproven.set(id, peer);
  }
  return unproven;
}

/** @param applies the newest first @returns null: it has shown that it bears what it holds, or nobody knows what it bears */
async function unprovenOf(
  tx: TenantTx,
  speakerId: string,
  applies: readonly PassedApply[],
  calm: number,
): Promise<UnprovenPeer | null> {
  const borne = applies.findIndex((one) => !one.was_hurried || one.borne_ms >= calm);
  if (borne < 1) return null;
  const [held, ...since] = await Promise.all(
    applies
      .slice(0, borne + 1)
      .reverse()
      .map(({ revision_id: id }) => readableRoutes(tx, speakerId, id)),
  );
  if (held === null || held === undefined) return null;
  // It had received all of each, or it had not passed.
  const steps = since.filter((routes): routes is RoutesModel => routes !== null);
  return { since: null, sessions: 0, held, steps: steps.map((routes) => ({ routes, until: 0 })) };
}
