import { sql } from 'kysely';
import type { PeerPatch } from '../../api/speakers/peers.ts';
import { unknownReference } from '../database/constraint-problem.ts';
import type { TenantTx } from '../database/database.ts';

/**
 * Replaces the peer's speakers and communities by the lists of the body, if it has them.
 * @throws {Problem} `validation_failed` for the first id that does not exist
 */
export async function replacePeerLinks(tx: TenantTx, peerId: string, body: PeerPatch): Promise<void> {
  const { speaker_ids: speakers, community_ids: communities } = body;
  const row = { tenant_id: tx.tenantId, peer_id: peerId };
  if (speakers !== undefined) {
    await requireAll(tx, 'speaker', speakers);
    await tx.sql
      .deleteFrom('peer_speaker')
      .where('tenant_id', '=', tx.tenantId)
      .where('peer_id', '=', peerId)
      .execute();
    const values = speakers.map((speaker_id) => ({ ...row, speaker_id }));
    if (values.length > 0) await tx.sql.insertInto('peer_speaker').values(values).execute();
  }
  if (communities !== undefined) {
    await requireAll(tx, 'community', communities);
    await tx.sql
      .deleteFrom('peer_community')
      .where('tenant_id', '=', tx.tenantId)
      .where('peer_id', '=', peerId)
      .execute();
    const values = communities.map((community_id) => ({ ...row, community_id }));
    if (values.length > 0) await tx.sql.insertInto('peer_community').values(values).execute();
  }
}

/** Locks them too, so that none is deleted before the links are written. */
async function requireAll(
  tx: TenantTx,
  table: 'speaker' | 'community',
  ids: readonly string[],
): Promise<void> {
  const rows = await tx.sql
    .selectFrom(table)
    .select('id')
    .where('tenant_id', '=', tx.tenantId)
    .where(sql<boolean>`id = ANY(${[...ids]}::uuid[])`)
    .forKeyShare()
    .execute();
  const existing = new Set(rows.map(({ id }) => id));
  const index = ids.findIndex((id) => !existing.has(id.toLowerCase()));
  if (index >= 0) throw unknownReference(`${table}_id`, ids[index]!, `/${table}_ids/${index}`);
}
