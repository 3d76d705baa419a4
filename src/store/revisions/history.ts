/** What became of prefixes from one ready revision to the next, as `steps`: what differs between the two, in pieces by address. */
import { sql } from 'kysely';
import type { Revision } from '../../api/revisions/revisions.ts';
import type { Family } from '../../core/address.ts';
import type { ChangePiece } from '../../core/stored/change-list.ts';
import type { SystemTx, TenantTx } from '../database/database.ts';

/** A claim that is this old was made by a process that has ended since. */
const CLAIM_MINUTES = 5;
/** Pieces that are written at once: some hundred kilobytes. */
const PIECES_AT_ONCE = 200;

/** A ready revision, and the ready one before it. */
export interface StepToMake {
  readonly id: string;
  readonly number: number;
  readonly content_hash: string;
  readonly previous: { readonly id: string; readonly content_hash: string };
}

/** Tenants whose steps are to be looked after, and by no other process now. */
export async function listTenantsWithDueSteps(tx: SystemTx): Promise<string[]> {
  const { rows } = await sql<{ tenant_id: string }>`
    SELECT DISTINCT tenant_id FROM due_step
     WHERE claimed_at IS NULL OR claimed_at < now() - make_interval(mins => ${CLAIM_MINUTES}::int)
     ORDER BY tenant_id`.execute(tx.sql);
  return rows.map(({ tenant_id: id }) => id);
}

