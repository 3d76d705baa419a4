/** What was removed of lists, as triggers remember it (migrations/0050_removed_lists.sql). restored-lists.ts puts it back. */
import { sql, type RawBuilder } from 'kysely';
import type { EntryType } from '../../api/entries/entry-kinds.ts';
import type {
  RemovedEntries,
  RemovedEntriesQuery,
  RemovedModule,
  RemovedModuleQuery,
} from '../../api/lists/removed.ts';
import type { Page } from '../../api/shapes/page.ts';
import type { RemovedState } from '../columns/removed-state.ts';
import type { TenantTx } from '../database/database.ts';
import { ENTRY_TABLES } from '../database/entry-tables.ts';
import { containing, readPage } from '../database/pagination.ts';
import { forgetRead } from '../database/read-once.ts';
import { identifyModule } from '../modules/modules.ts';

const KEPT_UNTIL = (days: number): RawBuilder<string> =>
  sql`removed_at + make_interval(days => ${days}::int)`;
const ENTRY_COUNT = sql<number>`
  (SELECT coalesce(sum(c.entry_count), 0)::int FROM removed_chunk c WHERE c.tenant_id = b.tenant_id AND c.batch_id = b.id)`;
const IS_KEPT = (days: number): RawBuilder<boolean> => sql`${KEPT_UNTIL(days)} > now()`;

/** Modules that can be restored, those deleted last first. @param days for which removals are kept */
export async function listRemovedModules(
  tx: TenantTx,
  query: RemovedModuleQuery,
  days: number,
): Promise<Page<RemovedModule>> {
  const { type = null, q, id } = query;
  const ids = id === undefined ? null : [id].flat();
  const fetch = async (after: string, limit: number) => {
    const { rows } = await sql<RemovedModule & { readonly module_id: string }>`
      SELECT b.id, b.module_id, b.module ->> 'name' AS name, b.module ->> 'type' AS type, b.module ->> 'purpose' AS purpose,
             (b.module ->> 'enabled')::boolean AS enabled, ${ENTRY_COUNT} AS entry_count, b.removed_at, b.removed_by,
             ${KEPT_UNTIL(days)} AS kept_until
        FROM removed_batch b
       WHERE b.tenant_id = ${tx.tenantId} AND b.module IS NOT NULL AND b.restored_at IS NULL AND b.id < ${after}
         AND (${type}::text IS NULL OR b.module ->> 'type' = ${type})
         AND (${ids}::uuid[] IS NULL OR b.module_id = ANY (${ids}::uuid[]))
         AND ${q === undefined ? sql`true` : sql`b.module ->> 'name' ILIKE ${containing(q)}`} AND ${IS_KEPT(days)}
       ORDER BY b.id DESC LIMIT ${limit}`.execute(tx.sql);
    return rows;
  };
  const present = ({ module_id: id, ...module }: RemovedModule & { readonly module_id: string }) => ({
    ...module,
    id,
  });
  return newestFirst(tx, 'removed-modules', query, fetch, present);
}

/** What was removed of a module that is there, the last removal first; also what was put back already. */
export async function listRemovedEntries(
  tx: TenantTx,
  moduleId: string,
  query: RemovedEntriesQuery,
  days: number,
): Promise<Page<RemovedEntries>> {
  await identifyModule(tx, moduleId);
  const fetch = async (after: string, limit: number) => {
    const { rows } = await sql<RemovedEntries>`
      SELECT b.id, ${ENTRY_COUNT} AS entry_count, b.removed_at, b.removed_by, ${KEPT_UNTIL(days)} AS kept_until,
             coalesce((SELECT c.names FROM removed_chunk c WHERE c.tenant_id = b.tenant_id AND c.batch_id = b.id
                                 ORDER BY c.place LIMIT 1), '{}') AS names,
             b.restored_at, b.restored_by
        FROM removed_batch b
       WHERE b.tenant_id = ${tx.tenantId} AND b.module_id = ${moduleId} AND b.module IS NULL AND b.id < ${after} AND ${IS_KEPT(days)}
       ORDER BY b.id DESC LIMIT ${limit}`.execute(tx.sql);
    return rows;
  };
  return newestFirst(tx, `removed-entries ${moduleId}`, query, fetch, (row) => row);
}

function newestFirst<Row extends { readonly id: string }, T>(
  tx: TenantTx,
  list: string,
  query: RemovedModuleQuery,
  fetch: (after: string, limit: number) => Promise<Row[]>,
  present: (row: Row) => T,
): Promise<Page<T>> {
  return readPage(tx, list, { ...query, sort: '-created_at' }, fetch, present);
}

