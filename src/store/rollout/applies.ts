import { sql, type RawBuilder, type Selectable } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type { TenantTx } from '../database/database.ts';
import { isFrozen } from '../holding/apply-conditions.ts';
import { holdsLease } from '../holding/leases.ts';
import type { PeerApplyResult } from '../../api/revisions/apply.ts';
import type { AppliedSession } from '../../api/speakers/applied-session.ts';
import type { SpeakerApplyTable } from '../generated/rows.ts';

/** What one speaker is to run, and what came of it. Counts are routes; null until it has ended well. */
export interface SpeakerApply {
  readonly id: string;
  readonly speaker_id: string;
  /** Null: whatever the speaker runs when its turn comes. */
  readonly revision_id: string | null;
  readonly state: Selectable<SpeakerApplyTable>['state'];
  /** 0: a canary; from 1 on: the waves of the others. */
  readonly wave: number;
  readonly announced: number | null;
  readonly withdrawn: number | null;
  readonly changed: number | null;
  /** Of the error, where it has one. */
  readonly code: string | null;
  readonly error: string | null;
  /** Null until it has ended well. */
  readonly sessions: readonly AppliedSession[] | null;
  /** Null: not known. */
  readonly peers: readonly PeerApplyResult[] | null;
  /** The speaker runs the revision, and not every peer has it. */
  readonly partial: boolean;
  /** It keeps the speaker at the revision that it runs. */
  readonly keeps?: boolean;
  /** Somebody asks for it once more, so that peers which failed are tried whatever their pause. */
  readonly retries?: boolean;
}

const COLUMNS = [
  'id',
  'speaker_id',
  'revision_id',
  'state',
  'wave',
  'announced',
  'withdrawn',
  'changed',
  'code',
  'error',
  'sessions',
  'peers',
  'partial',
] as const;

export interface ApplyTarget {
  readonly speakerId: string;
  readonly revisionId: string | null;
  readonly wave: number;
}

