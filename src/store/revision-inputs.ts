import { sql } from 'kysely';
import type { Module } from '../api/modules.ts';
import type { PrefixCount } from '../api/page.ts';
import type { TenantTx } from './database.ts';

/** An enabled module that has a snapshot. */
export interface ModuleInput {
  readonly id: string;
  readonly purpose: Module['purpose'];
  readonly families: Module['families'];
  readonly community_id: string | null;
  /** Of the snapshot, and how many prefixes that holds. */
  readonly content_hash: string;
  readonly prefix_count: PrefixCount;
  /** Of the list of entries that contributed to the snapshot; null: nothing of it changes by itself. */
  readonly entries_hash: string | null;
}

/** The snapshot that a module is about to have. */
export interface NextSnapshot {
  readonly moduleId: string;
  readonly contentHash: string;
  readonly prefixCount: PrefixCount;
  readonly entriesHash: string | null;
}

/** What the tenant's next revision is made of, or would be if the one module had its next snapshot already. */
export async function listModuleInputs(tx: TenantTx, next?: NextSnapshot): Promise<ModuleInput[]> {
  const rows = await tx.sql
    .selectFrom('module')
    .leftJoin('snapshot', (join) =>
      join.onRef('snapshot.tenant_id', '=', 'module.tenant_id').onRef('snapshot.module_id', '=', 'module.id'),
    )
    .leftJoin('content', (join) =>
      join
        .onRef('content.tenant_id', '=', 'snapshot.tenant_id')
        .onRef('content.content_hash', '=', 'snapshot.content_hash'),
    )
    .select(['module.id', 'module.purpose', 'module.families', 'module.community_id'])
    .select(['snapshot.content_hash', 'snapshot.entries_hash'])
    .select(['content.prefix_count_ipv4', 'content.prefix_count_ipv6'])
    .where('module.tenant_id', '=', tx.tenantId)
    .where('module.enabled', '=', true)
    .orderBy('module.id')
    .execute();
  return rows.flatMap(({ content_hash, entries_hash, prefix_count_ipv4, prefix_count_ipv6, ...module }) => {
    if (module.id === next?.moduleId) {
      const { contentHash, prefixCount, entriesHash } = next;
      return { ...module, content_hash: contentHash, prefix_count: prefixCount, entries_hash: entriesHash };
    }
    if (content_hash === null) return [];
    return {
      ...module,
      content_hash: content_hash.toString('hex'),
      prefix_count: { ipv4: prefix_count_ipv4 ?? 0, ipv6: prefix_count_ipv6 ?? 0 },
      entries_hash: entries_hash?.toString('hex') ?? null,
    };
  });
}

/** The enabled entries of a module, of every kind, that have the same community of their own, if any. */
export interface EntryInput {
  readonly module_id: string;
  readonly community_id: string | null;
  /** In ascending order, separated by commas: a hundred thousand entries are one value, and are compared as one. */
  readonly entry_ids: string;
}

/** The enabled entries of all enabled modules. */
export async function listEntryInputs(tx: TenantTx): Promise<EntryInput[]> {
  const entries = (table: 'cdn_source' | 'as_entry' | 'domain_entry' | 'ip_range_entry') =>
    tx.sql
      .selectFrom(table)
      .select(['id', 'module_id', 'community_id'])
      .where('tenant_id', '=', tx.tenantId)
      .where('enabled', '=', true);
  return tx.sql
    .selectFrom(
      entries('cdn_source')
        .unionAll(entries('as_entry'))
        .unionAll(entries('domain_entry'))
        .unionAll(entries('ip_range_entry'))
        .as('entry'),
    )
    .innerJoin('module', 'module.id', 'entry.module_id')
    .select(['entry.module_id', 'entry.community_id'])
    .select(sql<string>`string_agg(entry.id::text, ',' ORDER BY entry.id)`.as('entry_ids'))
    .where('module.tenant_id', '=', tx.tenantId)
    .where('module.enabled', '=', true)
    .groupBy(['entry.module_id', 'entry.community_id'])
    .orderBy('entry.module_id')
    .orderBy('entry.community_id')
    .execute();
}
