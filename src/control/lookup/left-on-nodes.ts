/** What nodes of disabled speakers go on announcing: a node that is out of reach does not know that it is to end its sessions. */
import type { Address } from '../../core/address.ts';
import { isSentTo } from '../../speakers/still-held.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { listLeftOnNodes } from '../../store/lookup/lookup-peers.ts';
import { tableCache } from '../tables/table-cache.ts';
import type { LeftLookup } from './lookup-state.ts';
import type { Reasons } from './reasons.ts';
import { routesAround } from './routes-around.ts';
import { labelsFor } from './sent-labels.ts';

export async function readLeftOnNodes(tx: TenantTx): Promise<LeftLookup[]> {
  const left: LeftLookup[] = [];
  for (const peer of await listLeftOnNodes(tx)) {
    const held = await tableCache.load(tx, peer.content_hash);
    const labels = labelsFor(peer.community_ids, peer.communities);
    left.push({ ...peer, held, sent: { labels, families: peer.families } });
  }
  return left;
}

export function explainLeftOnNodes(reasons: Reasons, left: readonly LeftLookup[], address: Address): void {
  for (const { held, sent, ...one } of left) {
    const isSent = isSentTo(sent, address.family);
    const has = routesAround(held, address).filter(({ labels }) => isSent(labels));
    if (has.length === 0) continue;
    const { peer_id: id, peer, speaker_id: speakerId, speaker, reported_at: at, number } = one;
    const [whom, goesOn] = one.is_deleted
      ? [`${peer}, a peer that is deleted,`, 'may go on announcing']
      : [peer, 'goes on announcing'];
    const prefixes = has.map(({ prefix }) => prefix).join(', ');
    reasons.add('still_held', {
      ...{ speaker_ids: [speakerId], peer_ids: [id] },
      ...{ revision_id: one.revision_id, revision: number },
      detail: `The speaker ${speaker} is disabled, and its node, which reported last at ${at}, has not said that the session with ${whom} has ended. It ${goesOn} ${prefixes} of revision ${number}, if it runs, and withdraws that when it is back.`,
    });
  }
}
