import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type {
  DohProfile,
  DohProfileCreate,
  DohProfilePatch,
  DohProfileQuery,
} from '../../api/lists/doh-profiles.ts';
import type { Page } from '../../api/shapes/page.ts';
import { Problem } from '../../api/problems/problem.ts';
import { mapConstraintErrors } from '../database/constraint-problem.ts';
import type { TenantTx, Versioned } from '../database/database.ts';
import { containing, readPage } from '../database/pagination.ts';
import { type OpenedHeaders, openHeaders, sealHeaders, sealMergedHeaders } from '../sealed-headers.ts';
import type { SecretBox } from '../secrets.ts';
import { found, lockForChange, nextVersion, versioned } from '../versions.ts';

const COLUMNS = [
  'id',
  'created_at',
  'updated_at',
  'name',
  'url',
  'method',
  'bootstrap_addresses',
  'client_subnet',
  'timeout_ms',
  'enabled',
  'header_names',
  'version',
] as const;

function select(tx: TenantTx) {
  return tx.sql.selectFrom('doh_profile').select(COLUMNS).where('tenant_id', '=', tx.tenantId);
}

type Row = Awaited<ReturnType<ReturnType<typeof select>['executeTakeFirstOrThrow']>>;

function present({ version: _, header_names: names, ...profile }: Row): DohProfile {
  return { ...profile, headers: Object.fromEntries(names.map((name) => [name, null])) };
}

export function listDohProfiles(tx: TenantTx, query: DohProfileQuery): Promise<Page<DohProfile>> {
  const { enabled, q } = query;
  const fetch = (after: string, limit: number) =>
    select(tx)
      .$if(enabled !== undefined, (rows) => rows.where('enabled', '=', enabled!))
      .$if(q !== undefined, (rows) =>
        rows.where((eb) => eb.or([eb('name', 'ilike', containing(q!)), eb('url', 'ilike', containing(q!))])),
      )
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute();
  return readPage(tx, 'doh-profiles', query, fetch, present);
}

export async function getDohProfile(tx: TenantTx, id: string): Promise<Versioned<DohProfile>> {
  const row = await select(tx).where('id', '=', id).executeTakeFirst();
  return found('doh_profile', id, row === undefined ? null : versioned(row, present));
}

export async function insertDohProfile(
  tx: TenantTx,
  secrets: SecretBox,
  body: DohProfileCreate & { readonly name: string },
): Promise<Versioned<DohProfile>> {
  const id = uuidv7();
  const { headers = {}, ...values } = body;
  const insert = tx.sql
    .insertInto('doh_profile')
    .values({
      tenant_id: tx.tenantId,
      id,
      ...values,
      ...sealHeaders(tx, secrets, { table: 'doh_profile', id }, headers),
    })
    .returning(COLUMNS);
  return versioned(await mapConstraintErrors('doh_profile', body, insert.executeTakeFirstOrThrow()), present);
}

export async function updateDohProfile(
  tx: TenantTx,
  secrets: SecretBox,
  id: string,
  patch: DohProfilePatch,
  version: number | null,
): Promise<Versioned<DohProfile>> {
  await lockForChange(tx, 'doh_profile', id, version);
  const { headers, ...values } = patch;
  const sealed = await sealMergedHeaders(tx, secrets, { table: 'doh_profile', id }, headers);
  const update = tx.sql
    .updateTable('doh_profile')
    .set({ ...values, ...sealed, ...nextVersion })
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', id)
    .returning(COLUMNS);
  return versioned(
    await mapConstraintErrors('doh_profile', patch, update.executeTakeFirstOrThrow()),
    present,
  );
}

/** @throws {Problem} `in_use`, naming the modules that still ask it */
export async function deleteDohProfile(tx: TenantTx, id: string, version: number | null): Promise<void> {
  await lockForChange(tx, 'doh_profile', id, version);
  const modules = await tx.sql
    .selectFrom('module')
    .select('name')
    .where('tenant_id', '=', tx.tenantId)
    .where(sql<boolean>`doh_profile_ids <> '{}' AND ${id}::uuid = ANY (doh_profile_ids)`)
    .orderBy('id')
    .execute();
  if (modules.length > 0) {
    const shown = modules.slice(0, 5).map(({ name }) => `the module ${name}`);
    const rest = modules.length > 5 ? ` and ${modules.length - 5} more` : '';
    throw new Problem(
      'in_use',
      `The DoH profile is used by ${shown.join(', ')}${rest}. Take it out of their doh_profile_ids first.`,
    );
  }
  await tx.sql.deleteFrom('doh_profile').where('tenant_id', '=', tx.tenantId).where('id', '=', id).execute();
}

/** Those of the ids that belong to no profile. The others cannot be deleted until the transaction ends. */
export async function findUnknownDohProfiles(tx: TenantTx, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM doh_profile
     WHERE tenant_id = ${tx.tenantId} AND id = ANY (${ids}::uuid[]) ORDER BY id FOR KEY SHARE`.execute(
    tx.sql,
  );
  const known = new Set(rows.map(({ id }) => id));
  return ids.filter((id) => !known.has(id.toLowerCase()));
}

/** The id of every profile by its name; none of them can be deleted until the transaction ends. */
export async function listNamesOfProfiles(tx: TenantTx): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ id: string; name: string }>`
    SELECT id, name FROM doh_profile WHERE tenant_id = ${tx.tenantId} ORDER BY id FOR KEY SHARE`.execute(
    tx.sql,
  );
  return new Map(rows.map(({ id, name }) => [name, id]));
}

/** What asking a resolver needs, the values of its headers in clear. */
export type ProfileToAsk = Omit<DohProfile, 'headers' | 'created_at' | 'updated_at' | 'enabled'> &
  OpenedHeaders;

/** The profiles of these ids in their order; those disabled are left out unless wanted. */
export async function listProfilesToAsk(
  tx: TenantTx,
  secrets: SecretBox,
  ids: readonly string[],
  { withDisabled = false } = {},
): Promise<ProfileToAsk[]> {
  if (ids.length === 0) return [];
  const rows = await tx.sql
    .selectFrom('doh_profile')
    .select(['id', 'name', 'url', 'method', 'bootstrap_addresses', 'client_subnet', 'timeout_ms'])
    .select(['enabled', 'headers_sealed'])
    .where('tenant_id', '=', tx.tenantId)
    .where('id', 'in', ids)
    .execute();
  return rows
    .filter(({ enabled }) => enabled || withDisabled)
    .sort((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id))
    .map(({ enabled: _, headers_sealed: sealed, ...profile }) => ({
      ...profile,
      ...openHeaders(tx, secrets, { table: 'doh_profile', id: profile.id }, sealed),
    }));
}
