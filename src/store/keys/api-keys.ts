import { sql, type RawBuilder } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type { ApiKey, ApiKeyCreate, ApiKeyPatch, ApiKeyQuery } from '../../api/access/api-keys.ts';
import type { Page } from '../../api/shapes/page.ts';
import type { Role } from '../../api/access/permissions.ts';
import type { Tenant } from '../../api/access/tenants.ts';
import { writeTime } from '../database/column-types.ts';
import { mapConstraintErrors } from '../database/constraint-problem.ts';
import { secondsUntil } from '../database/database-clock.ts';
import type { SystemTx, TenantTx, Versioned } from '../database/database.ts';
import { containing, readPage } from '../database/pagination.ts';
import { found, lockForChange, nextVersion, versioned } from '../versions.ts';
import { forgetEnded } from './ended-keys.ts';
import { noteUse } from './last-use.ts';

const COLUMNS = [
  'id',
  'created_at',
  'updated_at',
  'name',
  'expires_at',
  'role',
  'prefix',
  'last_used_at',
  'previous_valid_until',
  'revoked_at',
  'created_by',
  'speaker_id',
  'firewall_client_id',
  'version',
] as const;

type ApiKeyRow = ApiKey & { readonly version: number };

function present({ version: _, ...key }: ApiKeyRow): ApiKey {
  return key;
}

function select(tx: TenantTx) {
  return tx.sql.selectFrom('api_key').select(COLUMNS).where('tenant_id', '=', tx.tenantId);
}

export function listApiKeys(tx: TenantTx, query: ApiKeyQuery): Promise<Page<ApiKey>> {
  const { role, q } = query;
  const fetch = (after: string, limit: number) =>
    select(tx)
      .$if(role !== undefined, (keys) => keys.where('role', '=', role!))
      .$if(q !== undefined, (keys) => keys.where('name', 'ilike', containing(q!)))
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute();
  return readPage(tx, 'api-keys', query, fetch, present);
}

export async function getApiKey(tx: TenantTx, id: string): Promise<Versioned<ApiKey>> {
  const row = await select(tx).where('id', '=', id).executeTakeFirst();
  return found('api_key', id, row === undefined ? null : versioned(row, present));
}

export interface NewApiKey extends ApiKeyCreate {
  readonly prefix: string;
  readonly secret_hash: Buffer;
  readonly created_by: string | null;
  /** Of a key of the role node: whose node it is. */
  readonly speaker_id?: string;
  /** Of a key of the role firewall: whose it is. */
  readonly firewall_client_id?: string;
}

export async function insertApiKey(tx: TenantTx, body: NewApiKey): Promise<Versioned<ApiKey>> {
  const { name, role, prefix, secret_hash, created_by } = body;
  const { speaker_id = null, firewall_client_id = null } = body;
  const expires_at = writeExpiry(body.expires_at ?? null);
  const described = {
    name,
    role,
    expires_at,
    prefix,
    secret_hash,
    created_by,
    speaker_id,
    firewall_client_id,
  };
  const insert = tx.sql
    .insertInto('api_key')
    .values({ tenant_id: tx.tenantId, id: uuidv7(), ...described })
    .returning(COLUMNS);
  const row = await mapConstraintErrors('api_key', { name }, insert.executeTakeFirstOrThrow());
  await forgetEnded(tx, 'api_key');
  return versioned(row, present);
}

function writeExpiry(time: string | null): string | null {
  return time === null ? null : writeTime(time);
}

export async function updateApiKey(
  tx: TenantTx,
  id: string,
  { name, expires_at }: ApiKeyPatch,
  version: number | null,
): Promise<Versioned<ApiKey>> {
  await lockForChange(tx, 'api_key', id, version);
  return change(tx, id, {
    ...(name === undefined ? {} : { name }),
    ...(expires_at === undefined ? {} : { expires_at: writeExpiry(expires_at) }),
  });
}

/** The key stops working and stays listed. Revoking it again changes nothing. */
export async function revokeApiKey(
  tx: TenantTx,
  id: string,
  version: number | null,
): Promise<Versioned<ApiKey>> {
  await lockForChange(tx, 'api_key', id, version);
  return change(tx, id, { revoked_at: sql<string>`coalesce(revoked_at, now())` });
}

