/** Peers that have less than their speaker runs, since that is more than their limit, and what they hold. */
import { sql } from 'kysely';
import type { Family } from '../../core/address.ts';
import type { TenantTx } from '../database/database.ts';

export interface LimitedPeerRow {
  readonly peer_id: string;
  /** What its speaker ran when it was sent all of it last; null: nothing. */
  readonly revision_id: string | null;
  /** Labels that it was sent of that; null: all. */
  readonly labels: readonly string[] | null;
  readonly families: readonly Family[];
}

export async function listLimitedPeers(tx: TenantTx, speakerId: string): Promise<LimitedPeerRow[]> {
  return tx.sql
    .selectFrom('limited_peer')
    .select(['peer_id', 'revision_id', 'labels', 'families'])
    .where('tenant_id', '=', tx.tenantId)
    .where('speaker_id', '=', speakerId)
    .orderBy('peer_id')
    .execute();
}

/** Puts these in the place of what is written down of the speaker's peers; a peer or revision that is gone is left out. */
export async function replaceLimitedPeers(
  tx: TenantTx,
  speakerId: string,
  peers: readonly LimitedPeerRow[],
): Promise<void> {
  await tx.sql
    .deleteFrom('limited_peer')
    .where('tenant_id', '=', tx.tenantId)
    .where('speaker_id', '=', speakerId)
    .execute();
  if (peers.length === 0) return;
  await sql`
    INSERT INTO limited_peer (tenant_id, speaker_id, peer_id, revision_id, labels, families)
    SELECT ${tx.tenantId}, ${speakerId}, new.peer_id, new.revision_id, nullif(new.labels, 'null'), new.families
      FROM jsonb_to_recordset(${JSON.stringify(peers)}::jsonb)
           AS new (peer_id uuid, revision_id uuid, labels jsonb, families jsonb)
      JOIN peer ON peer.tenant_id = ${tx.tenantId} AND peer.id = new.peer_id
      LEFT JOIN revision ON revision.tenant_id = ${tx.tenantId} AND revision.id = new.revision_id
     WHERE new.revision_id IS NULL OR revision.id IS NOT NULL
     ORDER BY peer.id
       FOR KEY SHARE OF peer`.execute(tx.sql);
}

/** Ids of peers that came to be after the last apply of the speaker that ended well, of which they have nothing. */
export async function listNewPeers(tx: TenantTx, speakerId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM peer
     WHERE tenant_id = ${tx.tenantId}
       AND created_at > ALL (SELECT finished_at FROM speaker_apply
                              WHERE tenant_id = ${tx.tenantId} AND speaker_id = ${speakerId} AND state = 'succeeded')
     ORDER BY id`.execute(tx.sql);
  return rows.map(({ id }) => id);
}
