/** Revisions for whoever builds, plans or applies: of these, nobody asks when speakers had them. */
import { sql, type Selectable } from 'kysely';
import { notFound } from '../../api/problems/problem.ts';
import type { Revision } from '../../api/revisions/revisions.ts';
import type { TenantTx } from '../database/database.ts';
import type { Tables } from '../generated/rows.ts';

/** A revision without the speakers that have it or had it, which are read with it only where it is answered (revisions.ts). */
export type StoredRevision = Omit<Revision, 'applied_on' | 'first_applied_at' | 'applied_periods'>;

export async function findRevision(tx: TenantTx, id: string): Promise<StoredRevision | null> {
  const row = await selectStored(tx).where('revision.id', '=', id).executeTakeFirst();
  return row === undefined ? null : presentStored(row);
}

/** @throws {Problem} `not_found` */
export async function requireRevision(tx: TenantTx, id: string): Promise<StoredRevision> {
  const revision = await findRevision(tx, id);
  if (revision === null) throw notFound('revision', id);
  return revision;
}

/** The number of the newest held revision that is newer than this one; null: there is none. */
export async function findNewerHeld(tx: TenantTx, id: string): Promise<number | null> {
  const row = await tx.sql
    .selectFrom('revision')
    .innerJoin('revision as this', 'this.tenant_id', 'revision.tenant_id')
    .select('revision.number')
    .where('revision.tenant_id', '=', tx.tenantId)
    .where('this.id', '=', id)
    .where('revision.state', '=', 'held')
    .whereRef('revision.number', '>', 'this.number')
    .orderBy('revision.number', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.number ?? null;
}

export async function findLatestReadyRevision(tx: TenantTx): Promise<StoredRevision | null> {
  const row = await selectStored(tx)
    .where('state', '=', 'ready')
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? null : presentStored(row);
}

export async function findRevisionNumber(tx: TenantTx, id: string): Promise<number | null> {
  const row = await tx.sql
    .selectFrom('revision')
    .select('number')
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.number ?? null;
}

export async function findRevisionNumbered(tx: TenantTx, number: number): Promise<StoredRevision | null> {
  const row = await selectStored(tx).where('number', '=', number).executeTakeFirst();
  return row === undefined ? null : presentStored(row);
}

/** What enabled speakers run; of several revisions the one that was applied last. */
export async function findAppliedRevision(tx: TenantTx, besides?: string): Promise<StoredRevision | null> {
  const row = await selectRunning(tx)
    .$if(besides !== undefined, (rows) => rows.where('speaker.id', '!=', besides!))
    .executeTakeFirst();
  return row === undefined ? null : presentStored(row);
}

/** The newest good revision of its content, which shows best what was let through of it; itself where there is none that is newer. */
export async function findNewestAlike(tx: TenantTx, revision: StoredRevision): Promise<StoredRevision> {
  if (revision.content_hash === null) return revision;
  const row = await selectStored(tx)
    .where('revision.content_hash', '=', Buffer.from(revision.content_hash, 'hex'))
    .where('state', '=', 'ready')
    .where('number', '>', revision.number)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? revision : presentStored(row);
}

/**
 * What enabled speakers run and are to go on running: not what is tried on canaries while others wait for them, nor what is being taken back.
 * Null also while there is only such.
 */
export async function findSettledRevision(tx: TenantTx): Promise<StoredRevision | null> {
  const row = await selectRunning(tx)
    .where(
      sql<boolean>`NOT EXISTS (
        SELECT FROM speaker_apply tried
         WHERE tried.tenant_id = speaker.tenant_id AND tried.speaker_id = speaker.id AND tried.revision_id = revision.id
           AND (tried.state = 'undoing'
                OR tried.state = 'succeeded' AND EXISTS (
                  SELECT FROM speaker_apply waiting
                   WHERE waiting.tenant_id = tried.tenant_id AND waiting.job_id = tried.job_id AND waiting.state = 'planned')))`,
    )
    .executeTakeFirst();
  return row === undefined ? null : presentStored(row);
}

/** Of what enabled speakers run, the one that was applied last. */
function selectRunning(tx: TenantTx) {
  return selectStored(tx)
    .innerJoin('speaker', (join) =>
      join
        .onRef('speaker.tenant_id', '=', 'revision.tenant_id')
        .onRef('speaker.applied_revision_id', '=', 'revision.id'),
    )
    .where('speaker.enabled', '=', true)
    .orderBy('speaker.applied_at', 'desc')
    .orderBy('revision.number', 'desc')
    .limit(1);
}

/** Of whatever state. */
export async function findNewestRevision(tx: TenantTx): Promise<StoredRevision | null> {
  const row = await selectStored(tx).orderBy('number', 'desc').limit(1).executeTakeFirst();
  return row === undefined ? null : presentStored(row);
}

/** Of each revision that there is the communities in its routes, by the values that they had when it was built. */
export async function listRevisionCommunities(
  tx: TenantTx,
  ids: readonly string[],
): Promise<Revision['communities'][]> {
  if (ids.length === 0) return [];
  const rows = await tx.sql
    .selectFrom('revision')
    .select('communities')
    .where('tenant_id', '=', tx.tenantId)
    .where('id', 'in', ids)
    .execute();
  return rows.map(({ communities }) => communities);
}

export function selectStored(tx: TenantTx) {
  return tx.sql.selectFrom('revision').selectAll('revision').where('revision.tenant_id', '=', tx.tenantId);
}

export function presentStored(row: Selectable<Tables['revision']>): StoredRevision {
  return {
    id: row.id,
    created_at: row.created_at,
    updated_at: row.updated_at,
    number: row.number,
    state: row.state,
    findings: row.findings,
    quarantined: row.quarantined,
    content_hash: row.content_hash?.toString('hex') ?? null,
    parent_id: row.parent_id,
    rollback_of: row.rollback_of,
    trigger: row.trigger,
    reason: row.reason,
    prefix_count: { ipv4: row.prefix_count_ipv4, ipv6: row.prefix_count_ipv6 },
    communities: row.communities,
    without_community:
      row.without_community_ipv4 === null || row.without_community_ipv6 === null
        ? null
        : { ipv4: row.without_community_ipv4, ipv6: row.without_community_ipv6 },
    warnings: row.warnings,
    pinned: row.pinned,
  };
}
