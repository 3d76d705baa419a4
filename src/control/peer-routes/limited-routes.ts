/** What peers hold that more than their limit is announced for, as it is written down. */
import { EMPTY_ROUTES, type LimitedPeer, type RoutesModel } from '../../speakers/speaker.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { listLimitedPeers, type LimitedPeerRow } from '../../store/rollout/limited-peers.ts';
import { readableRoutes } from './reverted-routes.ts';

/** As a process that takes the speaker over reads it, or a plan. One whose revision cannot be read is left out. */
export async function loadLimited(tx: TenantTx, speakerId: string): Promise<LimitedPeer[]> {
  const limited: LimitedPeer[] = [];
  const known = new Map<string | null, RoutesModel | null>([[null, EMPTY_ROUTES]]);
  for (const { peer_id: peerId, revision_id: id, labels, families } of await listLimitedPeers(
    tx,
    speakerId,
  )) {
    if (!known.has(id)) known.set(id, await readableRoutes(tx, speakerId, id!));
    const held = known.get(id)!;
    if (held !== null) limited.push({ peerId, held, labels, families });
  }
  return limited;
}

export function limitedRows({ limited = [] }: RoutesModel): LimitedPeerRow[] {
  return limited.map(({ peerId, held, labels, families }) => ({
    ...{ peer_id: peerId, revision_id: held.revisionId || null },
    ...{ labels, families },
  }));
}
