/** A module as a refresh finds it, in one statement: it, its last good snapshot, and the edits that both hold, are of one moment. */
import { type RawBuilder, sql } from 'kysely';
import type { Module } from '../../api/lists/modules.ts';
import type { TenantTx } from '../database/database.ts';
import { presentModule, selectModules } from './modules.ts';
import { type GoodSnapshot, GOOD_SNAPSHOT, goodSnapshotOf } from './snapshots.ts';

export interface ModuleToCollect {
  readonly module: Module;
  /** Null: there is nothing. */
  readonly snapshot: GoodSnapshot | null;
  /** Edits that it has to be collected for. Whoever reads entries after this has them all. */
  readonly editIds: readonly number[];
  /** Prefixes that the tenant's modules were counted to have, this one among them. */
  readonly tenantPrefixes: number;
}

type KnownSettings = Readonly<Record<string, unknown>>;

/** Null: it was deleted. */
export async function findModuleToCollect(tx: TenantTx, id: string): Promise<ModuleToCollect | null> {
  return (await findWith(tx, id, sql<KnownSettings>`NULL::json`))?.found ?? null;
}

/** {@link findModuleToCollect}, and the tenant's settings. @param settings of a row of `module`, by key */
export function findWithSettings(
  tx: TenantTx,
  id: string,
  settings: RawBuilder<KnownSettings>,
): Promise<{ readonly found: ModuleToCollect; readonly settings: KnownSettings } | null> {
  return findWith(tx, id, settings);
}

async function findWith(tx: TenantTx, id: string, settingsOf: RawBuilder<KnownSettings>) {
  const row = await selectModules(tx)
    .select([
      GOOD_SNAPSHOT.as('snapshots'),
      settingsOf.as('settings'),
      sql<readonly number[]>`
        (SELECT coalesce(json_agg(p.id), '[]') FROM pending_change p
          WHERE p.tenant_id = module.tenant_id AND p.module_id = module.id AND p.needs_collect)`.as(
        'edit_ids',
      ),
      sql<number>`
        (SELECT coalesce(sum(other.prefix_count_ipv4 + other.prefix_count_ipv6), 0)::bigint FROM module other
          WHERE other.tenant_id = module.tenant_id)`.as('tenant_prefixes'),
    ])
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { snapshots, edit_ids: editIds, tenant_prefixes: tenantPrefixes, settings, ...module } = row;
  const found: ModuleToCollect = {
    module: presentModule(module),
    snapshot: goodSnapshotOf(snapshots),
    ...{ editIds, tenantPrefixes },
  };
  return { found, settings };
}
