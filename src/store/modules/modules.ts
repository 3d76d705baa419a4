import { type RawBuilder, sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { COLLECTED_TYPES, type CollectedType } from '../../api/entries/entry-kinds.ts';
import type { Module, ModuleCreate, ModulePatch, ModuleQuery } from '../../api/lists/modules.ts';
import { notFound } from '../../api/problems/problem.ts';
import { joinRollbacks } from '../../api/revisions/joined-rollbacks.ts';
import type { Page, PrefixCount } from '../../api/shapes/page.ts';
import type { Family } from '../../core/address.ts';
import { INLINE_ROWS } from '../contents/read-table.ts';
import { mapConstraintErrors } from '../database/constraint-problem.ts';
import type { TenantTx, Versioned } from '../database/database.ts';
import { containing, fetchEach, readPage, valuesOf } from '../database/pagination.ts';
import { forgetRead, readOnce } from '../database/read-once.ts';
import { PLANNED_EACH_TIME } from '../database/session.ts';
import { found, lockForChange, nextVersion } from '../versions.ts';
import { requireUnreferenced } from '../references.ts';
import { addPendingOfHeld } from './pending-changes.ts';

const COLUMNS = [
  'id',
  'created_at',
  'updated_at',
  'name',
  'description',
  'purpose',
  'enabled',
  'community_id',
  'refresh_interval_seconds',
  'families',
  'can_be_empty',
  'doh_profile_ids',
  'doh_profile_id',
  'doh_resolver_policy',
  'type',
  'last_refreshed_at',
] as const;

// Triggers count (migrations/0030_counts.sql): a look at a million entries would take half a second.
const ENTRY_COUNT = sql<number>`
  (SELECT coalesce(sum(c.entries), 0)::bigint FROM module_entry_count c WHERE c.tenant_id = module.tenant_id AND c.module_id = module.id)`;

// At a disabled module nothing is pending but its own end.
const PENDING = sql`
  FROM pending_change p
 WHERE p.tenant_id = module.tenant_id AND p.module_id = module.id AND p.edits > 0 AND (p.needs_build OR module.enabled)`;
const PENDING_COUNT = sql<number>`(SELECT coalesce(sum(p.edits), 0)::int ${PENDING})`;
const PENDING_SINCE = sql<string | null>`(SELECT min(p.at) ${PENDING})`;

const HELD = sql<Module['held']>`held_of(module.tenant_id, module.id)`;

// A name that has no address any more, while what it had is still announced (migrations/0080_names_without_addresses.sql).
const LACKS_ADDRESSES = sql<boolean>`
  EXISTS (SELECT FROM domain_entry e
           WHERE e.tenant_id = module.tenant_id AND e.module_id = module.id AND e.enabled
             AND e.status = 'ok' AND e.last_error IS NOT NULL AND e.prefix_count_ipv4 + e.prefix_count_ipv6 > 0)`;

/** Sources that failed in it may have been removed or disabled since: nothing fails then that anybody could look after. */
const LAST_REFRESH = sql<Module['last_refresh']>`
  CASE WHEN last_refresh->>'status' <> 'ok' AND NOT (${sql.join([...COLLECTED_TYPES.map(fails), LACKS_ADDRESSES], sql` OR `)})
    THEN last_refresh || '{"status": "ok", "error": null}' ELSE last_refresh END`;

function fails(table: CollectedType): RawBuilder<boolean> {
  return sql<boolean>`
    EXISTS (SELECT FROM ${sql.table(table)} e
             WHERE e.tenant_id = module.tenant_id AND e.module_id = module.id AND e.status IN ('stale', 'failed') AND e.enabled)`;
}

/** Modules of the tenant, as {@link presentModule} takes them. */
export function selectModules(tx: TenantTx) {
  return tx.sql
    .selectFrom('module')
    .select([...COLUMNS, LAST_REFRESH.as('last_refresh'), 'next_refresh_at'])
    .select([
      ...(['prefix_count_ipv4', 'prefix_count_ipv6', 'version'] as const),
      ENTRY_COUNT.as('entry_count'),
      HELD.as('held'),
      PENDING_COUNT.as('pending_count'),
      PENDING_SINCE.as('pending_since'),
    ])
    .where('tenant_id', '=', tx.tenantId);
}

export type ModuleIdentity = Pick<Module, 'id' | 'name' | 'type' | 'purpose'>;

type Row = Awaited<ReturnType<ReturnType<typeof selectModules>['executeTakeFirstOrThrow']>>;

export function presentModule(row: Row): Module {
  const { version: _, pending_count: count, pending_since: since, ...rest } = row;
  const { prefix_count_ipv4: ipv4, prefix_count_ipv6: ipv6, ...module } = rest;
  const held = module.held && { ...module.held, findings: joinRollbacks(module.held.findings) };
  return { ...module, held, prefix_count: { ipv4, ipv6 }, pending_changes: { count, since } };
}

export function listModules(tx: TenantTx, query: ModuleQuery): Promise<Page<Module>> {
  const { enabled, purpose, community_id: community, q, sort } = query;
  const isDescending = sort === '-created_at';
  const isFiltered = [query.type, enabled, purpose, community, q].some((filter) => filter !== undefined);
  const fetchOne = (after: string, limit: number, type: Module['type'] | undefined) =>
    selectModules(tx)
      .$if(type !== undefined, (rows) => rows.where('type', '=', type!))
      .$if(enabled !== undefined, (rows) => rows.where('enabled', '=', enabled!))
      .$if(purpose !== undefined, (rows) => rows.where('purpose', '=', purpose!))
      .$if(community !== undefined, (rows) => rows.where('community_id', '=', community!))
      .$if(q !== undefined, (rows) =>
        // A subquery, which is evaluated once: the function itself might be evaluated for each row.
        rows.where(
          sql<boolean>`id = ANY((SELECT search_modules(${containing(q!)}, ${filterOf(query, type)}::jsonb, ${after}, ${isDescending}, ${limit}))::uuid[])`,
        ),
      )
      .where('id', isDescending ? '<' : '>', after)
      .orderBy('id', isDescending ? 'desc' : 'asc')
      .limit(limit)
      .$if(isFiltered, (rows) => rows.modifyEnd(PLANNED_EACH_TIME))
      .execute();
  const fetch = (after: string, limit: number) =>
    fetchEach(valuesOf(query.type), (type) => fetchOne(after, limit, type), { isDescending, limit });
  return readPage(tx, 'modules', query, fetch, presentModule);
}

/** What search_modules compares. */
function filterOf({ enabled, purpose, community_id }: ModuleQuery, type: Module['type'] | undefined): string {
  return JSON.stringify({ type, enabled, purpose, community_id });
}

async function find(tx: TenantTx, id: string): Promise<Versioned<Module> | null> {
  const row = await selectModules(tx).where('id', '=', id).executeTakeFirst();
  return row === undefined ? null : { resource: presentModule(row), version: row.version };
}

export async function findModule(tx: TenantTx, id: string): Promise<Module | null> {
  return (await find(tx, id))?.resource ?? null;
}

export async function getModule(tx: TenantTx, id: string): Promise<Versioned<Module>> {
  return found('module', id, await find(tx, id));
}

/** {@link getModule}, read once where nothing has changed in between: a route and its handler both ask. */
export function getModuleOnce(tx: TenantTx, id: string): Promise<Versioned<Module>> {
  return readOnce(tx, `module ${id}`, () => getModule(tx, id));
}

/** What a module is. To count its entries, as {@link getModule} does, takes longer than most of what is asked of them. @throws {Problem} `not_found` */
export async function identifyModule(tx: TenantTx, id: string): Promise<ModuleIdentity> {
  const row = await tx.sql
    .selectFrom('module')
    .select(['id', 'name', 'type', 'purpose'])
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined) throw notFound('module', id);
  return row;
}

