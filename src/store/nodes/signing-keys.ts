import { sql } from 'kysely';
import type { TenantTx } from '../database/database.ts';
import { openFor, sealFor } from '../sealed-values.ts';
import type { SecretBox } from '../secrets.ts';

/** A key that signs bundles, without its private part. Times are RFC 3339. */
export interface SigningKeyRow {
  readonly key_id: string;
  readonly public_key: Buffer;
  readonly not_before: string;
  readonly not_after: string | null;
  readonly endorsed_by: string | null;
  readonly endorsement: Buffer | null;
  /** It signs now: the newest whose time has come. */
  readonly active: boolean;
}

/**
 * Every key of the tenant, the oldest first, as of the database's clock: of this statement, since a transaction that waited for another
 * began before the key of that one.
 */
export async function listSigningKeys(tx: TenantTx): Promise<SigningKeyRow[]> {
  const rows = await tx.sql
    .selectFrom('signing_key')
    .select(['key_id', 'public_key', 'not_before', 'not_after', 'endorsed_by', 'endorsement'])
    .select(sql<boolean>`not_before <= statement_timestamp()`.as('begun'))
    .where('tenant_id', '=', tx.tenantId)
    .orderBy('not_before')
    .orderBy('created_at')
    .execute();
  const active = rows.findLast(({ begun }) => begun)?.key_id;
  return rows.map(({ begun: _, ...row }) => ({ ...row, active: row.key_id === active }));
}

export interface NewSigningKey {
  readonly keyId: string;
  readonly publicKey: Buffer;
  /** As bundle/signing-key.ts exports it. */
  readonly privateKey: Buffer;
  /** From now. */
  readonly beginsInSeconds: number;
  readonly endorsedBy: string | null;
  readonly endorsement: Buffer | null;
}

export async function insertSigningKey(tx: TenantTx, secrets: SecretBox, key: NewSigningKey): Promise<void> {
  await tx.sql
    .insertInto('signing_key')
    .values({
      tenant_id: tx.tenantId,
      key_id: key.keyId,
      public_key: key.publicKey,
      private_sealed: sealFor(tx, secrets, { table: 'signing_key', id: key.keyId }, key.privateKey),
      // Not rounded up: a key that begins now has begun.
      not_before: sql<string>`date_trunc('milliseconds', statement_timestamp()) + make_interval(secs => ${key.beginsInSeconds})`,
      endorsed_by: key.endorsedBy,
      endorsement: key.endorsement,
    })
    .execute();
}

/** @returns null when it was forgotten, or cannot be opened */
export async function openPrivateKey(
  tx: TenantTx,
  secrets: SecretBox,
  keyId: string,
): Promise<Buffer | null> {
  const { private_sealed: sealed } = await tx.sql
    .selectFrom('signing_key')
    .select('private_sealed')
    .where('tenant_id', '=', tx.tenantId)
    .where('key_id', '=', keyId)
    .executeTakeFirstOrThrow();
  return sealed && openFor(tx, secrets, { table: 'signing_key', id: keyId }, sealed);
}

/** Has the announced key begin now. */
export async function beginSigningKey(tx: TenantTx, keyId: string): Promise<void> {
  await tx.sql
    .updateTable('signing_key')
    .set({ not_before: sql<string>`date_trunc('milliseconds', statement_timestamp())` })
    .where('tenant_id', '=', tx.tenantId)
    .where('key_id', '=', keyId)
    .execute();
}

/** Records that no bundle signed by the key is valid later than this many seconds from now. */
export async function retireSigningKey(tx: TenantTx, keyId: string, seconds: number): Promise<void> {
  await tx.sql
    .updateTable('signing_key')
    .set({ not_after: sql<string>`statement_timestamp() + make_interval(secs => ${seconds})` })
    .where('tenant_id', '=', tx.tenantId)
    .where('key_id', '=', keyId)
    .execute();
}

/** Forgets the private parts of all keys but these: they will not sign again. */
export async function forgetPrivateKeys(tx: TenantTx, but: readonly string[]): Promise<void> {
  await tx.sql
    .updateTable('signing_key')
    .set({ private_sealed: null })
    .where('tenant_id', '=', tx.tenantId)
    .where('key_id', 'not in', but)
    .execute();
}