/** What these modules were called when they were deleted, by id; others are missing. */
export async function namesOfRemoved(
  tx: TenantTx,
  moduleIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ id: string; name: string }>`
    SELECT DISTINCT ON (module_id) module_id AS id, module ->> 'name' AS name
      FROM removed_batch
     WHERE tenant_id = ${tx.tenantId} AND module_id = ANY (${[...moduleIds]}::uuid[]) AND module IS NOT NULL
     ORDER BY module_id, id DESC`.execute(tx.sql);
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** The batch of the entries that this transaction has removed from the module; null: it kept none of them. */
export async function findOwnRemoval(tx: TenantTx, moduleId: string): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM removed_batch
     WHERE tenant_id = ${tx.tenantId} AND module_id = ${moduleId} AND module IS NULL AND restored_at IS NULL
       AND transaction = pg_current_xact_id()::text::bigint
     ORDER BY id DESC LIMIT 1`.execute(tx.sql);
  return rows[0]?.id ?? null;
}

/** A removal of entries; of a module with them where `module` is not null. */
export interface RemovedBatch {
  readonly id: string;
  readonly module_id: string;
  readonly module: Readonly<Record<string, unknown>> | null;
  readonly state: RemovedState | null;
  readonly restored_at: string | null;
  readonly restored_by: string | null;
}

const BATCH = sql`SELECT id, module_id, module, state, restored_at, restored_by FROM removed_batch`;

/** The removal, locked until the transaction ends; null: it is forgotten, or never was. */
export async function lockRemovedEntries(
  tx: TenantTx,
  moduleId: string,
  id: string,
  days: number,
): Promise<RemovedBatch | null> {
  const { rows } = await sql<RemovedBatch>`
    ${BATCH} WHERE tenant_id = ${tx.tenantId} AND id = ${id} AND module_id = ${moduleId} AND module IS NULL AND ${IS_KEPT(days)}
       FOR UPDATE`.execute(tx.sql);
  forgetRead(tx);
  return rows[0] ?? null;
}

/** {@link lockRemovedEntries} for the last deletion of the module. */
export async function lockRemovedModule(
  tx: TenantTx,
  moduleId: string,
  days: number,
): Promise<RemovedBatch | null> {
  const { rows } = await sql<RemovedBatch>`
    ${BATCH} WHERE tenant_id = ${tx.tenantId} AND module_id = ${moduleId} AND module IS NOT NULL AND ${IS_KEPT(days)}
      ORDER BY id DESC LIMIT 1 FOR UPDATE`.execute(tx.sql);
  forgetRead(tx);
  return rows[0] ?? null;
}

/** Up to a thousand entries of a removal. */
export interface RemovedChunk {
  readonly place: number;
  readonly kind: EntryType;
  readonly entry_count: number;
  /** Values of their communities, by id. */
  readonly communities: Readonly<Record<string, string>> | null;
}

export async function listRemovedChunks(tx: TenantTx, batchId: string): Promise<RemovedChunk[]> {
  const rows = await tx.sql
    .selectFrom('removed_chunk')
    .select(['place', 'kind', 'entry_count', 'communities'])
    .where('tenant_id', '=', tx.tenantId)
    .where('batch_id', '=', batchId)
    .orderBy('place')
    .execute();
  return rows as RemovedChunk[];
}

/** The keys of a removal's entries that have not expired, each as text. @param kind whose entries are prefixes */
export async function listRemovedKeys(
  tx: TenantTx,
  batchId: string,
  { kind, place }: RemovedChunk,
): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`
    SELECT ${ENTRY_TABLES[kind].name} AS key
      FROM removed_chunk c CROSS JOIN LATERAL json_populate_recordset(NULL::${sql.table(kind)}, c.entries) AS e
     WHERE c.tenant_id = ${tx.tenantId} AND c.batch_id = ${batchId} AND c.place = ${place}
       AND (e.expires_at IS NULL OR e.expires_at > clock_timestamp())
     ORDER BY e.id`.execute(tx.sql);
  return rows.map(({ key }) => key);
}

/** Forgets what was removed too long ago, or is more than a tenant may keep. */
export async function forgetRemoved(tx: TenantTx, days: number): Promise<void> {
  await sql`SELECT forget_removed(${tx.tenantId}, ${days})`.execute(tx.sql);
}
