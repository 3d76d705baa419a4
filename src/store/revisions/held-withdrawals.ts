/**
 * Modules that stay in revisions as they were, since their edits would take too much away from a speaker or a rollback brought them
 * back, and what was let through of that.
 */
import { sql } from 'kysely';
import type { Finding } from '../../api/revisions/revisions.ts';
import type { TenantTx } from '../database/database.ts';

/** A module that stays as it was. It may be disabled, or gone. */
export interface HeldWithdrawal {
  readonly module_id: string;
  readonly name: string;
  /** Of the module as it would be: what a release lets through. */
  readonly hash: string;
  /** The same without what sources bring by themselves. */
  readonly state_hash: string;
  readonly findings: readonly Finding[];
}

/** The same as it is written down. */
export interface HeldRow extends HeldWithdrawal {
  /** Whether somebody has edited the module since it is held, and no revision holds that yet. */
  readonly is_edited: boolean;
}

export async function listHeldWithdrawals(tx: TenantTx): Promise<HeldWithdrawal[]> {
  const rows = await tx.sql
    .selectFrom('held_withdrawal')
    .select(['module_id', 'name', 'hash', 'state_hash', 'findings'])
    .where('tenant_id', '=', tx.tenantId)
    .orderBy('module_id')
    .execute();
  return rows.map(({ hash, state_hash, ...row }) => ({
    ...row,
    hash: hash.toString('hex'),
    state_hash: state_hash.toString('hex'),
  }));
}

export async function findHeldWithdrawal(tx: TenantTx, moduleId: string): Promise<HeldWithdrawal | null> {
  return (await listHeldWithdrawals(tx)).find(({ module_id }) => module_id === moduleId) ?? null;
}

/** Makes these the modules that stay as they were. One that was among them keeps the moment since when. */
export async function saveHeldWithdrawals(tx: TenantTx, held: readonly HeldWithdrawal[]): Promise<void> {
  const ids = held.map(({ module_id }) => module_id);
  await tx.sql
    .deleteFrom('held_withdrawal')
    .where('tenant_id', '=', tx.tenantId)
    .$if(ids.length > 0, (rows) => rows.where('module_id', 'not in', ids))
    .execute();
  for (const { module_id, name, hash, state_hash, findings } of held) {
    const values = {
      name,
      hash: Buffer.from(hash, 'hex'),
      state_hash: Buffer.from(state_hash, 'hex'),
      findings: JSON.stringify(findings),
    };
    await tx.sql
      .insertInto('held_withdrawal')
      .values({ tenant_id: tx.tenantId, module_id, ...values })
      .onConflict((conflict) => conflict.columns(['tenant_id', 'module_id']).doUpdateSet(values))
      .execute();
  }
}

/** Of these modules nothing counts as an edit that was made before now. */
export async function beginHolds(tx: TenantTx, moduleIds: readonly string[]): Promise<void> {
  if (moduleIds.length === 0) return;
  await tx.sql
    .updateTable('held_withdrawal')
    .set({ since: sql<string>`clock_timestamp()` })
    .where('tenant_id', '=', tx.tenantId)
    .where('module_id', 'in', moduleIds)
    .execute();
}

/** What somebody let through of a module. */
export interface ReleasedWithdrawal {
  readonly module_id: string;
  readonly state_hash: string;
  /** The first revision with it; null: there is none yet. */
  readonly revision_id: string | null;
}

/** Lets what a module is now through, until every speaker has it. */
export async function releaseWithdrawal(
  tx: TenantTx,
  moduleId: string,
  release: { readonly stateHash: string; readonly reason: string; readonly actor: string },
): Promise<void> {
  const values = {
    state_hash: Buffer.from(release.stateHash, 'hex'),
    reason: release.reason,
    released_by: release.actor,
    revision_id: null,
  };
  await tx.sql
    .insertInto('released_withdrawal')
    .values({ tenant_id: tx.tenantId, module_id: moduleId, ...values })
    .onConflict((conflict) =>
      conflict
        .columns(['tenant_id', 'module_id'])
        .doUpdateSet({ ...values, released_at: (eb) => eb.fn('now') }),
    )
    .execute();
}

/** Ends all releases but those of these modules. */
export async function keepReleases(tx: TenantTx, moduleIds: readonly string[]): Promise<void> {
  await tx.sql
    .deleteFrom('released_withdrawal')
    .where('tenant_id', '=', tx.tenantId)
    .$if(moduleIds.length > 0, (rows) => rows.where('module_id', 'not in', moduleIds))
    .execute();
}

/** This revision is the first that has what was let through and no revision had yet. */
export async function saveReleasedIn(tx: TenantTx, revisionId: string): Promise<void> {
  await tx.sql
    .updateTable('released_withdrawal')
    .set({ revision_id: revisionId })
    .where('tenant_id', '=', tx.tenantId)
    .where('revision_id', 'is', null)
    .execute();
}
