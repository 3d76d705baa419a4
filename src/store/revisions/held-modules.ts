/** Which modules are held, what was accepted of each, and what somebody let through. */
import { sql } from 'kysely';
import { joinRollbacks } from '../../api/revisions/joined-rollbacks.ts';
import type { Finding } from '../../api/revisions/revisions.ts';
import { type TenantTx, emitEvent } from '../database/database.ts';
import { listModuleNames } from '../modules/modules.ts';
import { type HeldWithdrawal, listHeldWithdrawals, saveHeldWithdrawals } from './held-withdrawals.ts';
import type { UsedSnapshot } from './revision-history.ts';

/** A module that broke a guardrail when it was judged. */
export interface JudgedModule {
  readonly module_id: string;
  readonly findings: readonly Finding[];
  /** Names what is held back. */
  readonly snapshot: string;
}

/** What changed: modules that are held now and were not, or for another content, and those that are held no more. */
export interface HeldChange {
  readonly held: readonly JudgedModule[];
  readonly freed: readonly string[];
  /** What modules are called, those too that are gone. */
  readonly names: ReadonlyMap<string, string>;
}

/** All that modules are held for, each module once. What was made of one comes with what was collected of it, so its hash names both. */
export function heldTogether(
  held: readonly JudgedModule[],
  withdrawals: readonly HeldWithdrawal[],
): JudgedModule[] {
  const byId = new Map(held.map((one) => [one.module_id, one]));
  for (const { module_id, hash: snapshot, findings } of withdrawals) {
    const ofSnapshot = byId.get(module_id)?.findings ?? [];
    byId.set(module_id, { module_id, findings: joinRollbacks([...ofSnapshot, ...findings]), snapshot });
  }
  return [...byId.values()];
}

/**
 * Writes down which modules are held now. One that stays held keeps the moment since when.
 * @param judged every module whose snapshot was judged; the others stay as they are
 * @param withdrawals all modules that are held for what operators have made of them
 */
export async function saveHeldModules(
  tx: TenantTx,
  judged: readonly string[],
  held: readonly JudgedModule[],
  withdrawals: readonly HeldWithdrawal[],
): Promise<HeldChange> {
  const before = await listHeldHashes(tx);
  const names = new Map((await listHeldWithdrawals(tx)).map(({ module_id, name }) => [module_id, name]));
  for (const { module_id, name } of withdrawals) names.set(module_id, name);
  const now = new Set(held.map(({ module_id }) => module_id));
  const free = judged.filter((id) => before.has(id) && !now.has(id));
  if (free.length > 0)
    await tx.sql
      .deleteFrom('held_snapshot')
      .where('tenant_id', '=', tx.tenantId)
      .where('module_id', 'in', free)
      .execute();
  for (const { module_id, findings, snapshot } of held) {
    const values = {
      content_hash: Buffer.from(snapshot, 'hex'),
      findings: JSON.stringify(findings),
      entry_ids: [...new Set(findings.flatMap(({ entry_id }) => entry_id ?? []))],
    };
    await tx.sql
      .insertInto('held_snapshot')
      .values({ tenant_id: tx.tenantId, module_id, ...values })
      .onConflict((conflict) => conflict.columns(['tenant_id', 'module_id']).doUpdateSet(values))
      .execute();
  }
  await saveHeldWithdrawals(tx, withdrawals);
  const after = await listHeldHashes(tx);
  const change = {
    held: heldTogether(held, withdrawals).filter(
      ({ module_id, snapshot }) => before.get(module_id) !== snapshot,
    ),
    freed: [...before.keys()].filter((id) => !after.has(id)),
  };
  const isChanged = change.held.length + change.freed.length > 0;
  const named = { ...change, names: isChanged ? new Map([...names, ...(await listModuleNames(tx))]) : names };
  emitChange(tx, named);
  return named;
}

function emitChange(tx: TenantTx, { held, freed, names }: HeldChange): void {
  for (const { module_id: id, findings, snapshot } of held) {
    const name = names.get(id) ?? id;
    const codes = [...new Set(findings.map(({ code }) => code))];
    const why = findings.length === 0 ? '' : ` ${findings[0]!.detail}`;
    emitEvent(tx, {
      event: 'module_held',
      text: `The module ${name} is held (${codes.join(', ')}), and what was accepted of it stays.${why}`,
      fields: { module_id: id, module: name, findings: codes, snapshot },
    });
  }
  for (const id of freed) {
    const name = names.get(id) ?? id;
    emitEvent(tx, {
      event: 'module_released',
      text: `The module ${name} is held no more`,
      fields: { module_id: id, module: name },
    });
  }
}

