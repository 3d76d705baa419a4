import { sql } from 'kysely';
import type { TenantTx } from './database.ts';

/** Settings that something reads, with what holds when a tenant has not set them. */
export interface Settings {
  /** Community of modules that have none of their own; null: their routes carry none. */
  readonly default_community_id: string | null;
  /** A refresh that changed the content queues an apply. */
  readonly auto_apply: boolean;
  /** Special-purpose addresses from a source: dropped, or allowed. */
  readonly guard_bogons: 'drop' | 'allow';
  /** Every route also carries NO_EXPORT (RFC 1997). */
  readonly guard_no_export: boolean;
}

const DEFAULTS: Settings = {
  default_community_id: null,
  auto_apply: true,
  guard_bogons: 'drop',
  guard_no_export: true,
};

export async function getSetting<K extends keyof Settings>(tx: TenantTx, key: K): Promise<Settings[K]> {
  const row = await tx.sql
    .selectFrom('setting')
    .select('value')
    .where('tenant_id', '=', tx.tenantId)
    .where('key', '=', key)
    .executeTakeFirst();
  return row === undefined ? DEFAULTS[key] : (row.value as Settings[K]);
}

/** @param value null: back to the default */
export async function putSetting<K extends keyof Settings>(
  tx: TenantTx,
  key: K,
  value: Settings[K] | null,
): Promise<void> {
  if (value === null) {
    await tx.sql.deleteFrom('setting').where('tenant_id', '=', tx.tenantId).where('key', '=', key).execute();
    return;
  }
  await tx.sql
    .insertInto('setting')
    .values({ tenant_id: tx.tenantId, key, value: JSON.stringify(value) })
    .onConflict((conflict) =>
      conflict
        .columns(['tenant_id', 'key'])
        .doUpdateSet({ value: JSON.stringify(value), updated_at: sql<string>`now()` }),
    )
    .execute();
}
