import type { Module } from '../api/modules.ts';
import type { TenantTx } from './database.ts';

/** An enabled module that has a snapshot. */
export interface ModuleInput {
  readonly id: string;
  readonly purpose: Module['purpose'];
  readonly families: Module['families'];
  readonly community_id: string | null;
  readonly content_hash: string;
}

export interface EntryInput {
  readonly enabled: boolean;
  readonly community_id: string | null;
}

export async function listModuleInputs(tx: TenantTx): Promise<ModuleInput[]> {
  const rows = await tx.sql
    .selectFrom('module')
    .innerJoin('snapshot', (join) =>
      join.onRef('snapshot.tenant_id', '=', 'module.tenant_id').onRef('snapshot.module_id', '=', 'module.id'),
    )
    .select([
      'module.id',
      'module.purpose',
      'module.families',
      'module.community_id',
      'snapshot.content_hash',
    ])
    .where('module.tenant_id', '=', tx.tenantId)
    .where('module.enabled', '=', true)
    .orderBy('module.id')
    .execute();
  return rows.map((row) => ({ ...row, content_hash: row.content_hash.toString('hex') }));
}

/** The module's entries of every kind, by id. */
export async function listEntryInputs(tx: TenantTx, moduleId: string): Promise<Map<string, EntryInput>> {
  const entries = (table: 'cdn_source' | 'as_entry' | 'ip_range_entry') =>
    tx.sql
      .selectFrom(table)
      .select(['id', 'enabled', 'community_id'])
      .where('tenant_id', '=', tx.tenantId)
      .where('module_id', '=', moduleId);
  const rows = await entries('cdn_source')
    .unionAll(entries('as_entry'))
    .unionAll(entries('ip_range_entry'))
    .execute();
  return new Map(rows.map(({ id, ...entry }) => [id, entry]));
}
