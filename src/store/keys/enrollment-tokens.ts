import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type { FirewallPolicy } from '../../api/firewall/firewall-clients.ts';
import type { AuthenticatedKey, KeyRefusal } from './api-keys.ts';
import { secondsUntil } from '../database/database-clock.ts';
import type { MintedApiKey } from './api-key-secret.ts';
import type { SystemTx, TenantTx } from '../database/database.ts';
import { forgetEnded } from './ended-keys.ts';

/** Who may enroll with a token: the node of a speaker, or a firewall client, a new one if no id is given. */
export type TokenSubject =
  | { readonly speakerId: string }
  | { readonly firewallPolicy: FirewallPolicy; readonly firewallClientId: string | null };

interface TokenDetails extends Omit<MintedApiKey, 'secret'> {
  readonly validSeconds: number;
  readonly createdBy: string;
}

export type NewEnrollmentToken = TokenDetails & TokenSubject;

/**
 * Stores the hash of a token. Tokens of the tenant that ended long ago are removed, and all but the last of those that ended since.
 * @returns when it expires
 */
export async function insertEnrollmentToken(
  tx: TenantTx,
  { validSeconds, createdBy, prefix, secret_hash, ...subject }: NewEnrollmentToken,
): Promise<string> {
  await tx.sql
    .deleteFrom('enrollment_token')
    .where('tenant_id', '=', tx.tenantId)
    .where(sql<boolean>`expires_at < now() - interval '7 days'`)
    .execute();
  const { expires_at } = await tx.sql
    .insertInto('enrollment_token')
    .values({
      ...{ tenant_id: tx.tenantId, id: uuidv7(), prefix, secret_hash },
      ...('speakerId' in subject
        ? { speaker_id: subject.speakerId }
        : { firewall_policy: subject.firewallPolicy, firewall_client_id: subject.firewallClientId }),
      expires_at: sql<string>`now() + make_interval(secs => ${validSeconds})`,
      created_by: createdBy,
    })
    .returning('expires_at')
    .executeTakeFirstOrThrow();
  await forgetEnded(tx, 'enrollment_token');
  return expires_at;
}

/** What a firewall client's token allows it to become. */
export async function findFirewallToken(
  tx: TenantTx,
  id: string,
): Promise<{ readonly policy: FirewallPolicy; readonly clientId: string | null } | null> {
  const row = await tx.sql
    .selectFrom('enrollment_token')
    .select(['firewall_policy', 'firewall_client_id'])
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row?.firewall_policy) return null;
  return { policy: row.firewall_policy, clientId: row.firewall_client_id };
}

/** Uses the token, which works once. @returns false when it was used or has expired meanwhile */
export async function useEnrollmentToken(tx: TenantTx, id: string): Promise<boolean> {
  const used = await tx.sql
    .updateTable('enrollment_token')
    .set({ used_at: sql<string>`now()` })
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', id)
    .where('used_at', 'is', null)
    .where('expires_at', '>', sql<string>`now()`)
    .returning('id')
    .executeTakeFirst();
  return used !== undefined;
}

/** Who may enroll with the token of this hash; or why nobody may; null: there is no such token. */
export async function authenticateEnrollmentToken(
  tx: SystemTx,
  hash: Buffer,
): Promise<AuthenticatedKey | KeyRefusal | null> {
  const row = await tx.sql
    .selectFrom('enrollment_token as e')
    .innerJoin('tenant as t', 't.id', 'e.tenant_id')
    .leftJoin('speaker as s', (join) =>
      join.onRef('s.tenant_id', '=', 'e.tenant_id').onRef('s.id', '=', 'e.speaker_id'),
    )
    .leftJoin('firewall_client as f', (join) =>
      join.onRef('f.tenant_id', '=', 'e.tenant_id').onRef('f.id', '=', 'e.firewall_client_id'),
    )
    .select(['e.id', 'e.prefix', 'e.expires_at', 'e.speaker_id', 's.name as speaker_name'])
    .select(['e.firewall_client_id', 'f.name as firewall_client_name'])
    .select(secondsUntil('e.expires_at').as('expires_in'))
    .select(['t.id as tenant_id', 't.slug', 't.name as tenant_name', 't.status'])
    .select(
      sql<KeyRefusal | null>`CASE WHEN e.used_at IS NOT NULL THEN 'used'
                                  WHEN e.expires_at <= now() THEN 'expired_token' END`.as('refusal'),
    )
    .where('e.secret_hash', '=', hash)
    .executeTakeFirst();
  if (row === undefined) return null;
  if (row.refusal !== null) return row.refusal;
  const { id, prefix, expires_at, expires_in } = row;
  return {
    tenant: { id: row.tenant_id, slug: row.slug, name: row.tenant_name, status: row.status },
    key: { id, name: 'enrollment token', prefix, expires_at },
    expires_in,
    role: row.speaker_id === null ? 'firewall' : 'node',
    speaker: row.speaker_id === null ? null : { id: row.speaker_id, name: row.speaker_name! },
    firewallClient:
      row.firewall_client_id === null
        ? null
        : { id: row.firewall_client_id, name: row.firewall_client_name! },
    isEnrollment: true,
    browserSession: null,
  };
}