/** The module that no other may be called like; null: the name is free. */
export async function findModuleNamed(
  tx: TenantTx,
  name: string,
): Promise<Pick<Module, 'id' | 'name'> | null> {
  const row = await tx.sql
    .selectFrom('module')
    .select(['id', 'name'])
    .where('tenant_id', '=', tx.tenantId)
    .where((eb) => eb.or([eb('name', '=', name), eb('name_key', '=', sql<string>`name_key(${name})`)]))
    .executeTakeFirst();
  return row ?? null;
}

/** The names of these modules, by id; those deleted since are missing. */
export async function findModuleNames(
  tx: TenantTx,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await tx.sql
    .selectFrom('module')
    .select(['id', 'name'])
    .where('tenant_id', '=', tx.tenantId)
    .where(sql<boolean>`id = ANY (${[...new Set(ids)]}::uuid[])`)
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** The name of every module, by id. */
export async function listModuleNames(tx: TenantTx): Promise<ReadonlyMap<string, string>> {
  const rows = await tx.sql
    .selectFrom('module')
    .select(['id', 'name'])
    .where('tenant_id', '=', tx.tenantId)
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

export async function insertModule(tx: TenantTx, body: ModuleCreate): Promise<Versioned<Module>> {
  const id = uuidv7();
  const insert = tx.sql.insertInto('module').values({
    tenant_id: tx.tenantId,
    id,
    ...columnsOf(body),
    name: body.name,
    type: body.type,
  });
  await mapConstraintErrors('module', body, insert.execute());
  return getModule(tx, id);
}

export async function updateModule(
  tx: TenantTx,
  id: string,
  patch: ModulePatch,
  version: number | null,
): Promise<Versioned<Module>> {
  await lockForChange(tx, 'module', id, version);
  const update = tx.sql
    .updateTable('module')
    .set({ ...columnsOf(patch), ...nextVersion })
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', id);
  await mapConstraintErrors('module', patch, update.execute());
  forgetRead(tx);
  return getModule(tx, id);
}

/** With its entries and its snapshot; revisions that were built from it stay. */
export async function deleteModule(tx: TenantTx, id: string, version: number | null): Promise<void> {
  await lockForChange(tx, 'module', id, version);
  await requireUnreferenced(tx, 'module_ids', id);
  await tx.sql.deleteFrom('module').where('tenant_id', '=', tx.tenantId).where('id', '=', id).execute();
  await addPendingOfHeld(tx, id);
}

/** Prefixes that the tenant's modules were counted to have. */
export async function countPrefixes(tx: TenantTx): Promise<number> {
  const row = await tx.sql
    .selectFrom('module')
    .select(sql<number>`coalesce(sum(prefix_count_ipv4 + prefix_count_ipv6), 0)::bigint`.as('prefixes'))
    .where('tenant_id', '=', tx.tenantId)
    .executeTakeFirstOrThrow();
  return row.prefixes;
}

/**
 * Adds a number of prefixes to what is counted of the module, or takes them out, as long as that is counted of this snapshot. It is no change
 * by an operator, so the version stays.
 */
export async function movePrefixCount(
  tx: TenantTx,
  id: string,
  { ipv4, ipv6 }: PrefixCount,
  contentHash: string,
): Promise<void> {
  await sql`
    UPDATE module
       SET prefix_count_ipv4 = greatest(prefix_count_ipv4 + ${ipv4}::int, 0),
           prefix_count_ipv6 = greatest(prefix_count_ipv6 + ${ipv6}::int, 0)
     WHERE tenant_id = ${tx.tenantId} AND id = ${id}
       AND EXISTS (SELECT FROM snapshot s
                    WHERE s.tenant_id = module.tenant_id AND s.module_id = module.id
                      AND s.content_hash = ${Buffer.from(contentHash, 'hex')})`.execute(tx.sql);
}

/** Whether edits count the rows of a snapshot that has so many; those of larger ones are counted with the next revision. */
export function isCountedAtOnce(rows: number): boolean {
  return rows <= INLINE_ROWS;
}

/** How many rows of a snapshot count; of a family that is not named it is not known. */
export interface SnapshotCount {
  readonly module_id: string;
  readonly content_hash: string;
  readonly rows: Readonly<Partial<Record<Family, number>>>;
}

/**
 * Writes down what is counted of modules where that is counted of their snapshots, and is another number. A module that somebody else is writing
 * is passed over: whoever holds the lock of revisions waits for no edit, and another one follows that.
 */
export async function correctPrefixCounts(tx: TenantTx, counts: readonly SnapshotCount[]): Promise<void> {
  if (counts.length === 0) return;
  const of = (family: Family): (number | null)[] => counts.map(({ rows }) => rows[family] ?? null);
  await sql`
    UPDATE module
       SET prefix_count_ipv4 = found.ipv4, prefix_count_ipv6 = found.ipv6
      FROM (SELECT m.id, coalesce(counted.ipv4, m.prefix_count_ipv4) AS ipv4,
                   coalesce(counted.ipv6, m.prefix_count_ipv6) AS ipv6
              FROM unnest(${counts.map(({ module_id: id }) => id)}::uuid[], ${of('ipv4')}::int[], ${of('ipv6')}::int[],
                          ${counts.map(({ content_hash: hash }) => hash)}::text[]) AS counted (id, ipv4, ipv6, hash)
              JOIN module m ON m.tenant_id = ${tx.tenantId} AND m.id = counted.id
              JOIN snapshot s ON s.tenant_id = m.tenant_id AND s.module_id = m.id AND s.content_hash = decode(counted.hash, 'hex')
             WHERE m.prefix_count_ipv4 <> counted.ipv4 OR m.prefix_count_ipv6 <> counted.ipv6
             ORDER BY m.id FOR UPDATE OF m SKIP LOCKED) AS found
     WHERE module.tenant_id = ${tx.tenantId} AND module.id = found.id`.execute(tx.sql);
}

/** Only the policy is stored as JSON; every other member is a column of its name. */
function columnsOf(body: ModulePatch) {
  const { doh_resolver_policy: policy, ...rest } = body;
  if (policy === undefined) return rest;
  return { ...rest, doh_resolver_policy: policy === null ? null : JSON.stringify(policy) };
}