/** Takes what is due, for some minutes. @returns its ids, none when another process was quicker */
export async function claimDueSteps(tx: TenantTx): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    UPDATE due_step SET claimed_at = now()
     WHERE tenant_id = ${tx.tenantId} AND id IN (
       SELECT id FROM due_step
        WHERE tenant_id = ${tx.tenantId}
          AND (claimed_at IS NULL OR claimed_at < now() - make_interval(mins => ${CLAIM_MINUTES}::int))
          FOR UPDATE SKIP LOCKED)
    RETURNING id::text`.execute(tx.sql);
  return rows.map(({ id }) => id);
}

/** Forgets what was claimed, or gives it back where there is more to make. */
export async function settleDueSteps(tx: TenantTx, ids: readonly string[], isMore: boolean): Promise<void> {
  const own = sql`tenant_id = ${tx.tenantId} AND id = ANY (${ids}::bigint[])`;
  await (
    isMore ? sql`UPDATE due_step SET claimed_at = NULL WHERE ${own}` : sql`DELETE FROM due_step WHERE ${own}`
  ).execute(tx.sql);
}

/** Of the steps that are missing, or lead from what is not the revision before any more, the newest. */
export async function listMissingSteps(tx: TenantTx, limit: number): Promise<StepToMake[]> {
  const { rows } = await sql<{
    id: string;
    number: number;
    content_hash: Buffer;
    previous_id: string;
    previous_hash: Buffer;
  }>`
    SELECT id, number, content_hash, chain.previous_id, previous_hash
      FROM (SELECT id, number, content_hash, lag(id) OVER (ORDER BY number) AS previous_id,
                   lag(content_hash) OVER (ORDER BY number) AS previous_hash
              FROM revision WHERE tenant_id = ${tx.tenantId} AND state = 'ready') chain
      LEFT JOIN revision_step step ON step.tenant_id = ${tx.tenantId} AND step.revision_id = chain.id
     WHERE chain.previous_id IS NOT NULL AND step.previous_id IS DISTINCT FROM chain.previous_id
     ORDER BY number DESC LIMIT ${limit}`.execute(tx.sql);
  return rows.map(({ id, number, content_hash: hash, previous_id: previousId, previous_hash: previous }) => ({
    ...{ id, number, content_hash: hash.toString('hex') },
    previous: { id: previousId, content_hash: previous.toString('hex') },
  }));
}

/** What differs from one revision to the next. */
export interface Step {
  /** Modules that came, went, or were used in another way than before. */
  readonly switched: readonly string[];
  readonly pieces: readonly StepPiece[];
}

export interface StepPiece extends Omit<ChangePiece, 'rows'> {
  /** Whose snapshot differs; null: the revision itself. */
  readonly moduleId: string | null;
}

/** Stores the step in place of another one, unless one of its revisions was pruned meanwhile. */
export async function saveStep(
  tx: TenantTx,
  { id, number, previous }: StepToMake,
  step: Step,
): Promise<void> {
  const { rows } = await sql`
    SELECT FROM revision WHERE tenant_id = ${tx.tenantId} AND id IN (${id}, ${previous.id}) FOR KEY SHARE`.execute(
    tx.sql,
  );
  if (rows.length < 2) return;
  await tx.sql
    .deleteFrom('revision_step')
    .where('tenant_id', '=', tx.tenantId)
    .where('revision_id', '=', id)
    .execute();
  const made = await tx.sql
    .insertInto('revision_step')
    .values({
      tenant_id: tx.tenantId,
      revision_id: id,
      previous_id: previous.id,
      switched: [...step.switched],
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('revision_id')
    .execute();
  if (made.length === 0) return;
  const pieces = step.pieces.map(({ moduleId, family, first, last, bytes }, place) => ({
    ...{ tenant_id: tx.tenantId, revision_id: id, place, number, module_id: moduleId, family },
    ...{ first_address: Buffer.from(first), last_address: Buffer.from(last), bytes: Buffer.from(bytes) },
  }));
  for (let at = 0; at < pieces.length; at += PIECES_AT_ONCE)
    await tx.sql
      .insertInto('step_piece')
      .values(pieces.slice(at, at + PIECES_AT_ONCE))
      .execute();
}

/** A ready revision as histories show it. */
export interface PastRevision extends Pick<
  Revision,
  'id' | 'number' | 'created_at' | 'trigger' | 'communities'
> {
  readonly content_hash: string;
  /** The number of the revision that it goes back to. */
  readonly rollback_of: number | null;
  /** The revision that its step leads from, and what the step says of modules; null: it has no step yet. */
  readonly step: { readonly previous_id: string; readonly switched: readonly string[] } | null;
}

/** Ready revisions up to this number (null: all), the newest first. */
export async function listPastRevisions(
  tx: TenantTx,
  upTo: number | null,
  limit: number,
): Promise<PastRevision[]> {
  const { rows } = await sql<
    Omit<PastRevision, 'step' | 'content_hash'> & {
      content_hash: Buffer;
      previous_id: string | null;
      switched: string[] | null;
    }
  >`
    SELECT revision.id, revision.number, revision.created_at, revision.trigger, revision.communities,
           revision.content_hash, origin.number AS rollback_of, step.previous_id, step.switched
      FROM revision
      LEFT JOIN revision_step step ON step.tenant_id = revision.tenant_id AND step.revision_id = revision.id
      LEFT JOIN revision origin ON origin.tenant_id = revision.tenant_id AND origin.id = revision.rollback_of
     WHERE revision.tenant_id = ${tx.tenantId} AND revision.state = 'ready'
       AND (${upTo}::int IS NULL OR revision.number <= ${upTo}::int)
     ORDER BY revision.number DESC LIMIT ${limit}`.execute(tx.sql);
  return rows.map(({ content_hash: hash, previous_id: previousId, switched, ...row }) => ({
    ...row,
    content_hash: hash.toString('hex'),
    step: previousId === null ? null : { previous_id: previousId, switched: switched ?? [] },
  }));
}

/** The oldest ready revision that is kept. */
export async function findOldestRevision(
  tx: TenantTx,
): Promise<Pick<Revision, 'id' | 'number' | 'created_at'> | null> {
  const row = await tx.sql
    .selectFrom('revision')
    .select(['id', 'number', 'created_at'])
    .where('tenant_id', '=', tx.tenantId)
    .where('state', '=', 'ready')
    .orderBy('number')
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}

/** A piece that may concern the addresses, of the step to this revision. */
export interface PieceAround {
  readonly number: number;
  readonly module_id: string | null;
  readonly bytes: Buffer;
}

/** The pieces of steps to revisions from one number to another that may concern these addresses. */
export async function listPiecesAround(
  tx: TenantTx,
  { family, first, last }: { readonly family: Family; readonly first: Uint8Array; readonly last: Uint8Array },
  numbers: { readonly from: number; readonly to: number },
): Promise<PieceAround[]> {
  const { rows } = await sql<PieceAround>`
    SELECT number, module_id, bytes FROM step_piece
     WHERE tenant_id = ${tx.tenantId} AND family = ${family}
       AND number BETWEEN ${numbers.from}::int AND ${numbers.to}::int
       AND first_address <= ${Buffer.from(last)} AND last_address >= ${Buffer.from(first)}
     ORDER BY number DESC, place`.execute(tx.sql);
  return rows;
}

/** How many revisions there are of the numbers between two, by the first of them; those that are missing were pruned. */
export async function countBetween(
  tx: TenantTx,
  gaps: readonly { readonly above: number; readonly below: number }[],
): Promise<number[]> {
  if (gaps.length === 0) return [];
  const { rows } = await sql<{ found: string }>`
    SELECT (SELECT count(*) FROM revision
             WHERE tenant_id = ${tx.tenantId} AND number > gap.above AND number < gap.below) AS found
      FROM unnest(${gaps.map(({ above }) => above)}::int[], ${gaps.map(({ below }) => below)}::int[])
           WITH ORDINALITY AS gap (above, below, place)
     ORDER BY place`.execute(tx.sql);
  return rows.map(({ found }) => Number(found));
}