/** What each held module is held for. */
async function listHeldHashes(tx: TenantTx): Promise<ReadonlyMap<string, string>> {
  const snapshots = await tx.sql
    .selectFrom('held_snapshot')
    .select(['module_id', 'content_hash as hash'])
    .where('tenant_id', '=', tx.tenantId)
    .execute();
  const withdrawals = await tx.sql
    .selectFrom('held_withdrawal')
    .select(['module_id', 'hash'])
    .where('tenant_id', '=', tx.tenantId)
    .execute();
  return new Map(
    [...snapshots, ...withdrawals].map(({ module_id, hash }) => [module_id, hash.toString('hex')]),
  );
}

/**
 * From now on these snapshots are what is kept of their modules, and what later ones are measured from. Modules that are gone are left
 * out. What an entry had in the same content stays accepted when the entry is disabled: enabled again, it has that to keep. What was
 * let through of them before was so as long as it was accepted, see {@link endReleases}: after a rollback it has to be let through again.
 */
export async function acceptSnapshots(tx: TenantTx, inputs: readonly UsedSnapshot[]): Promise<void> {
  const rows = inputs.map(({ module_id, content_hash, entries_hash, left_out }) => ({
    ...{ module_id, content_hash, entries_hash, left_out },
  }));
  if (rows.length === 0) return;
  await sql`
    INSERT INTO accepted_snapshot (tenant_id, module_id, content_hash, entries_hash, left_out, warnings)
    SELECT ${tx.tenantId}, i.module_id, decode(i.content_hash, 'hex'), decode(i.entries_hash, 'hex'),
           CASE WHEN a.content_hash = decode(i.content_hash, 'hex')
                THEN ARRAY(SELECT unnest(i.left_out) INTERSECT SELECT unnest(a.left_out) ORDER BY 1)
                ELSE i.left_out END,
           coalesce(s.warnings, '[]')
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS i
           (module_id uuid, content_hash text, entries_hash text, left_out uuid[])
      JOIN module ON module.tenant_id = ${tx.tenantId} AND module.id = i.module_id
      LEFT JOIN accepted_snapshot a ON a.tenant_id = ${tx.tenantId} AND a.module_id = i.module_id
      LEFT JOIN snapshot s ON s.tenant_id = ${tx.tenantId} AND s.module_id = i.module_id
                          AND s.content_hash = decode(i.content_hash, 'hex')
        ON CONFLICT (tenant_id, module_id) DO UPDATE
       SET content_hash = excluded.content_hash, entries_hash = excluded.entries_hash, left_out = excluded.left_out,
           warnings = excluded.warnings, accepted_at = now()
     WHERE (accepted_snapshot.content_hash, accepted_snapshot.entries_hash, accepted_snapshot.left_out, accepted_snapshot.warnings)
           IS DISTINCT FROM (excluded.content_hash, excluded.entries_hash, excluded.left_out, excluded.warnings)`.execute(
    tx.sql,
  );
}

/** What was let through of modules ends where other content of them was accepted since. */
export async function endReleases(tx: TenantTx, accepted: readonly UsedSnapshot[]): Promise<void> {
  await sql`
    DELETE FROM released_snapshot r USING accepted_snapshot a
     WHERE r.tenant_id = ${tx.tenantId} AND a.tenant_id = r.tenant_id AND a.module_id = r.module_id
       AND a.content_hash <> r.content_hash
       AND r.module_id = ANY(${accepted.map(({ module_id }) => module_id)}::uuid[])`.execute(tx.sql);
}

/** What is accepted of each module. */
export async function listAccepted(tx: TenantTx): Promise<UsedSnapshot[]> {
  const rows = await tx.sql
    .selectFrom('accepted_snapshot')
    .select(['module_id', 'content_hash', 'entries_hash', 'left_out'])
    .where('tenant_id', '=', tx.tenantId)
    .execute();
  return rows.map(({ content_hash, entries_hash, ...row }) => ({
    ...row,
    content_hash: content_hash.toString('hex'),
    entries_hash: entries_hash?.toString('hex') ?? null,
  }));
}

const CODES_OF_BOTH = sql<string[]>`
  CASE WHEN released_snapshot.content_hash = excluded.content_hash
       THEN ARRAY(SELECT unnest(released_snapshot.codes) UNION SELECT unnest(excluded.codes) ORDER BY 1)
       ELSE excluded.codes END`;

/** Lets exactly this content of the module through, though it breaks these guardrails; those that it was let through for before stay. */
export async function saveRelease(
  tx: TenantTx,
  moduleId: string,
  release: {
    readonly snapshot: string;
    readonly codes: readonly string[];
    readonly reason: string;
    readonly actor: string;
  },
): Promise<void> {
  const values = {
    content_hash: Buffer.from(release.snapshot, 'hex'),
    codes: [...release.codes],
    reason: release.reason,
    released_by: release.actor,
  };
  await tx.sql
    .insertInto('released_snapshot')
    .values({ tenant_id: tx.tenantId, module_id: moduleId, ...values })
    .onConflict((conflict) =>
      conflict
        .columns(['tenant_id', 'module_id'])
        .doUpdateSet({ ...values, codes: CODES_OF_BOTH, released_at: (eb) => eb.fn('now') }),
    )
    .execute();
}