/** Plans an apply for each target, once for each job and speaker however often it is asked. None begins before its wave is started. */
export async function planApplies(
  tx: TenantTx,
  jobId: string,
  targets: readonly ApplyTarget[],
): Promise<void> {
  if (targets.length === 0) return;
  const sequence = sql<number>`(
    SELECT sequence FROM job WHERE tenant_id = ${tx.tenantId} AND id = ${jobId})`;
  await tx.sql
    .insertInto('speaker_apply')
    .values(
      targets.map(({ speakerId, revisionId, wave }) => ({
        tenant_id: tx.tenantId,
        id: uuidv7(),
        speaker_id: speakerId,
        revision_id: revisionId,
        job_id: jobId,
        state: 'planned' as const,
        wave,
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

/** Whether an apply waits for the one that is under way at the speaker. */
export async function hasQueuedApply(tx: TenantTx, speakerId: string): Promise<boolean> {
  const row = await tx.sql
    .selectFrom('speaker_apply')
    .select('id')
    .where('tenant_id', '=', tx.tenantId)
    .where('speaker_id', '=', speakerId)
    .where('state', '=', 'queued')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * The speaker's next apply, marked as running, for the process that holds the speaker. One that a holder left running when it was
 * killed is begun again; doing it again is doing it once, since a speaker only goes where it is not yet.
 * @returns with the revision to run: that of the apply, else the one the speaker runs; of an apply that is being taken back (`undoing`)
 * the one before it, where null is no routes at all. Null: nothing to do, not the holder, or applies are frozen, which stops no way back.
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
    .where((eb) => {
      const frozen = isFrozen(sql`${tx.tenantId}`);
      return eb.or([
        eb.and([eb('state', '=', 'undoing'), eb.or([frozen, eb.not(HAS_NEWER)])]),
        eb.and([eb('state', 'in', ['queued', 'running']), eb.not(frozen)]),
      ]);
    })
    .orderBy('sequence')
    .orderBy('id')
    .limit(1)
    .forUpdate();
  const row = await tx.sql
    .updateTable('speaker_apply')
    .set({
      state: sql`CASE state WHEN 'undoing' THEN state ELSE 'running' END`,
      // What is sent on the way back is what its apply began with: see sent-attributes.ts.
      started_at: sql<string>`CASE state WHEN 'undoing' THEN started_at ELSE now() END`,
      previous_revision_id: sql<
        string | null
      >`CASE state WHEN 'queued' THEN ${goodRevisionOf('speaker_apply')} ELSE previous_revision_id END`,
    })
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', next)
    .returning([...COLUMNS, 'previous_revision_id', APPLIED.as('applied_revision_id'), RETRIES.as('retries')])
    .executeTakeFirst();
  if (row === undefined) return null;
  const { previous_revision_id: previous, applied_revision_id: applied, ...apply } = row;
  const keeps = apply.state !== 'undoing' && apply.revision_id === null;
  return {
    ...apply,
    keeps,
    revision_id: apply.state === 'undoing' ? previous : (apply.revision_id ?? applied),
  };
}

/** Somebody asks for what is left of an apply, or once more for the content that the speaker runs, maybe by another revision. */
const RETRIES = sql<boolean>`EXISTS (
  SELECT FROM job
   WHERE job.tenant_id = speaker_apply.tenant_id AND job.id = speaker_apply.job_id
     AND (job.input -> 'retries' = 'true'::jsonb
          OR job.input -> 'asked' = 'true'::jsonb
             AND EXISTS (SELECT FROM speaker
                           JOIN revision run ON run.tenant_id = speaker.tenant_id AND run.id = speaker.applied_revision_id
                           JOIN revision asked ON asked.tenant_id = speaker.tenant_id AND asked.id = speaker_apply.revision_id
                          WHERE speaker.tenant_id = speaker_apply.tenant_id AND speaker.id = speaker_apply.speaker_id
                            AND run.content_hash = asked.content_hash)))`;

/** What the speaker of the row runs. */
const APPLIED = sql<string | null>`(
  SELECT applied_revision_id FROM speaker
   WHERE speaker.tenant_id = speaker_apply.tenant_id AND speaker.id = speaker_apply.speaker_id)`;

/** What the speaker of an apply runs, or goes back to. @param apply name of the table in the query */
export function goodRevisionOf(apply: string): RawBuilder<string | null> {
  return sql`(
    SELECT CASE WHEN undo.id IS NULL THEN speaker.applied_revision_id ELSE undo.previous_revision_id END
      FROM speaker
      LEFT JOIN speaker_apply undo ON undo.tenant_id = speaker.tenant_id AND undo.speaker_id = speaker.id
                                  AND undo.state = 'undoing'
     WHERE speaker.tenant_id = ${sql.ref(`${apply}.tenant_id`)} AND speaker.id = ${sql.ref(`${apply}.speaker_id`)}
     ORDER BY undo.sequence DESC LIMIT 1)`;
}

/** A newer apply of a revision is to be carried out first: when it ends well, there is no need to go back. */
const HAS_NEWER = sql<boolean>`EXISTS (
  SELECT FROM speaker_apply newer
   WHERE newer.tenant_id = speaker_apply.tenant_id AND newer.speaker_id = speaker_apply.speaker_id
     AND newer.sequence > speaker_apply.sequence AND newer.state IN ('queued', 'running')
     AND newer.revision_id IS NOT NULL)`;

/**
 * Whether another apply has taken the place of one that is open. One that is being taken back is so until a newer one has come about: if that
 * fails, the speaker must not stay where it was to leave. @param apply name of the table in the query
 */
export function isPassed(apply: string): RawBuilder<boolean> {
  const of = (column: string): RawBuilder<unknown> => sql.ref(`${apply}.${column}`);
  return sql`${of('state')} IN ('queued', 'running', 'undoing') AND ${of('revision_id')} IS NOT NULL
    AND EXISTS (SELECT FROM speaker_apply new
                 WHERE new.tenant_id = ${of('tenant_id')} AND new.speaker_id = ${of('speaker_id')}
                   AND new.sequence > ${of('sequence')} AND new.revision_id IS NOT NULL
                   AND (new.state IN ('succeeded', 'undoing', 'undone')
                        OR ${of('state')} <> 'undoing' AND new.state IN ('queued', 'running', 'failed')))`;
}

/**
 * Two applies that workers take up at once arrive here in any order, and one may have waited for weeks: whatever happens, a
 * speaker never goes back to a revision that was asked for before the one that it was last given to run.
 */
async function supersedeOlder(tx: TenantTx, speakerId: string): Promise<void> {
  await sql`
    UPDATE speaker_apply old
       SET state = 'superseded', finished_at = now(), error = 'A newer apply took its place.'
     WHERE old.tenant_id = ${tx.tenantId} AND old.speaker_id = ${speakerId} AND ${isPassed('old')}`.execute(
    tx.sql,
  );
}

export type ApplyEnd =
  | {
      readonly announced: number;
      readonly withdrawn: number;
      readonly changed: number;
      readonly sessions: readonly AppliedSession[];
      readonly peers?: readonly PeerApplyResult[];
      /** Why not every peer has the revision; null: all have it that were up. */
      readonly partial?: string | null;
    }
  | {
      readonly code: string | null;
      readonly error: string;
      readonly peers?: readonly PeerApplyResult[];
    };

/**
 * Writes down how the apply ended, once. A holder that lost its lease meanwhile comes too late: the apply is its successor's. When it
 * ended well, its revision is from now on what the speaker runs.
 * @returns whether the holder holds the speaker
 */
export async function finishApply(
  tx: TenantTx,
  apply: SpeakerApply,
  holder: string,
  end: ApplyEnd,
): Promise<boolean> {
  const isHeld = await holdsLease(tx, apply.speaker_id, holder);
  if (isHeld) await recordEnd(tx, apply, end);
  return isHeld;
}

/** {@link finishApply} for a caller that knows that the speaker is its own. */
async function recordEnd(
  tx: TenantTx,
  { id, speaker_id: speakerId, state, revision_id: target }: SpeakerApply,
  end: ApplyEnd,
): Promise<void> {
  const isUndo = state === 'undoing';
  const failed = 'error' in end;
  // What is taken back keeps the reason why; until that has come about it is tried again and again.
  if (isUndo && failed) return;
  const ended = await tx.sql
    .updateTable('speaker_apply')
    .set({
      state: isUndo ? 'undone' : failed ? 'failed' : 'succeeded',
      finished_at: sql<string>`now()`,
      ...(isUndo ? {} : columnsOf(end)),
    })
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', id)
    .where('state', '=', state)
    .returning('revision_id')
    .executeTakeFirst();
  // One that keeps the revision of the speaker moves nothing.
  if (ended === undefined || failed || ended.revision_id === null) return;
  await tx.sql
    .updateTable('speaker')
    .set({ applied_revision_id: target, applied_at: sql<string>`now()` })
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', speakerId)
    .execute();
}

function columnsOf(end: ApplyEnd) {
  const peers = end.peers === undefined ? {} : { peers: JSON.stringify(end.peers) };
  if ('error' in end) return { code: end.code, error: end.error, ...peers };
  const { announced, withdrawn, changed, sessions, partial = null } = end;
  return {
    ...{ announced, withdrawn, changed, ...peers },
    sessions: JSON.stringify(sessions),
    partial: partial !== null,
    error: partial,
  };
}
