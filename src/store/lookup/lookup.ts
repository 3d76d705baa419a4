/** What a lookup reads: all of it as it stands now, so that an answer is never older than its request. */
import { sql, type RawBuilder } from 'kysely';
import { ENTRY_TYPES, isCollected, type EntryType } from '../../api/entries/entry-kinds.ts';
import type { Module } from '../../api/lists/modules.ts';
import type { Revision } from '../../api/revisions/revisions.ts';
import type { TenantTx } from '../database/database.ts';
import { ENTRY_TABLES } from '../database/entry-tables.ts';

export interface LookupModule extends Pick<
  Module,
  'id' | 'name' | 'type' | 'purpose' | 'community_id' | 'enabled' | 'families'
> {
  /** Of the last snapshot; null: never refreshed. */
  readonly content_hash: string | null;
  readonly collected_at: string | null;
  /** A guardrail holds what was collected last. */
  readonly is_held: boolean;
}

/** Every module, the disabled ones too. */
export async function listLookupModules(tx: TenantTx): Promise<LookupModule[]> {
  const rows = await tx.sql
    .selectFrom('module')
    .leftJoin('snapshot', (join) =>
      join.onRef('snapshot.tenant_id', '=', 'module.tenant_id').onRef('snapshot.module_id', '=', 'module.id'),
    )
    .select(['module.id', 'module.name', 'module.type', 'module.purpose', 'module.community_id'])
    .select(
      sql<boolean>`
        EXISTS (SELECT FROM held_snapshot held WHERE held.tenant_id = module.tenant_id AND held.module_id = module.id)
        OR EXISTS (SELECT FROM held_withdrawal held WHERE held.tenant_id = module.tenant_id AND held.module_id = module.id)`.as(
        'is_held',
      ),
    )
    .select(['module.enabled', 'module.families', 'snapshot.content_hash', 'snapshot.collected_at'])
    .where('module.tenant_id', '=', tx.tenantId)
    .orderBy('module.id')
    .execute();
  return rows.map((row) => ({ ...row, content_hash: row.content_hash?.toString('hex') ?? null }));
}

export interface LookupRange {
  readonly id: string;
  readonly module_id: string;
  readonly cidr: string;
  readonly community_ids: readonly string[];
  readonly expires_at: string | null;
  readonly enabled: boolean;
}

/**
 * The ranges that contain the address, the longest first. Asks for each of its 33 or 129 prefixes by name, module by module, which
 * the index of unique ranges answers; the operator for containment would read every range.
 * @param bits of the longest prefix that counts
 */
export async function findRangesAround(tx: TenantTx, address: string, bits: number): Promise<LookupRange[]> {
  const { rows } = await sql<LookupRange>`
    SELECT range.id, range.module_id, range.cidr::text AS cidr, range.community_ids, range.expires_at, range.enabled
      FROM module
      JOIN ip_range_entry range ON range.tenant_id = module.tenant_id AND range.module_id = module.id
     WHERE module.tenant_id = ${tx.tenantId} AND module.type = 'IP_RANGES'
       AND range.cidr = ANY (ARRAY(
             SELECT network(set_masklen(${address}::inet, length)) FROM generate_series(0, ${bits}::int) length))
     ORDER BY range.module_id, masklen(range.cidr) DESC`.execute(tx.sql);
  return rows;
}

/** The ranges inside the prefix, in canonical form, by module and address; at most `most` of all modules. */
export async function findRangesInside(tx: TenantTx, prefix: string, most: number): Promise<LookupRange[]> {
  // Comparisons, which row level security passes on to the index.
  const { rows } = await sql<LookupRange>`
    SELECT range.id, range.module_id, range.cidr::text AS cidr, range.community_ids, range.expires_at, range.enabled
      FROM module
      JOIN ip_range_entry range ON range.tenant_id = module.tenant_id AND range.module_id = module.id
     WHERE module.tenant_id = ${tx.tenantId} AND module.type = 'IP_RANGES'
       AND range.cidr > ${prefix}::cidr AND range.cidr <= set_masklen(broadcast(${prefix}::inet), ${prefix.includes(':') ? 128 : 32})::cidr
     ORDER BY range.module_id, range.cidr LIMIT ${most}`.execute(tx.sql);
  return rows;
}

