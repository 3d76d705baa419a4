/** Applies that a freeze stopped: what the jobs say of them. */
import { sql } from 'kysely';
import type { TenantTx } from '../database/database.ts';

/** An apply that ended with `deploy_frozen`, and that neither a later one nor a newer revision has taken the place of. */
export interface StoppedJob {
  readonly id: string;
  readonly revision_id: string;
  readonly revision_number: number;
  /** Null: all speakers; else those, of the ones it went to, that no later apply went to and that are enabled. */
  readonly speaker_ids: string[] | null;
  /** It was to bring a speaker that had come what the others run. */
  readonly adopts: boolean;
}

/**
 * In the order in which they were asked for. Applies whose revision was pruned since are left out, and those that a newer revision has taken the
 * place of, also where that has the content that speakers run: what was added and has left again since waits for nobody.
 */
export async function listStoppedJobs(tx: TenantTx): Promise<StoppedJob[]> {
  // Asked for by itself, since there is mostly none: the statement below is planned for the many applies that there may be since.
  const stopped = await sql<{ first: string | number | null }>`
    SELECT min(sequence) AS first FROM job
     WHERE tenant_id = ${tx.tenantId} AND type = 'apply' AND state = 'failed' AND error ->> 'code' = 'deploy_frozen'`.execute(
    tx.sql,
  );
  const first = stopped.rows[0]!.first;
  if (first === null) return [];
  const { rows } = await sql<StoppedJob>`
    WITH to_all AS (
      SELECT * FROM job
       WHERE tenant_id = ${tx.tenantId} AND type = 'apply' AND sequence >= ${first}
         AND input -> 'speaker_ids' = 'null'::jsonb AND input ->> 'revision_id' IS NOT NULL
       ORDER BY sequence DESC LIMIT 1
    ), to_speaker AS (
      SELECT DISTINCT ON (speaker.id) job.*, speaker.id AS speaker_id
        FROM job
       CROSS JOIN jsonb_array_elements_text(
                    CASE jsonb_typeof(input -> 'speaker_ids') WHEN 'array' THEN input -> 'speaker_ids' ELSE '[]' END) AS named (id)
        JOIN speaker ON speaker.tenant_id = job.tenant_id AND speaker.id = named.id::uuid AND speaker.enabled
       WHERE job.tenant_id = ${tx.tenantId} AND job.type = 'apply' AND job.input ->> 'revision_id' IS NOT NULL
         AND job.sequence >= ${first} AND job.sequence > coalesce((SELECT sequence FROM to_all), 0)
       ORDER BY speaker.id, job.sequence DESC
    ), newest AS (
      SELECT id, sequence, state, error, input, queued_at, NULL::uuid AS speaker_id FROM to_all
      UNION ALL
      SELECT id, sequence, state, error, input, queued_at, speaker_id FROM to_speaker
    )
    SELECT newest.id, revision.id AS revision_id, revision.number AS revision_number,
           array_agg(newest.speaker_id ORDER BY newest.speaker_id) FILTER (WHERE newest.speaker_id IS NOT NULL) AS speaker_ids,
           newest.input -> 'adopts' IS NOT DISTINCT FROM 'true'::jsonb AS adopts
      FROM newest
      JOIN revision ON revision.tenant_id = ${tx.tenantId} AND revision.id = (newest.input ->> 'revision_id')::uuid
     WHERE newest.state = 'failed' AND newest.error ->> 'code' = 'deploy_frozen'
       AND (newest.input -> 'adopts' IS NOT DISTINCT FROM 'true'::jsonb
            OR NOT EXISTS (SELECT FROM revision newer
                            WHERE newer.tenant_id = ${tx.tenantId} AND newer.state = 'ready'
                              AND newer.number > revision.number AND newer.created_at > newest.queued_at))
     GROUP BY newest.id, newest.sequence, newest.input, newest.queued_at, revision.id, revision.number, revision.created_at
     ORDER BY newest.sequence`.execute(tx.sql);
  return rows;
}

/** Whether the freeze stopped the last apply of what speakers run anyway, which brings other next hops of communities and other peers to them. */
export async function isReconcileStopped(tx: TenantTx): Promise<boolean> {
  const { rows } = await sql<{ stopped: boolean }>`
    SELECT state = 'failed' AND error ->> 'code' = 'deploy_frozen' AS stopped FROM job
     WHERE tenant_id = ${tx.tenantId} AND type = 'apply' AND input ->> 'revision_id' IS NULL
     ORDER BY sequence DESC LIMIT 1`.execute(tx.sql);
  return rows[0]?.stopped === true;
}
