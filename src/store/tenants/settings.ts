import { type RawBuilder, sql } from 'kysely';
import {
  SETTINGS,
  type SettingKey,
  type Settings,
  type SettingsPatch,
} from '../../api/operation/settings.ts';
import { unknownReference } from '../database/constraint-problem.ts';
import type { TenantTx } from '../database/database.ts';
import { lockTenant } from '../database/locks.ts';
import { forgetRead, noteRead, readOnce } from '../database/read-once.ts';

/** Every known key: a transaction that needs one mostly needs others. */
const KNOWN = Object.keys(SETTINGS);
const MEMO = 'settings';

export async function getSetting<K extends SettingKey>(tx: TenantTx, key: K): Promise<Settings[K]> {
  return (await getSettings(tx, [key]))[key];
}

/** Several at once. A transaction reads them once, until it {@link forgetSettings | forgets} them. */
export async function getSettings<K extends SettingKey>(
  tx: TenantTx,
  keys: readonly K[],
): Promise<Pick<Settings, K>> {
  const set = await readOnce(tx, MEMO, () => readKnown(tx));
  const values = keys.map((key) => [key, set.has(key) ? set.get(key) : SETTINGS[key].default]);
  return Object.fromEntries(values) as Pick<Settings, K>;
}

async function readKnown(tx: TenantTx): Promise<ReadonlyMap<string, unknown>> {
  const { rows } = await sql<{ key: string; value: unknown }>`
    SELECT key, value FROM setting WHERE tenant_id = ${tx.tenantId} AND key = ANY (${KNOWN}::text[])`.execute(
    tx.sql,
  );
  return new Map(rows.map(({ key, value }) => [key, value]));
}

/** The known settings by key, for a statement that reads more: of a row of `tenant`, and of `module`. */
export const SETTINGS_OF_TENANT = settingsOf(sql`tenant.id`);
export const SETTINGS_BESIDE_MODULE = settingsOf(sql`module.tenant_id`);

function settingsOf(tenantId: RawBuilder<unknown>): RawBuilder<Readonly<Record<string, unknown>>> {
  return sql`
    (SELECT coalesce(json_object_agg(key, value), '{}') FROM setting
      WHERE tenant_id = ${tenantId} AND key = ANY (${KNOWN}::text[]))`;
}

/** The transaction has read its settings, and need not again. @param set as {@link SETTINGS_OF_TENANT} */
export function noteSettings(tx: TenantTx, set: Readonly<Record<string, unknown>>): void {
  noteRead(tx, MEMO, new Map(Object.entries(set)));
}

/** What is read from here on is what others have committed by now. */
export function forgetSettings(tx: TenantTx): void {
  forgetRead(tx, MEMO);
}

/** Every key that the tenant has set, the known ones and its own, by key. */
export async function listSettings(tx: TenantTx): Promise<Record<string, unknown>> {
  const rows = await tx.sql
    .selectFrom('setting')
    .select(['key', 'value'])
    .where('tenant_id', '=', tx.tenantId)
    .orderBy('key')
    .execute();
  return Object.fromEntries(rows.map(({ key, value }) => [key, value]));
}

/**
 * Waits until nobody else changes the settings. What a freeze stopped goes on with its end, and whoever builds a revision comes before or
 * after that as a whole: so that lock is taken too, and first, as everybody does who takes both.
 */
export async function lockSettings(
  tx: TenantTx,
  { deploy_freeze: freeze }: Pick<SettingsPatch, 'deploy_freeze'>,
): Promise<void> {
  if (freeze !== undefined) await lockTenant(tx, 'revision');
  await lockTenant(tx, 'settings');
}

/**
 * @param values by key; null: back to the default, or away
 * @throws {Problem} `validation_failed` when the community to be the default does not exist
 */
export async function putSettings(tx: TenantTx, values: Readonly<Record<string, unknown>>): Promise<void> {
  await countChange(tx);
  forgetSettings(tx);
  const { default_community_id: community } = values;
  if (typeof community === 'string') await requireCommunity(tx, community);
  const gone = Object.keys(values).filter((key) => values[key] === null);
  const set = Object.keys(values).filter((key) => values[key] !== null && values[key] !== undefined);
  if (gone.length > 0)
    await tx.sql
      .deleteFrom('setting')
      .where('tenant_id', '=', tx.tenantId)
      .where('key', 'in', gone)
      .execute();
  if (set.length === 0) return;
  await tx.sql
    .insertInto('setting')
    .values(set.map((key) => ({ tenant_id: tx.tenantId, key, value: JSON.stringify(values[key]) })))
    .onConflict((conflict) =>
      conflict.columns(['tenant_id', 'key']).doUpdateSet((eb) => ({
        value: eb.ref('excluded.value'),
        updated_at: sql<string>`now()`,
      })),
    )
    .execute();
}

/** How often the settings were changed. Read it before them, so that old values are never taken for the newest. */
export async function readSettingsVersion(tx: TenantTx): Promise<number> {
  const row = await tx.sql
    .selectFrom('settings_version')
    .select('version')
    .where('tenant_id', '=', tx.tenantId)
    .executeTakeFirst();
  return row?.version ?? 0;
}

async function countChange(tx: TenantTx): Promise<void> {
  await tx.sql
    .insertInto('settings_version')
    .values({ tenant_id: tx.tenantId, version: 1 })
    .onConflict((conflict) =>
      conflict.column('tenant_id').doUpdateSet({ version: sql<number>`settings_version.version + 1` }),
    )
    .execute();
}

/** Locks it too, so that it is not deleted before the setting is written. */
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
