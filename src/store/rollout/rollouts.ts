/** The phases of an apply: what a job does with the applies of its speakers before and after each of them acts. */
import { sql, type RawBuilder } from 'kysely';
import type { AppliedSession } from '../../api/speakers/applied-session.ts';
import type { TenantTx } from '../database/database.ts';

/** Lets the applies of a wave begin. */
export async function startWave(tx: TenantTx, jobId: string, wave: number): Promise<void> {
  await tx.sql
    .updateTable('speaker_apply')
    .set({ state: 'queued', queued_at: sql<string>`clock_timestamp()` })
    .where('tenant_id', '=', tx.tenantId)
    .where('job_id', '=', jobId)
    .where('wave', '=', wave)
    .where('state', '=', 'planned')
    .execute();
}

/** Ends the applies whose wave has not begun, for a reason. */
export async function endPlanned(
  tx: TenantTx,
  jobId: string,
  state: 'skipped' | 'superseded',
  reason: string,
): Promise<void> {
  await tx.sql
    .updateTable('speaker_apply')
    .set({ state, finished_at: sql<string>`now()`, error: reason })
    .where('tenant_id', '=', tx.tenantId)
    .where('job_id', '=', jobId)
    .where('state', '=', 'planned')
    .execute();
}

/** Ends the apply of one speaker before its wave begins. */
export async function skipPlanned(
  tx: TenantTx,
  jobId: string,
  speakerId: string,
  reason: string,
): Promise<void> {
  await tx.sql
    .updateTable('speaker_apply')
    .set({ state: 'skipped', finished_at: sql<string>`now()`, error: reason })
    .where('tenant_id', '=', tx.tenantId)
    .where('job_id', '=', jobId)
    .where('speaker_id', '=', speakerId)
    .where('state', '=', 'planned')
    .execute();
}

const UNANSWERED =
  'Nobody who holds this speaker answered in time, so it was given up. See that a process runs as app-all or app-speaker, or its agent.';

/**
 * Has the canaries of a job go back to what they ran before. One that has not begun does not any more, and one that is on its way goes
 * back when it has arrived.
 * @param reason of those that have to go back
 */
export async function undoCanaries(tx: TenantTx, jobId: string, reason: string): Promise<void> {
  const begun = sql<boolean>`state IN ('succeeded', 'running')`;
  await tx.sql
    .updateTable('speaker_apply')
    .set({
      state: sql`CASE WHEN ${begun} THEN 'undoing' ELSE 'failed' END`,
      queued_at: sql<string>`clock_timestamp()`,
      finished_at: sql<string | null>`CASE WHEN ${begun} THEN NULL ELSE now() END`,
      code: sql<string>`CASE WHEN ${begun} THEN 'canary_failed' ELSE 'speaker_unreachable' END`,
      error: sql<string>`CASE WHEN ${begun} THEN ${reason} ELSE ${UNANSWERED} END`,
    })
    .where('tenant_id', '=', tx.tenantId)
    .where('job_id', '=', jobId)
    .where('wave', '=', 0)
    .where('state', 'in', ['queued', 'running', 'succeeded'])
    .execute();
}

/** Where somebody has cancelled the job: ends those of its applies that no holder has begun. */
export async function supersedeCancelled(tx: TenantTx, jobId: string): Promise<void> {
  await sql`
    UPDATE speaker_apply
       SET state = 'superseded', finished_at = now(), error = 'The job was cancelled before this speaker began.'
     WHERE tenant_id = ${tx.tenantId} AND job_id = ${jobId} AND state IN ('planned', 'queued')
       AND EXISTS (SELECT FROM job WHERE job.tenant_id = ${tx.tenantId} AND job.id = ${jobId}
                                     AND job.cancel_requested_at IS NOT NULL)`.execute(tx.sql);
}

/** Ends the applies of a job whose speakers were disabled meanwhile, and let go of: nobody will carry them out. */
export async function failDisabled(tx: TenantTx, jobId: string): Promise<void> {
  await sql`
    UPDATE speaker_apply apply
       SET state = 'failed', finished_at = now(),
           error = 'The speaker was disabled before it had taken the revision. Enable it, and apply again.'
     WHERE apply.tenant_id = ${tx.tenantId} AND apply.job_id = ${jobId} AND apply.state IN ('queued', 'running')
       AND EXISTS (SELECT FROM speaker
                    WHERE speaker.tenant_id = apply.tenant_id AND speaker.id = apply.speaker_id
                      AND NOT speaker.enabled AND speaker.mode = 'local')
       AND NOT EXISTS (SELECT FROM speaker_lease lease
                        WHERE lease.tenant_id = apply.tenant_id AND lease.speaker_id = apply.speaker_id
                          AND lease.expires_at > clock_timestamp())`.execute(tx.sql);
}

