/** Revisions that may be announced before long, as a lookup names them. */
import { sql } from 'kysely';
import type { TenantTx } from '../database/database.ts';

/** A revision that may be announced before long. */
export interface LookupCandidate {
  readonly id: string;
  readonly number: number;
  readonly content_hash: string;
  /**
   * The newest ready one, the newest held one that is newer than that, where the newest ready one is a rollback the newest one before
   * it that is none, or null: one that is being applied.
   */
  readonly role: 'latest' | 'held' | 'rolled_back' | null;
  /** Of the findings that hold it. */
  readonly codes: readonly string[];
  /** Enabled speakers that it is being applied to. */
  readonly trying_ids: readonly string[];
  /** The last job that was to apply it; null: there is none. */
  readonly apply: LookupApply | null;
}

export interface LookupApply {
  readonly job_id: string;
  readonly state: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled';
  /** What a running one is at. */
  readonly phase: string | null;
  /** Of the error of one that failed. */
  readonly code: string | null;
  readonly detail: string | null;
}

/** What enabled speakers may announce before long. */
export async function listCandidates(tx: TenantTx): Promise<LookupCandidate[]> {
  const { rows } = await sql<Omit<LookupCandidate, 'content_hash'> & { content_hash: Buffer }>`
    WITH latest AS (
      SELECT id, number, trigger FROM revision
       WHERE tenant_id = ${tx.tenantId} AND state = 'ready' ORDER BY number DESC LIMIT 1
    ), held AS (
      SELECT id FROM revision
       WHERE tenant_id = ${tx.tenantId} AND state = 'held' AND number > coalesce((SELECT number FROM latest), 0)
       ORDER BY number DESC LIMIT 1
    ), rolled_back AS (
      SELECT id FROM revision
       WHERE tenant_id = ${tx.tenantId} AND state = 'ready' AND trigger ->> 'kind' <> 'rollback'
         AND number < (SELECT number FROM latest WHERE trigger ->> 'kind' = 'rollback')
       ORDER BY number DESC LIMIT 1
    ), trying AS (
      SELECT apply.revision_id AS id, array_agg(speaker.id::text ORDER BY speaker.id) AS speaker_ids
        FROM speaker_apply apply
        JOIN speaker ON speaker.tenant_id = apply.tenant_id AND speaker.id = apply.speaker_id AND speaker.enabled
       WHERE apply.tenant_id = ${tx.tenantId} AND apply.state = 'running' AND apply.revision_id IS NOT NULL
         AND apply.revision_id IS DISTINCT FROM speaker.applied_revision_id
       GROUP BY apply.revision_id
    )
    SELECT revision.id, revision.number, revision.content_hash,
           CASE WHEN latest.id IS NOT NULL THEN 'latest' WHEN held.id IS NOT NULL THEN 'held'
                WHEN rolled_back.id IS NOT NULL THEN 'rolled_back' END AS role,
           ARRAY(SELECT DISTINCT finding->>'code' FROM jsonb_array_elements(revision.findings) finding ORDER BY 1) AS codes,
           coalesce(trying.speaker_ids, '{}') AS trying_ids,
           (SELECT jsonb_build_object('job_id', job.id, 'state', job.state, 'phase', job.progress ->> 'phase',
                                      'code', job.error ->> 'code', 'detail', job.error ->> 'detail')
              FROM job
             WHERE job.tenant_id = revision.tenant_id AND job.resource_id = revision.id AND job.type = 'apply'
             ORDER BY job.id DESC LIMIT 1) AS apply
      FROM revision
      LEFT JOIN latest ON latest.id = revision.id
      LEFT JOIN held ON held.id = revision.id
      LEFT JOIN rolled_back ON rolled_back.id = revision.id
      LEFT JOIN trying ON trying.id = revision.id
     WHERE revision.tenant_id = ${tx.tenantId} AND revision.content_hash IS NOT NULL
       AND revision.id IN (SELECT id FROM latest UNION ALL SELECT id FROM held
                           UNION ALL SELECT id FROM rolled_back UNION ALL SELECT id FROM trying)
     ORDER BY revision.number DESC`.execute(tx.sql);
  return rows.map((row) => ({ ...row, content_hash: row.content_hash.toString('hex') }));
}