export interface LookupDomain {
  readonly id: string;
  readonly module_id: string;
  readonly domain: string;
  readonly community_ids: readonly string[];
  readonly expires_at: string | null;
  readonly enabled: boolean;
  readonly last_refreshed_at: string | null;
}

/** The entries of this name, in canonical form, by module. */
export function findDomainsNamed(tx: TenantTx, domain: string): Promise<LookupDomain[]> {
  return tx.sql
    .selectFrom('domain_entry')
    .select(['id', 'module_id', 'domain', 'community_ids', 'expires_at', 'enabled', 'last_refreshed_at'])
    .where('tenant_id', '=', tx.tenantId)
    .where('domain', '=', domain)
    .orderBy('module_id')
    .execute();
}

export interface LookupEntry {
  readonly id: string;
  readonly module_id: string;
  readonly kind: EntryType;
  readonly value: string;
  readonly community_ids: readonly string[];
  readonly expires_at: string | null;
  readonly enabled: boolean;
  /** When the entry itself was last read; null for what is not read from anywhere. */
  readonly last_refreshed_at: string | null;
}

/** The entries of these ids, of every kind, by id; those deleted since are missing. */
export async function findLookupEntries(
  tx: TenantTx,
  ids: readonly string[],
): Promise<Map<string, LookupEntry>> {
  if (ids.length === 0) return new Map();
  const { rows } = await entriesWhere(sql`tenant_id = ${tx.tenantId} AND id = ANY (${ids}::uuid[])`).execute(
    tx.sql,
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** Every entry of the tenant by id; null when they are more than `limit`. */
export async function listLookupEntries(
  tx: TenantTx,
  limit: number,
): Promise<Map<string, LookupEntry> | null> {
  const { used } = await tx.sql
    .selectFrom('tenant_entry_count')
    .select(({ fn }) => fn.coalesce(fn.sum<number>('entries'), sql<number>`0`).as('used'))
    .where('tenant_id', '=', tx.tenantId)
    .executeTakeFirstOrThrow();
  if (Number(used) > limit) return null;
  const { rows } = await sql<LookupEntry>`
    ${entriesWhere(sql`tenant_id = ${tx.tenantId}`)} LIMIT ${limit + 1}`.execute(tx.sql);
  return rows.length > limit ? null : new Map(rows.map((row) => [row.id, row]));
}

/** The entries of every kind that these conditions leave. */
export function entriesWhere(wanted: RawBuilder<unknown>): RawBuilder<LookupEntry> {
  const selects = ENTRY_TYPES.map((table) => {
    const { value } = ENTRY_TABLES[table];
    const refreshed = isCollected(table) ? sql`last_refreshed_at` : sql`NULL::timestamptz`;
    return sql`
    SELECT id, module_id, ${sql.lit(table)} AS kind, ${value} AS value, community_ids, expires_at, enabled, ${refreshed} AS last_refreshed_at
      FROM ${sql.table(table)} WHERE ${wanted}`;
  });
  return sql<LookupEntry>`${sql.join(selects, sql` UNION ALL `)}`;
}

/** A revision that speakers announce now. */
export interface LiveRevision {
  readonly id: string;
  readonly number: number;
  readonly content_hash: string;
  readonly communities: Revision['communities'];
  readonly speaker_ids: readonly string[];
}

/** What the enabled speakers run, the newest first. */
export async function listLiveRevisions(tx: TenantTx): Promise<LiveRevision[]> {
  const { rows } = await sql<Omit<LiveRevision, 'content_hash'> & { content_hash: Buffer }>`
    SELECT revision.id, revision.number, revision.content_hash, revision.communities,
           array_agg(speaker.id::text ORDER BY speaker.id) AS speaker_ids
      FROM speaker
      JOIN revision ON revision.tenant_id = speaker.tenant_id AND revision.id = speaker.applied_revision_id
     WHERE speaker.tenant_id = ${tx.tenantId} AND speaker.enabled AND revision.content_hash IS NOT NULL
     GROUP BY revision.tenant_id, revision.id
     ORDER BY revision.number DESC`.execute(tx.sql);
  return rows.map((row) => ({ ...row, content_hash: row.content_hash.toString('hex') }));
}