/** Revokes every key of the speaker's node. */
export async function revokeNodeKeys(tx: TenantTx, speakerId: string): Promise<void> {
  await tx.sql
    .updateTable('api_key')
    .set({ revoked_at: sql<string>`now()`, ...nextVersion })
    .where('tenant_id', '=', tx.tenantId)
    .where('speaker_id', '=', speakerId)
    .where('revoked_at', 'is', null)
    .execute();
}

/** Revokes every key of the firewall client. */
export async function revokeFirewallKeys(tx: TenantTx, clientId: string): Promise<void> {
  await tx.sql
    .updateTable('api_key')
    .set({ revoked_at: sql<string>`now()`, ...nextVersion })
    .where('tenant_id', '=', tx.tenantId)
    .where('firewall_client_id', '=', clientId)
    .where('revoked_at', 'is', null)
    .execute();
}

/** What a rotation writes. */
export interface NewSecret {
  readonly prefix: string;
  readonly secret_hash: Buffer;
  /** How long the old secret works beside the new one; 0: no longer. */
  readonly graceSeconds: number;
}

/** Replaces the key's secret. Only the last of its earlier secrets can have a grace period. */
export async function replaceSecret(
  tx: TenantTx,
  id: string,
  { prefix, secret_hash, graceSeconds }: NewSecret,
): Promise<Versioned<ApiKey>> {
  return change(tx, id, {
    prefix,
    secret_hash,
    // Kept even without grace, to explain the refusal to clients that still use it.
    previous_secret_hash: sql.ref('secret_hash'),
    previous_valid_until: sql<string>`now() + make_interval(secs => ${graceSeconds})`,
  });
}

/** Whether another key of the role works permanently: neither revoked nor about to expire. */
export async function hasOtherLastingKey(tx: TenantTx, role: Role, id: string): Promise<boolean> {
  const other = await tx.sql
    .selectFrom('api_key')
    .select('id')
    .where('tenant_id', '=', tx.tenantId)
    .where('role', '=', role)
    .where('revoked_at', 'is', null)
    .where('expires_at', 'is', null)
    .where('id', '<>', id)
    .limit(1)
    .executeTakeFirst();
  return other !== undefined;
}

async function change(tx: TenantTx, id: string, values: object): Promise<Versioned<ApiKey>> {
  const row = await tx.sql
    .updateTable('api_key')
    .set({ ...values, ...nextVersion })
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', id)
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
  return versioned(row, present);
}

/** The owner of a key. */
export interface AuthenticatedKey {
  readonly tenant: Pick<Tenant, 'id' | 'slug' | 'name' | 'status'>;
  readonly key: Pick<ApiKey, 'id' | 'name' | 'prefix' | 'expires_at'>;
  /** Seconds from now until it expires, by the database's clock; null: never. */
  readonly expires_in: number | null;
  readonly role: Role;
  /** The speaker of a node's key; null: the key is not a node's. */
  readonly speaker: { readonly id: string; readonly name: string } | null;
  /** The client of a firewall client's key; null: the key is not one's. */
  readonly firewallClient: { readonly id: string; readonly name: string } | null;
  /** A token that lets a node or firewall client enroll, once, and nothing else. */
  readonly isEnrollment: boolean;
  /** The browser session that was opened with the key; null: the key was used directly. */
  readonly browserSession: OpenBrowserSession | null;
}

export interface OpenBrowserSession {
  readonly id: string;
  readonly created_at: string;
  /** When it ends if it is not used until then. */
  readonly expires_at: string;
}

/**
 * The key with this hash, if it is neither revoked nor expired by the database's clock. Records its use, at most once a minute.
 */
export async function authenticateApiKey(tx: SystemTx, hash: Buffer): Promise<AuthenticatedKey | null> {
  const row = await selectWorkingKeys(tx)
    .where(isSecretOfKey(sql`${hash}`))
    .executeTakeFirst();
  if (row === undefined) return null;
  if (row.touch) await noteUse(tx, 'api_key', row.tenant_id, row.id);
  return toAuthenticatedKey(row);
}

