import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type { TenantTx } from './database.ts';
import { holdsLease } from './leases.ts';
import type { ApplyState } from './tables.ts';

/** What one speaker is to run, and what came of it. Counts are routes; null until it has ended well. */
export interface SpeakerApply {
  readonly id: string;
  readonly speaker_id: string;
  /** Null: whatever the speaker runs when its turn comes. */
  readonly revision_id: string | null;
  readonly state: ApplyState;
  readonly announced: number | null;
  readonly withdrawn: number | null;
  readonly changed: number | null;
  readonly error: string | null;
}

const COLUMNS = [
  'id',
  'speaker_id',
  'revision_id',
  'state',
  'announced',
  'withdrawn',
  'changed',
  'error',
] as const;

/** Queues an apply for each target, once for each job and speaker however often it is asked. */
export async function queueApplies(
  tx: TenantTx,
  jobId: string,
  targets: readonly { readonly speakerId: string; readonly revisionId: string | null }[],
): Promise<void> {
  if (targets.length === 0) return;
  const sequence = sql<number>`(
    SELECT sequence FROM job WHERE tenant_id = ${tx.tenantId} AND id = ${jobId})`;
  await tx.sql
    .insertInto('speaker_apply')
    .values(
      targets.map(({ speakerId, revisionId }) => ({
        tenant_id: tx.tenantId,
        id: uuidv7(),
        speaker_id: speakerId,
        revision_id: revisionId,
        job_id: jobId,
        sequence,
      })),
    )
    .onConflict((conflict) => conflict.columns(['tenant_id', 'job_id', 'speaker_id']).doNothing())
    .execute();
}

export async function listAppliesOf(tx: TenantTx, jobId: string): Promise<SpeakerApply[]> {
  return tx.sql
    .selectFrom('speaker_apply')
    .select(COLUMNS)
    .where('tenant_id', '=', tx.tenantId)
    .where('job_id', '=', jobId)
    .orderBy('speaker_id')
    .execute();
}

/**
 * The speaker's next apply, marked as running, for the process that holds the speaker. One that a holder left running when it was
 * killed is begun again; doing it again is doing it once, since a speaker only goes where it is not yet.
 * @returns with the revision to run: that of the apply, else the one the speaker runs. Null: nothing to do, not the holder, or applies
 * are frozen.
 */
export async function startNextApply(
  tx: TenantTx,
  speakerId: string,
  holder: string,
): Promise<SpeakerApply | null> {
  if (!(await holdsLease(tx, speakerId, holder))) return null;
  await supersedeOlder(tx, speakerId);
  const next = tx.sql
    .selectFrom('speaker_apply')
    .select('id')
    .where('tenant_id', '=', tx.tenantId)
    .where('speaker_id', '=', speakerId)
    .where('state', 'in', ['queued', 'running'])
    .where((eb) => eb.not(eb.exists(theFreeze(tx))))
    .orderBy('sequence')
    .orderBy('id')
    .limit(1)
    .forUpdate();
  const row = await tx.sql
    .updateTable('speaker_apply')
    .set({ state: 'running', started_at: sql<string>`now()` })
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', next)
    .returning(COLUMNS)
    .executeTakeFirst();
  if (row === undefined) return null;
  return { ...row, revision_id: row.revision_id ?? (await appliedRevision(tx, speakerId)) };
}

/**
 * Two applies that workers take up at once arrive here in any order, and one may have waited for weeks: whatever happens, a
 * speaker never goes back to a revision that was asked for before the one that it was last told to run.
 */
async function supersedeOlder(tx: TenantTx, speakerId: string): Promise<void> {
  await sql`
    UPDATE speaker_apply old
       SET state = 'superseded', finished_at = now(), error = 'A newer apply took its place.'
     WHERE old.tenant_id = ${tx.tenantId} AND old.speaker_id = ${speakerId}
       AND old.state IN ('queued', 'running') AND old.revision_id IS NOT NULL
       AND EXISTS (SELECT FROM speaker_apply new
                    WHERE new.tenant_id = old.tenant_id AND new.speaker_id = old.speaker_id
                      AND new.sequence > old.sequence AND new.state <> 'superseded'
                      AND new.revision_id IS NOT NULL)`.execute(tx.sql);
}

/** The setting that stops every apply, those too that were queued before. */
function theFreeze(tx: TenantTx) {
  return tx.sql
    .selectFrom('setting')
    .select('key')
    .where('tenant_id', '=', tx.tenantId)
    .where('key', '=', 'deploy_freeze')
    .where(sql<boolean>`value = 'true'::jsonb`);
}

async function appliedRevision(tx: TenantTx, speakerId: string): Promise<string | null> {
  const row = await tx.sql
    .selectFrom('speaker')
    .select('applied_revision_id')
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', speakerId)
    .executeTakeFirst();
  return row?.applied_revision_id ?? null;
}

export type ApplyEnd =
  | { readonly announced: number; readonly withdrawn: number; readonly changed: number }
  | { readonly error: string };

/**
 * Writes down how the apply ended, once. A holder that lost its lease meanwhile comes too late: the apply is its successor's. When it
 * ended well, its revision is from now on what the speaker runs.
 */
export async function finishApply(
  tx: TenantTx,
  { id, speaker_id: speakerId }: SpeakerApply,
  holder: string,
  end: ApplyEnd,
): Promise<void> {
  if (!(await holdsLease(tx, speakerId, holder))) return;
  const failed = 'error' in end;
  const ended = await tx.sql
    .updateTable('speaker_apply')
    .set({ state: failed ? 'failed' : 'succeeded', finished_at: sql<string>`now()`, ...end })
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', id)
    .where('state', '=', 'running')
    .returning('revision_id')
    .executeTakeFirst();
  const revisionId = ended?.revision_id ?? null;
  if (failed || revisionId === null) return;
  await tx.sql
    .updateTable('speaker')
    .set({ applied_revision_id: revisionId, applied_at: sql<string>`now()` })
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', speakerId)
    .execute();
}

/** Where somebody has cancelled the job: ends those of its applies that no holder has begun. */
export async function supersedeCancelled(tx: TenantTx, jobId: string): Promise<void> {
  await sql`
    UPDATE speaker_apply
       SET state = 'superseded', finished_at = now(), error = 'The job was cancelled before this speaker began.'
     WHERE tenant_id = ${tx.tenantId} AND job_id = ${jobId} AND state = 'queued'
       AND EXISTS (SELECT FROM job WHERE job.tenant_id = ${tx.tenantId} AND job.id = ${jobId}
                                     AND job.cancel_requested_at IS NOT NULL)`.execute(tx.sql);
}
