/** Sessions of browsers. Each was opened with a secret of an API key, and works as long as that secret does and it is used. */
import { sql, type RawBuilder } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type { Role } from '../../api/access/permissions.ts';
import { SESSION_IDLE_HOURS, SIGN_IN_MINUTES } from '../../api/access/session.ts';
import { secondsUntil } from '../database/database-clock.ts';
import type { SystemTx, TenantTx } from '../database/database.ts';
import {
  type AuthenticatedKey,
  isSecretOfKey,
  type KeyRefusal,
  type OpenBrowserSession,
  selectWorkingKeys,
  toAuthenticatedKey,
} from './api-keys.ts';
import { noteUse } from './last-use.ts';

/** Sessions that one key may have open; one more ends the least recently used. */
const SESSIONS_OF_A_KEY = 100;

const IDLE = sql`make_interval(hours => ${sql.lit(SESSION_IDLE_HOURS)})`;
/** When a session `b` of a key `k` ends. */
const END = sql<string>`least(b.last_used_at + ${IDLE}, k.expires_at)`;

export interface NewBrowserSession {
  readonly api_key_id: string;
  readonly secret_hash: Buffer;
  /** Hash of the key's secret that opens it. */
  readonly key_secret_hash: Buffer;
}

/** Opens a session, and makes room for it among those of its key. */
export function insertBrowserSession(tx: TenantTx, values: NewBrowserSession): Promise<OpenBrowserSession> {
  return insertSession(tx, values, sql<string>`now()`);
}

/**
 * A link that signs in once: a session that ends in a few minutes, under a secret that works in no cookie, until somebody opens it.
 * It lasts no longer than the secret that makes it: while a key that was rotated still works by its former one, that one.
 * @param madeBy id of the browser's session that makes it; null: the key itself
 */
export async function insertSignInLink(
  tx: TenantTx,
  { api_key_id, secret_hash }: Omit<NewBrowserSession, 'key_secret_hash'>,
  madeBy: string | null,
): Promise<OpenBrowserSession> {
  const oldest = sql<Buffer>`CASE WHEN k.previous_valid_until > now() THEN k.previous_secret_hash ELSE k.secret_hash END`;
  const { key_secret_hash } = await tx.sql
    .selectFrom('api_key as k')
    .leftJoin('browser_session as b', (join) =>
      join
        .onRef('b.tenant_id', '=', 'k.tenant_id')
        .onRef('b.api_key_id', '=', 'k.id')
        .on('b.id', '=', madeBy),
    )
    .select(sql<Buffer>`coalesce(b.key_secret_hash, ${oldest})`.as('key_secret_hash'))
    .where('k.tenant_id', '=', tx.tenantId)
    .where('k.id', '=', api_key_id)
    .executeTakeFirstOrThrow();
  const almostIdle = sql<string>`now() - ${IDLE} + make_interval(mins => ${sql.lit(SIGN_IN_MINUTES)})`;
  return insertSession(tx, { api_key_id, secret_hash, key_secret_hash }, almostIdle);
}

/** Makes a session of a link, under another secret. @returns null: it was used, or has ended */
export async function openSignInLink(
  tx: TenantTx,
  linkHash: Buffer,
  secretHash: Buffer,
): Promise<OpenBrowserSession | null> {
  const opened = await tx.sql
    .updateTable('browser_session as b')
    .set({ secret_hash: secretHash, created_at: sql<string>`now()`, last_used_at: sql<string>`now()` })
    .where('b.tenant_id', '=', tx.tenantId)
    .where('b.secret_hash', '=', linkHash)
    .where(sql<boolean>`b.last_used_at > now() - ${IDLE}`)
    .returning('b.id')
    .executeTakeFirst();
  return opened === undefined ? null : readSession(tx, opened.id);
}

async function insertSession(
  tx: TenantTx,
  values: NewBrowserSession,
  last_used_at: RawBuilder<string>,
): Promise<OpenBrowserSession> {
  const id = uuidv7();
  await tx.sql
    .insertInto('browser_session')
    .values({ tenant_id: tx.tenantId, id, last_used_at, ...values })
    .execute();
  const longestIdle = tx.sql
    .selectFrom('browser_session')
    .select('id')
    .where('tenant_id', '=', tx.tenantId)
    .where('api_key_id', '=', values.api_key_id)
    .where('id', '<>', id)
    .orderBy('last_used_at', 'desc')
    .offset(SESSIONS_OF_A_KEY - 1);
  await tx.sql
    .deleteFrom('browser_session')
    .where('tenant_id', '=', tx.tenantId)
    .where('id', 'in', longestIdle)
    .execute();
  return readSession(tx, id);
}

