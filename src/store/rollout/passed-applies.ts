/** What peers that were put back, and are waited for, took of the applies before. */
import { sql } from 'kysely';
import type { TenantTx } from '../database/database.ts';

/** Of each peer; more followed each other closely before nobody bore any of them. */
const MOST_APPLIES = 50;

export interface PassedApply {
  readonly peer_id: string;
  readonly revision_id: string;
  /** It ended before the peer had shown that it bears it, since another apply waited. */
  readonly was_hurried: boolean;
  /** Milliseconds from its end until the peer refused what came after it. */
  readonly borne_ms: number;
}

/** The last applies that these peers of the speaker took before they were put back, the newest first. */
export async function listPassedApplies(tx: TenantTx, speakerId: string): Promise<PassedApply[]> {
  const { rows } = await sql<PassedApply>`
    SELECT r.peer_id, passed.*
      FROM reverted_peer r
     CROSS JOIN LATERAL (
       SELECT a.revision_id,
              EXISTS (SELECT FROM speaker_apply next
                       WHERE next.tenant_id = a.tenant_id AND next.speaker_id = a.speaker_id
                         AND next.sequence > a.sequence AND next.queued_at <= a.finished_at) AS was_hurried,
              (extract(epoch FROM r.since - a.finished_at) * 1000)::float8 AS borne_ms
         FROM speaker_apply a
        WHERE a.tenant_id = r.tenant_id AND a.speaker_id = r.speaker_id
          AND a.state = 'succeeded' AND a.revision_id IS NOT NULL AND a.finished_at <= r.since
          AND a.peers @> jsonb_build_array(jsonb_build_object('peer_id', r.peer_id, 'status', 'applied'))
        ORDER BY a.sequence DESC LIMIT ${MOST_APPLIES}) passed
     WHERE r.tenant_id = ${tx.tenantId} AND r.speaker_id = ${speakerId} AND r.returned_at IS NULL`.execute(
    tx.sql,
  );
  return rows;
}
