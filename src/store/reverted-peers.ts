/** Peers that did not bear what their speaker runs, and hold what they held before. */
import { sql } from 'kysely';
import type { NotificationSummary } from '../api/speakers.ts';
import type { TenantTx } from './database/database.ts';

export interface RevertedPeer {
  readonly peer_id: string;
  /** What the peer holds; null: nothing. */
  readonly revision_id: string | null;
  /** What it did not bear; null: a revision that is there no more. */
  readonly tried_revision_id: string | null;
  readonly error: string;
  readonly notification: NotificationSummary | null;
  /** It is to be tried again, once it is up and holds what it held before. */
  readonly retry: boolean;
}

export interface KnownReverted extends RevertedPeer {
  /** Somebody changed the peer since. */
  readonly is_changed: boolean;
}

export async function listRevertedPeers(tx: TenantTx, speakerId: string): Promise<KnownReverted[]> {
  return tx.sql
    .selectFrom('reverted_peer as r')
    .innerJoin('peer as p', (join) =>
      join.onRef('p.tenant_id', '=', 'r.tenant_id').onRef('p.id', '=', 'r.peer_id'),
    )
    .select(['r.peer_id', 'r.revision_id', 'r.tried_revision_id', 'r.error', 'r.notification', 'r.retry'])
    .select(sql<boolean>`p.updated_at > r.since`.as('is_changed'))
    .where('r.tenant_id', '=', tx.tenantId)
    .where('r.speaker_id', '=', speakerId)
    .orderBy('r.peer_id')
    .execute();
}

/** Puts these in the place of what is written down of the speaker's peers; a peer that is gone is left out. */
export async function replaceRevertedPeers(
  tx: TenantTx,
  speakerId: string,
  peers: readonly RevertedPeer[],
): Promise<void> {
  const ids = peers.map(({ peer_id: id }) => id);
  await tx.sql
    .deleteFrom('reverted_peer')
    .where('tenant_id', '=', tx.tenantId)
    .where('speaker_id', '=', speakerId)
    .where(sql<boolean>`peer_id <> ALL(${ids}::uuid[])`)
    .execute();
  if (peers.length > 0) await addRevertedPeers(tx, speakerId, peers);
}

/** Adds these to what is written down of the speaker's peers, or puts them in the place of what is. */
export async function addRevertedPeers(
  tx: TenantTx,
  speakerId: string,
  peers: readonly RevertedPeer[],
): Promise<void> {
  await sql`
    INSERT INTO reverted_peer AS old
           (tenant_id, speaker_id, peer_id, revision_id, tried_revision_id, error, notification, retry)
    SELECT ${tx.tenantId}, ${speakerId}, peer.id, new.revision_id, tried.id, new.error, new.notification, new.retry
      FROM jsonb_to_recordset(${JSON.stringify(peers)}::jsonb)
           AS new (peer_id uuid, revision_id uuid, tried_revision_id uuid, error text, notification jsonb, retry boolean)
      JOIN peer ON peer.tenant_id = ${tx.tenantId} AND peer.id = new.peer_id
      LEFT JOIN revision tried ON tried.tenant_id = ${tx.tenantId} AND tried.id = new.tried_revision_id
     ORDER BY peer.id
       FOR KEY SHARE OF peer
    ON CONFLICT (tenant_id, speaker_id, peer_id) DO UPDATE
       SET revision_id = excluded.revision_id, tried_revision_id = excluded.tried_revision_id, error = excluded.error,
           notification = excluded.notification, retry = excluded.retry,
           since = CASE WHEN old.tried_revision_id IS DISTINCT FROM excluded.tried_revision_id
                          OR old.error <> excluded.error THEN excluded.since ELSE old.since END`.execute(
    tx.sql,
  );
}
