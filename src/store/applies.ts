import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type { TenantTx } from './database.ts';
import type { ApplyState } from './tables.ts';

/** What one speaker is to run, and what came of it. Counts are routes; null until it has ended well. */
export interface SpeakerApply {
  readonly id: string;
  readonly speaker_id: string;
  readonly revision_id: string;
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
  targets: readonly { readonly speakerId: string; readonly revisionId: string }[],
): Promise<void> {
  if (targets.length === 0) return;
  await tx.sql
    .insertInto('speaker_apply')
    .values(
      targets.map(({ speakerId, revisionId }) => ({
        tenant_id: tx.tenantId,
        id: uuidv7(),
        speaker_id: speakerId,
        revision_id: revisionId,
        job_id: jobId,
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
 * The speaker's oldest apply that has not ended, marked as running. One that a holder left running when it was killed comes
 * first; doing it again is doing it once, since a speaker only goes where it is not yet.
 */
export async function startNextApply(tx: TenantTx, speakerId: string): Promise<SpeakerApply | null> {
  const next = tx.sql
    .selectFrom('speaker_apply')
    .select('id')
    .where('tenant_id', '=', tx.tenantId)
    .where('speaker_id', '=', speakerId)
    .where('state', 'in', ['queued', 'running'])
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
  return row ?? null;
}

type Outcome =
  | { readonly announced: number; readonly withdrawn: number; readonly changed: number }
  | { readonly error: string };

/**
 * Writes down how the apply ended, once: a holder that lost its lease meanwhile comes too late. When it ended well, its revision
 * is from now on what the speaker runs.
 */
export async function finishApply(tx: TenantTx, apply: SpeakerApply, outcome: Outcome): Promise<void> {
  const failed = 'error' in outcome;
  const ended = await tx.sql
    .updateTable('speaker_apply')
    .set({
      state: failed ? 'failed' : 'succeeded',
      finished_at: sql<string>`now()`,
      ...(failed
        ? { error: outcome.error }
        : { announced: outcome.announced, withdrawn: outcome.withdrawn, changed: outcome.changed }),
    })
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', apply.id)
    .where('state', '=', 'running')
    .returning('id')
    .executeTakeFirst();
  if (failed || ended === undefined) return;
  await tx.sql
    .updateTable('speaker')
    .set({ applied_revision_id: apply.revision_id, applied_at: sql<string>`now()` })
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', apply.speaker_id)
    .execute();
}

/** Ends the applies of a cancelled job that no holder has begun. */
export async function supersedeQueuedApplies(tx: TenantTx, jobId: string): Promise<void> {
  await tx.sql
    .updateTable('speaker_apply')
    .set({
      state: 'superseded',
      finished_at: sql<string>`now()`,
      error: 'The job was cancelled before this speaker began.',
    })
    .where('tenant_id', '=', tx.tenantId)
    .where('job_id', '=', jobId)
    .where('state', '=', 'queued')
    .execute();
}