/** Seconds since the applies of the wave that are open were let begin, or sent back, by the clock of the database. */
export async function secondsOpen(tx: TenantTx, jobId: string, wave: number): Promise<number> {
  const { rows } = await sql<{ seconds: number | null }>`
    SELECT extract(epoch FROM clock_timestamp() - max(queued_at))::double precision AS seconds
      FROM speaker_apply
     WHERE tenant_id = ${tx.tenantId} AND job_id = ${jobId} AND wave = ${wave}
       AND state IN ('queued', 'running', 'undoing')`.execute(tx.sql);
  return rows[0]?.seconds ?? 0;
}

/** Seconds since the last canary of the job has run its revision, by the clock of the database. */
export async function secondsSinceCanaries(tx: TenantTx, jobId: string): Promise<number> {
  const { rows } = await sql<{ seconds: number | null }>`
    SELECT extract(epoch FROM clock_timestamp() - max(finished_at))::double precision AS seconds
      FROM speaker_apply
     WHERE tenant_id = ${tx.tenantId} AND job_id = ${jobId} AND wave = 0 AND state = 'succeeded'`.execute(
    tx.sql,
  );
  return rows[0]?.seconds ?? 0;
}

/** Whether an apply of a revision that was asked for before this job has phases before it, or has yet to say so. */
export async function hasOlderRollout(tx: TenantTx, jobId: string): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM job older JOIN job this ON this.tenant_id = older.tenant_id AND this.sequence > older.sequence
     WHERE this.tenant_id = ${tx.tenantId} AND this.id = ${jobId}
       AND older.type = 'apply' AND older.state IN ('queued', 'running')
       AND older.input ->> 'revision_id' IS NOT NULL
       AND (SELECT coalesce(bool_or(apply.wave = 0 OR apply.state = 'planned'), true) FROM speaker_apply apply
             WHERE apply.tenant_id = older.tenant_id AND apply.job_id = older.id)
     LIMIT 1`.execute(tx.sql);
  return rows.length > 0;
}

/**
 * The revision of the last apply that has not ended, was asked for before this job, and goes to more than a speaker that has just come.
 * @param jobId null: before now @returns null when there is none
 */
export async function findOlderApply(tx: TenantTx, jobId: string | null): Promise<string | null> {
  const { rows } = await sql<{ revision_id: string }>`
    SELECT older.input ->> 'revision_id' AS revision_id
      FROM job older
     WHERE older.tenant_id = ${tx.tenantId} AND older.type = 'apply' AND older.state IN ('queued', 'running')
       AND older.input ->> 'revision_id' IS NOT NULL AND older.input -> 'adopts' IS DISTINCT FROM 'true'::jsonb
       AND (${jobId}::uuid IS NULL
            OR older.sequence < (SELECT sequence FROM job WHERE tenant_id = ${tx.tenantId} AND id = ${jobId}::uuid))
     ORDER BY older.sequence DESC LIMIT 1`.execute(tx.sql);
  return rows[0]?.revision_id ?? null;
}

/** The revision of the last apply to all speakers that ended well, unless it is pruned; one that goes to nobody ends well too. */
export async function findLastApplyToAll(tx: TenantTx): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    SELECT revision.id
      FROM job JOIN revision ON revision.tenant_id = job.tenant_id AND revision.id = job.resource_id
     WHERE job.tenant_id = ${tx.tenantId} AND job.type = 'apply' AND job.state = 'succeeded'
       AND job.input -> 'speaker_ids' = 'null'::jsonb AND job.input ->> 'revision_id' IS NOT NULL
     ORDER BY job.sequence DESC LIMIT 1`.execute(tx.sql);
  return rows[0]?.id ?? null;
}

/**
 * Inputs of the applies of a revision that were asked for after this job and have not ended. One for a speaker that has come to the tenant
 * waits for those before it, and brings what they brought.
 */
export async function listNewerApplies(
  tx: TenantTx,
  jobId: string,
  which: RawBuilder<unknown> = sql`true`,
): Promise<Record<string, unknown>[]> {
  const { rows } = await sql<{ input: Record<string, unknown> }>`
    SELECT newer.input
      FROM job newer JOIN job this ON this.tenant_id = newer.tenant_id AND this.sequence < newer.sequence
     WHERE this.tenant_id = ${tx.tenantId} AND this.id = ${jobId}
       AND newer.type = 'apply' AND newer.state IN ('queued', 'running') AND newer.input ->> 'revision_id' IS NOT NULL
       AND newer.input -> 'adopts' IS DISTINCT FROM 'true'::jsonb AND ${which}`.execute(tx.sql);
  return rows.map(({ input }) => input);
}

/** What an apply says of itself that has to wait until older ones are done. */
export const WAITS_FOR_OLDER = 'waiting for an older apply';

