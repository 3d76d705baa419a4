/** Which ranges were edited since the snapshot of their module was made (migrations/0067_range_edits.sql). */
import { sql } from 'kysely';
import type { TenantTx } from '../database/database.ts';

/** More of them are no longer a difference: the module is read as a whole. */
const MOST_ENTRIES = 2_000;
/** More rows than this of one module say only that it was edited. */
const MANY_ROWS = 1_000;

export interface RangeEdits {
  /** Of the edits; whoever reads ranges after this has all that they name. */
  readonly ids: readonly number[];
  /** The latest snapshot of the module, which lacks them; null: there is none. */
  readonly snapshotHash: string | null;
  /** What each edited entry has now, as `cidr`; null: it is gone. Null for all: too many, or unknown. */
  readonly entries: readonly { readonly id: string; readonly cidr: string | null }[] | null;
}

export async function readRangeEdits(tx: TenantTx, moduleId: string): Promise<RangeEdits> {
  const { rows } = await sql<RangeEdits>`
    WITH edits AS MATERIALIZED (
      SELECT id, entry_ids FROM range_edit WHERE tenant_id = ${tx.tenantId} AND module_id = ${moduleId}
    ), touched AS MATERIALIZED (
      SELECT DISTINCT unnest(entry_ids) AS id FROM edits LIMIT ${MOST_ENTRIES + 1}
    )
    SELECT (SELECT coalesce(json_agg(id), '[]') FROM edits) AS ids,
           (SELECT encode(content_hash, 'hex') FROM snapshot
             WHERE tenant_id = ${tx.tenantId} AND module_id = ${moduleId}) AS "snapshotHash",
           CASE WHEN NOT EXISTS (SELECT FROM edits WHERE entry_ids IS NULL)
                 AND (SELECT count(*) FROM touched) <= ${MOST_ENTRIES}
                THEN (SELECT coalesce(json_agg(json_build_object('id', touched.id, 'cidr', e.cidr)), '[]')
                        FROM touched
                        LEFT JOIN ip_range_entry e
                          ON e.tenant_id = ${tx.tenantId} AND e.module_id = ${moduleId} AND e.id = touched.id)
           END AS entries`.execute(tx.sql);
  return rows[0]!;
}

/** A snapshot that holds these edits is stored. */
export async function dropRangeEdits(tx: TenantTx, moduleId: string, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    DELETE FROM range_edit
     WHERE tenant_id = ${tx.tenantId} AND module_id = ${moduleId} AND id = ANY (${ids}::bigint[])`.execute(
    tx.sql,
  );
}

/** Adds up the edits of modules that nobody collects, as those that are disabled. */
export async function compactRangeEdits(tx: TenantTx): Promise<void> {
  await sql`
    WITH many AS (
      SELECT module_id FROM range_edit WHERE tenant_id = ${tx.tenantId} GROUP BY module_id HAVING count(*) > ${MANY_ROWS}
    ), gone AS (
      DELETE FROM range_edit WHERE tenant_id = ${tx.tenantId} AND module_id IN (SELECT module_id FROM many)
      RETURNING module_id)
    INSERT INTO range_edit (tenant_id, module_id)
    SELECT DISTINCT ${tx.tenantId}::uuid, module_id FROM gone`.execute(tx.sql);
}
