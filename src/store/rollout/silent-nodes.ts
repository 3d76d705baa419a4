/** Applies that wait for a node which nobody has heard of for a while. */
import { sql, type RawBuilder } from 'kysely';
import type { TenantTx } from '../database/database.ts';
import { isLockedOut } from '../keys/locked-out.ts';

/** An agent reports every few seconds, and tries again after 30 s at most where a report fails: one that is silent for longer is away. */
const SILENT_SECONDS = 60;
/** A node that has just come back has this long to fetch its bundle. */
const GRACE_SECONDS = 3;

/** Whether nobody has heard of the speaker's node for a while. @param speaker name of the table in the query */
export function isAway(speaker: string): RawBuilder<boolean> {
  const seen = sql.ref(`${speaker}.agent_last_seen_at`);
  return sql`(${sql.ref(`${speaker}.mode`)} = 'agent' AND ${seen} < clock_timestamp() - make_interval(secs => ${SILENT_SECONDS}))`;
}

/**
 * Speakers of the wave whose node is away, and whose apply it has not been heard of since that began: it fetches that when it is back, or reports
 * what it has fetched. One that no key lets in any more is not heard of again, and not waited for.
 */
export async function listSilentNodes(tx: TenantTx, jobId: string, wave: number): Promise<string[]> {
  const { rows } = await sql<{ speaker_id: string }>`
    SELECT apply.speaker_id
      FROM speaker_apply apply
      JOIN speaker ON speaker.tenant_id = apply.tenant_id AND speaker.id = apply.speaker_id
     WHERE apply.tenant_id = ${tx.tenantId} AND apply.job_id = ${jobId} AND apply.wave = ${wave}
       AND apply.queued_at < clock_timestamp() - make_interval(secs => ${GRACE_SECONDS})
       AND apply.state IN ('queued', 'running')
       AND (${isAway('speaker')} AND (apply.state = 'queued' OR apply.started_at > speaker.agent_last_seen_at)
            OR ${isLockedOut('speaker')})`.execute(tx.sql);
  return rows.map((row) => row.speaker_id);
}