/** Whether the hash is that of a secret with which the key `k` works now. */
export function isSecretOfKey(hash: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`(k.secret_hash = ${hash} OR (k.previous_secret_hash = ${hash} AND k.previous_valid_until > now()))`;
}

/** Keys, as `k`, that are neither revoked nor expired, each with its tenant and owner. */
export function selectWorkingKeys(tx: SystemTx) {
  return tx.sql
    .selectFrom('api_key as k')
    .innerJoin('tenant as t', 't.id', 'k.tenant_id')
    .leftJoin('speaker as s', (join) =>
      join.onRef('s.tenant_id', '=', 'k.tenant_id').onRef('s.id', '=', 'k.speaker_id'),
    )
    .leftJoin('firewall_client as f', (join) =>
      join.onRef('f.tenant_id', '=', 'k.tenant_id').onRef('f.id', '=', 'k.firewall_client_id'),
    )
    .select([
      'k.id',
      'k.name',
      'k.prefix',
      'k.expires_at',
      'k.role',
      's.id as speaker_id',
      's.name as speaker_name',
      'f.id as firewall_client_id',
      'f.name as firewall_client_name',
    ])
    .select(['t.id as tenant_id', 't.slug', 't.name as tenant_name', 't.status'])
    .select(secondsUntil('k.expires_at').as('expires_in'))
    .select(sql<boolean>`coalesce(k.last_used_at < now() - interval '1 minute', true)`.as('touch'))
    .where('k.revoked_at', 'is', null)
    .where(sql<boolean>`coalesce(k.expires_at > now(), true)`);
}

type WorkingKeyRow = Awaited<ReturnType<ReturnType<typeof selectWorkingKeys>['executeTakeFirstOrThrow']>>;

export function toAuthenticatedKey(row: WorkingKeyRow): AuthenticatedKey {
  const { id, name, prefix, expires_at, expires_in, role } = row;
  return {
    tenant: { id: row.tenant_id, slug: row.slug, name: row.tenant_name, status: row.status },
    key: { id, name, prefix, expires_at },
    expires_in,
    role,
    speaker: row.speaker_id === null ? null : { id: row.speaker_id, name: row.speaker_name! },
    firewallClient:
      row.firewall_client_id === null
        ? null
        : { id: row.firewall_client_id, name: row.firewall_client_name! },
    isEnrollment: false,
    browserSession: null,
  };
}

/** Why a key with a valid text does not work. */
export type KeyRefusal = 'revoked' | 'expired' | 'rotated' | 'used' | 'used_link' | 'expired_token';

/** Why {@link authenticateApiKey} rejects the key with this hash; null: no key has it. */
export async function findKeyRefusal(tx: SystemTx, hash: Buffer): Promise<KeyRefusal | null> {
  const row = await tx.sql
    .selectFrom('api_key')
    .select(
      sql<KeyRefusal>`CASE WHEN revoked_at IS NOT NULL THEN 'revoked'
                           WHEN expires_at <= now() THEN 'expired' ELSE 'rotated' END`.as('refusal'),
    )
    .where((eb) => eb.or([eb('secret_hash', '=', hash), eb('previous_secret_hash', '=', hash)]))
    .executeTakeFirst();
  return row?.refusal ?? null;
}

/** Those of these keys that no longer work, for any reason except a new secret. */
export async function listLostKeys(tx: TenantTx, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT asked.id FROM unnest(${[...ids]}::uuid[]) AS asked (id)
     WHERE NOT EXISTS (SELECT FROM api_key k JOIN tenant t ON t.id = k.tenant_id
                        WHERE k.tenant_id = ${tx.tenantId} AND k.id = asked.id AND k.revoked_at IS NULL
                          AND (k.expires_at IS NULL OR k.expires_at > now())
                          AND (t.status = 'active' OR t.status = 'stopped' AND k.role = 'node'))`.execute(
    tx.sql,
  );
  return rows.map(({ id }) => id);
}