/** {@link listNewerApplies} without those that are overtaken themselves, or go in phases: these may take hours, or wait for this one. */
export function listNextApplies(tx: TenantTx, jobId: string): Promise<Record<string, unknown>[]> {
  return listNewerApplies(
    tx,
    jobId,
    sql`newer.progress ->> 'phase' IS DISTINCT FROM ${WAITS_FOR_OLDER}
      AND NOT EXISTS (SELECT FROM speaker_apply apply
                       WHERE apply.tenant_id = newer.tenant_id AND apply.job_id = newer.id
                         AND (apply.wave <> 1 OR apply.state = 'superseded'))`,
  );
}

/** What applies are to bring to whom, in the order in which they were asked for. */
export interface AskedApply {
  readonly revision_id: string;
  /** Null: all speakers. */
  readonly speaker_ids: readonly string[] | null;
}

/** Applies of revisions that were asked for after that one of them. @param sequence of {@link lastApplySequence} */
export async function listAppliesSince(tx: TenantTx, sequence: number): Promise<AskedApply[]> {
  const { rows } = await sql<AskedApply>`
    SELECT input ->> 'revision_id' AS revision_id, input -> 'speaker_ids' AS speaker_ids
      FROM job
     WHERE tenant_id = ${tx.tenantId} AND type = 'apply' AND sequence > ${sequence}
       AND input ->> 'revision_id' IS NOT NULL
     ORDER BY sequence`.execute(tx.sql);
  return rows;
}

/** Whether an apply of what speakers run anyway was asked for after that one. @param sequence of {@link lastApplySequence} */
export async function isReapplyAskedSince(tx: TenantTx, sequence: number): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM job
     WHERE tenant_id = ${tx.tenantId} AND type = 'apply' AND sequence > ${sequence} AND input ->> 'revision_id' IS NULL
     LIMIT 1`.execute(tx.sql);
  return rows.length > 0;
}

/** Of the apply that was asked for last; 0: none was yet. */
export async function lastApplySequence(tx: TenantTx): Promise<number> {
  const { rows } = await sql<{ sequence: number }>`
    SELECT coalesce(max(sequence), 0) AS sequence FROM job WHERE tenant_id = ${tx.tenantId} AND type = 'apply'`.execute(
    tx.sql,
  );
  return rows[0]!.sequence;
}

/** Speakers that an apply of a revision went to which was asked for after this job. */
export async function listSpeakersMovedSince(tx: TenantTx, jobId: string): Promise<Set<string>> {
  const { rows } = await sql<{ speaker_id: string }>`
    SELECT DISTINCT later.speaker_id
      FROM speaker_apply later JOIN job ON job.tenant_id = later.tenant_id AND later.sequence > job.sequence
     WHERE job.tenant_id = ${tx.tenantId} AND job.id = ${jobId}
       AND later.revision_id IS NOT NULL AND later.state NOT IN ('planned', 'skipped', 'superseded')`.execute(
    tx.sql,
  );
  return new Set(rows.map((row) => row.speaker_id));
}

/** Speakers that run the content of the revision, whatever the revision they have it from. */
export async function listSpeakersRunning(tx: TenantTx, revisionId: string): Promise<Set<string>> {
  const rows = await tx.sql
    .selectFrom('speaker as s')
    .innerJoin('revision as r', (join) =>
      join.onRef('r.tenant_id', '=', 's.tenant_id').onRef('r.id', '=', 's.applied_revision_id'),
    )
    .select('s.id')
    .where('s.tenant_id', '=', tx.tenantId)
    .where('r.content_hash', '=', (eb) =>
      eb
        .selectFrom('revision')
        .select('content_hash')
        .where('tenant_id', '=', tx.tenantId)
        .where('id', '=', revisionId),
    )
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** Writes down what the sessions of a canary are, where the apply did not report them. */
export async function noteSessions(
  tx: TenantTx,
  applyId: string,
  sessions: readonly AppliedSession[],
): Promise<void> {
  await tx.sql
    .updateTable('speaker_apply')
    .set({ sessions: JSON.stringify(sessions) })
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', applyId)
    .execute();
}

/** Peers that nobody has changed since the apply ended, nor its speaker. */
export async function listUnchangedPeers(tx: TenantTx, applyId: string): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    SELECT peer.id
      FROM speaker_apply apply
      JOIN speaker ON speaker.tenant_id = apply.tenant_id AND speaker.id = apply.speaker_id
      JOIN peer ON peer.tenant_id = apply.tenant_id
     WHERE apply.tenant_id = ${tx.tenantId} AND apply.id = ${applyId}
       AND peer.enabled AND peer.updated_at <= apply.finished_at
       AND speaker.enabled AND speaker.updated_at <= apply.finished_at`.execute(tx.sql);
  return new Set(rows.map(({ id }) => id));
}
