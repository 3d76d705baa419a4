/** Which revision the routers of each speaker have: whatever compares with what is announced begins from here. */
import { sql } from 'kysely';
import type { TenantTx } from '../database/database.ts';
import { isFailedBehindUndo, isFrozen } from '../holding/apply-conditions.ts';

/**
 * By speaker, the revision that its routers have, or are being brought to; null: none. An apply that has begun counts from then on, although
 * it may take seconds, or a node's report, until it has ended; one that is taken back counts no more; and one that failed, or waits for its turn,
 * has left the speaker at what it runs.
 */
export async function listRevisionsOnRouters(tx: TenantTx): Promise<ReadonlyMap<string, string | null>> {
  const { rows } = await sql<{ id: string; revision_id: string | null }>`
    SELECT speaker.id,
           CASE last.state WHEN 'running' THEN last.revision_id
                           WHEN 'undoing' THEN last.previous_revision_id
                           ELSE speaker.applied_revision_id END AS revision_id
      FROM speaker
      LEFT JOIN LATERAL (
        SELECT state, revision_id, previous_revision_id
          FROM speaker_apply a
         WHERE a.tenant_id = speaker.tenant_id AND a.speaker_id = speaker.id AND a.revision_id IS NOT NULL
           AND a.state IN ('running', 'succeeded', 'failed', 'undoing', 'undone')
           AND NOT ${isFailedBehindUndo('a')}
           -- It stays where it is while a newer one waits, which may make the way back needless.
           AND NOT (a.state = 'undoing' AND EXISTS (
             SELECT FROM speaker_apply newer
              WHERE newer.tenant_id = a.tenant_id AND newer.speaker_id = a.speaker_id
                AND newer.sequence > a.sequence AND newer.state = 'queued' AND newer.revision_id IS NOT NULL)
             AND NOT ${isFrozen(sql.ref('a.tenant_id'))})
         ORDER BY a.sequence DESC, a.id DESC LIMIT 1) last ON true
     WHERE speaker.tenant_id = ${tx.tenantId}`.execute(tx.sql);
  return new Map(rows.map(({ id, revision_id }) => [id, revision_id]));
}
