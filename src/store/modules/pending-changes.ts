import { type RawBuilder, sql } from 'kysely';
import type { PendingChanges } from '../../api/shapes/members.ts';
import type { SystemTx, TenantTx } from '../database/database.ts';

/** Channel on which triggers notify that something is pending (migrations/0016_pending_changes.sql). */
export const PENDING_CHANNEL = 'prefixcast_pending';

/** Edits that follow each other this closely become one revision, but none of them waits longer than the second. */
const QUIET_MILLISECONDS = 200;
const LONGEST_MILLISECONDS = 800;

/** Work that came to nothing, such as a job that was cancelled, is queued again after this long, then after twice as long, and so on. */
const RETRY_SECONDS = 60;
const LONGEST_RETRY_SECONDS = 3_600;

/** More rows than this of one tenant are added up. */
const MANY_ROWS = 1_000;

const HAS_ENABLED_MODULE = sql<boolean>`
  (SELECT module.enabled FROM module WHERE module.tenant_id = p.tenant_id AND module.id = p.module_id) IS TRUE`;

/** Edits that lead to a revision automatically and that nothing is queued for: columns of `p`. */
const FOLLOWED = sql`
  pending_change p
  JOIN tenant ON tenant.id = p.tenant_id AND tenant.status = 'active'
  LEFT JOIN setting ON setting.tenant_id = p.tenant_id AND setting.key = 'auto_revision'
  WHERE setting.value IS DISTINCT FROM 'false'::jsonb AND (p.tries = 0 OR p.next_try_at <= now())`;

/** Whether there are any. */
export const HAS_PENDING = sql<boolean>`EXISTS (SELECT FROM ${FOLLOWED})`;

/** Active tenants with such edits; `ripe`: no more of them are to be expected at once. */
export async function listTenantsWithPending(tx: SystemTx): Promise<{ tenant_id: string; ripe: boolean }[]> {
  const { rows } = await sql<{ tenant_id: string; ripe: boolean }>`
    SELECT p.tenant_id,
           max(p.at) < clock_timestamp() - make_interval(secs => ${QUIET_MILLISECONDS / 1000}::float8)
           OR min(p.at) < clock_timestamp() - make_interval(secs => ${LONGEST_MILLISECONDS / 1000}::float8) AS ripe
      FROM ${FOLLOWED}
     GROUP BY p.tenant_id`.execute(tx.sql);
  return rows;
}

/** What has to be queued so that a revision holds the edits. */
export interface PendingWork {
  /** Enabled modules to collect, in ascending order. */
  readonly moduleIds: readonly string[];
  readonly needsBuild: boolean;
  /** Who made the edits, in the order of their names. */
  readonly actors: readonly string[];
}

/**
 * Takes the edits for whose sake nothing was queued yet, or for nothing; what another transaction takes now is passed over.
 * @param which `all`: also those for whose sake something was queued and is under way
 */
export async function claimPending(tx: TenantTx, which: 'due' | 'all'): Promise<PendingWork> {
  const isUnderWay = sql`
    EXISTS (SELECT FROM job
             WHERE job.tenant_id = p.tenant_id AND job.state IN ('queued', 'running')
               AND ((p.needs_collect AND job.type = 'module_refresh' AND job.resource_id = p.module_id)
                    OR (p.needs_build AND job.type = 'revision_build')))`;
  const isDue =
    which === 'all' ? sql`true` : sql`(tries = 0 OR (next_try_at <= now() AND NOT ${isUnderWay}))`;
  // A module that was disabled or deleted is not collected.
  await sql`
    DELETE FROM pending_change p
     WHERE tenant_id = ${tx.tenantId} AND NOT needs_build AND NOT ${HAS_ENABLED_MODULE}`.execute(tx.sql);
  const { rows } = await sql<{ module_ids: string[] | null; needs_build: boolean; actors: string[] | null }>`
    WITH due AS MATERIALIZED (
      SELECT id FROM pending_change p
       WHERE tenant_id = ${tx.tenantId} AND ${isDue} ORDER BY id FOR UPDATE SKIP LOCKED
    ), claimed AS (
      UPDATE pending_change p
         SET tries = tries + 1,
             next_try_at = now() + make_interval(
               secs => least(${RETRY_SECONDS}::int * 2.0 ^ least(tries, 20), ${LONGEST_RETRY_SECONDS}::int))
        FROM due WHERE p.tenant_id = ${tx.tenantId} AND p.id = due.id
      RETURNING p.module_id, p.needs_collect, p.needs_build, p.actor, ${HAS_ENABLED_MODULE} AS has_module
    )
    SELECT array_agg(DISTINCT module_id) FILTER (WHERE needs_collect AND has_module) AS module_ids,
           coalesce(bool_or(needs_build), false) AS needs_build,
           array_agg(DISTINCT actor) FILTER (WHERE actor IS NOT NULL) AS actors
      FROM claimed`.execute(tx.sql);
  const { module_ids: moduleIds, needs_build: needsBuild, actors } = rows[0]!;
  return { moduleIds: moduleIds ?? [], needsBuild, actors: actors ?? [] };
}