function readSession(tx: TenantTx, id: string): Promise<OpenBrowserSession> {
  return tx.sql
    .selectFrom('browser_session as b')
    .innerJoin('api_key as k', (join) =>
      join.onRef('k.tenant_id', '=', 'b.tenant_id').onRef('k.id', '=', 'b.api_key_id'),
    )
    .select(['b.id', 'b.created_at', END.as('expires_at')])
    .where('b.tenant_id', '=', tx.tenantId)
    .where('b.id', '=', id)
    .executeTakeFirstOrThrow();
}

/** Working sessions, as `b`, with their keys. */
function selectOpenSessions(tx: SystemTx) {
  return selectWorkingKeys(tx)
    .innerJoin('browser_session as b', (join) =>
      join.onRef('b.tenant_id', '=', 'k.tenant_id').onRef('b.api_key_id', '=', 'k.id'),
    )
    .where(sql<boolean>`b.last_used_at > now() - ${IDLE}`)
    .where(isSecretOfKey(sql.ref('b.key_secret_hash')));
}

/**
 * The session whose secret has this hash, as the key that opened it; null: it has ended or does not exist.
 * @param isUse whether this use keeps it open; recorded at most once a minute
 */
export async function authenticateBrowserSession(
  tx: SystemTx,
  hash: Buffer,
  isUse: boolean,
): Promise<AuthenticatedKey | null> {
  const row = await selectOpenSessions(tx)
    .select(['b.id as session_id', 'b.created_at as opened_at', END.as('ends_at')])
    .select(sql<boolean>`b.last_used_at < now() - interval '1 minute'`.as('touch_session'))
    .select(secondsUntil(END).as('ends_in'))
    .where('b.secret_hash', '=', hash)
    .executeTakeFirst();
  if (row === undefined) return null;
  if (isUse && row.touch) await noteUse(tx, 'api_key', row.tenant_id, row.id);
  if (isUse && row.touch_session) await noteUse(tx, 'browser_session', row.tenant_id, row.session_id);
  return {
    ...toAuthenticatedKey(row),
    expires_in: row.ends_in,
    browserSession: { id: row.session_id, created_at: row.opened_at, expires_at: row.ends_at },
  };
}

/** Why the key of a session whose secret has this hash ended it; null: the key did not, or there is no such session any more. */
export async function findSessionRefusal(tx: SystemTx, hash: Buffer): Promise<KeyRefusal | null> {
  const row = await tx.sql
    .selectFrom('browser_session as b')
    .innerJoin('api_key as k', (join) =>
      join.onRef('k.tenant_id', '=', 'b.tenant_id').onRef('k.id', '=', 'b.api_key_id'),
    )
    .select(
      sql<KeyRefusal | null>`CASE WHEN k.revoked_at IS NOT NULL THEN 'revoked' WHEN k.expires_at <= now() THEN 'expired'
                                  WHEN NOT coalesce(${isSecretOfKey(sql.ref('b.key_secret_hash'))}, false) THEN 'rotated' END`.as(
        'refusal',
      ),
    )
    .where('b.secret_hash', '=', hash)
    .executeTakeFirst();
  return row?.refusal ?? null;
}

/** Open sessions of any tenant. */
export async function listOpenSessions(
  tx: SystemTx,
  hashes: readonly Buffer[],
): Promise<{ tenant: { id: string; slug: string; name: string }; role: Role }[]> {
  if (hashes.length === 0) return [];
  const rows = await selectOpenSessions(tx)
    .where('b.secret_hash', 'in', [...hashes])
    .where('t.status', '=', 'active')
    .orderBy('t.slug')
    .execute();
  return rows.map(({ tenant_id: id, slug, tenant_name: name, role }) => ({
    tenant: { id, slug, name },
    role,
  }));
}

/** Ends the session. @returns its id; null: the tenant has none with this secret */
export async function deleteBrowserSession(tx: TenantTx, hash: Buffer): Promise<string | null> {
  const row = await tx.sql
    .deleteFrom('browser_session')
    .where('tenant_id', '=', tx.tenantId)
    .where('secret_hash', '=', hash)
    .returning('id')
    .executeTakeFirst();
  return row?.id ?? null;
}

/** Removes the rows of sessions that have expired: idle, or with their key. */
export async function sweepBrowserSessions(tx: TenantTx): Promise<void> {
  await sql`
    DELETE FROM browser_session b USING api_key k
     WHERE b.tenant_id = ${tx.tenantId} AND k.tenant_id = b.tenant_id AND k.id = b.api_key_id
       AND NOT coalesce(k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())
                        AND b.last_used_at > now() - ${IDLE} AND ${isSecretOfKey(sql.ref('b.key_secret_hash'))}, false)`.execute(
    tx.sql,
  );
}
