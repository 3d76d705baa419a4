import { sql } from 'kysely';
import { SETTINGS, type Settings } from '../api/settings.ts';
import { unknownReference } from './constraint-problem.ts';
import type { TenantTx } from './database.ts';

export async function getSetting<K extends keyof Settings>(tx: TenantTx, key: K): Promise<Settings[K]> {
  const row = await tx.sql
    .selectFrom('setting')
    .select('value')
    .where('tenant_id', '=', tx.tenantId)
    .where('key', '=', key)
    .executeTakeFirst();
  return (row === undefined ? SETTINGS[key].default : row.value) as Settings[K];
}

/**
 * @param value null: back to the default
 * @throws {Problem} `validation_failed` when the community to be the default does not exist
 */
export async function putSetting<K extends keyof Settings>(
  tx: TenantTx,
  key: K,
  value: Settings[K] | null,
): Promise<void> {
  if (value === null) {
    await tx.sql.deleteFrom('setting').where('tenant_id', '=', tx.tenantId).where('key', '=', key).execute();
    return;
  }
  if (key === 'default_community_id') await requireCommunity(tx, String(value));
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

/** Locks it too, so that it is not deleted before the setting is in. */
async function requireCommunity(tx: TenantTx, id: string): Promise<void> {
  const row = await tx.sql
    .selectFrom('community')
    .select('id')
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', id)
    .forKeyShare()
    .executeTakeFirst();
  if (row === undefined) throw unknownReference('community_id', id, '/default_community_id');
}