/** Edits of the tenant. Whoever reads what a revision is built from after this has all that they name. */
export interface PendingEdits {
  /** Enabled modules with edits that they have to be collected for, in ascending order. */
  readonly moduleIds: readonly string[];
  /** Ids of edits that a revision is to be built for. */
  readonly buildIds: readonly number[];
  /** Who made these, in the order of their names. */
  readonly actors: readonly string[];
}

export function readPending(tx: TenantTx): Promise<PendingEdits>;
/** @param asked what the same statement is to answer, as `has` */
export function readPending(
  tx: TenantTx,
  asked: RawBuilder<boolean>,
): Promise<PendingEdits & { readonly has: boolean }>;
export async function readPending(tx: TenantTx, asked?: RawBuilder<boolean>): Promise<PendingEdits> {
  const { rows } = await sql<PendingEdits>`
    SELECT coalesce(array_agg(DISTINCT module_id) FILTER (WHERE needs_collect AND ${HAS_ENABLED_MODULE}), '{}') AS "moduleIds",
           coalesce(json_agg(id) FILTER (WHERE needs_build), '[]') AS "buildIds",
           coalesce(array_agg(DISTINCT actor) FILTER (WHERE needs_build AND actor IS NOT NULL), '{}') AS actors
           ${asked === undefined ? sql`` : sql`, ${asked} AS has`}
      FROM pending_change p WHERE tenant_id = ${tx.tenantId}`.execute(tx.sql);
  return rows[0]!;
}

/** The module was collected with these edits: what is left is to build. */
export async function settleCollects(tx: TenantTx, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  // The one who collected also builds, or leaves that to a job.
  await sql`
    UPDATE pending_change
       SET needs_collect = false, needs_build = true, tries = 1,
           next_try_at = now() + make_interval(secs => ${RETRY_SECONDS}::int)
     WHERE tenant_id = ${tx.tenantId} AND id = ANY (${ids}::bigint[])`.execute(tx.sql);
}

/** The module could not be collected: its entries say why. What can be built without that is still to be built. */
export async function dropCollects(tx: TenantTx, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    WITH dropped AS (
      DELETE FROM pending_change
       WHERE tenant_id = ${tx.tenantId} AND id = ANY (${ids}::bigint[]) AND NOT needs_build)
    UPDATE pending_change SET needs_collect = false
     WHERE tenant_id = ${tx.tenantId} AND id = ANY (${ids}::bigint[]) AND needs_build`.execute(tx.sql);
}

/** A revision holds these edits, but for what has yet to be collected. */
export async function settleBuilds(tx: TenantTx, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    WITH settled AS (
      DELETE FROM pending_change p
       WHERE tenant_id = ${tx.tenantId} AND id = ANY (${ids}::bigint[]) AND NOT (needs_collect AND ${HAS_ENABLED_MODULE}))
    UPDATE pending_change p SET needs_build = false
     WHERE tenant_id = ${tx.tenantId} AND id = ANY (${ids}::bigint[]) AND needs_collect AND ${HAS_ENABLED_MODULE}`.execute(
    tx.sql,
  );
}

/** Something other than an edit asks for a revision, such as time that has gone by. */
export async function addPendingBuild(tx: TenantTx, moduleId: string): Promise<void> {
  await sql`SELECT note_change(${tx.tenantId}, ${moduleId}, false, true, 0)`.execute(tx.sql);
}

/** The module is deleted or put back: where revisions hold it otherwise than its list says, that changes what they have, be it enabled or not. */
export async function addPendingOfHeld(tx: TenantTx, moduleId: string): Promise<void> {
  await sql`
    SELECT note_change(tenant_id, module_id, false, true, 1) FROM held_withdrawal
     WHERE tenant_id = ${tx.tenantId} AND module_id = ${moduleId}`.execute(tx.sql);
}

/** Edits of the whole tenant that no revision holds yet. */
export async function countPending(tx: TenantTx): Promise<PendingChanges> {
  const { rows } = await sql<PendingChanges>`
    SELECT coalesce(sum(edits), 0)::int AS count, min(at) AS since FROM pending_change p
     WHERE tenant_id = ${tx.tenantId} AND edits > 0 AND (needs_build OR ${HAS_ENABLED_MODULE})`.execute(
    tx.sql,
  );
  return rows[0]!;
}

/** Adds up many rows of one kind, as a tenant that builds only on request may gather. */
export async function compactPending(tx: TenantTx): Promise<void> {
  await sql`
    WITH gone AS (
      DELETE FROM pending_change
       WHERE tenant_id = ${tx.tenantId}
         AND (SELECT count(*) FROM pending_change WHERE tenant_id = ${tx.tenantId}) > ${MANY_ROWS}
      RETURNING *)
    INSERT INTO pending_change (tenant_id, module_id, needs_collect, needs_build, is_expiry, actor, edits, at, tries, next_try_at)
    SELECT tenant_id, module_id, needs_collect, needs_build, is_expiry, actor, least(sum(edits), 2147483647), min(at), max(tries), max(next_try_at)
      FROM gone GROUP BY tenant_id, module_id, needs_collect, needs_build, is_expiry, actor, tries = 0`.execute(
    tx.sql,
  );
}
