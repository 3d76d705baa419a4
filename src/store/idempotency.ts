import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { TenantTx } from './database/database.ts';

/** How long an answer is kept, and how long a claim without an answer blocks others: its process is dead by then. */
const KEPT = sql`interval '24 hours'`;
const CLAIMED = sql`interval '30 seconds'`;

/** Bytes of answers that a tenant may keep: the disk is everybody's, and changes of thousands of entries answer with all of them. */
const KEPT_BYTES = 64 * 1024 * 1024;

/** Rows that are too old; every call removes a few. */
const SWEPT_AT_ONCE = 50;

export interface IdempotentRequest {
  readonly apiKeyId: string;
  readonly key: string;
  /** 32 bytes that are equal for equal requests. */
  readonly requestHash: Buffer;
}

export type IdempotencyClaim =
  /** The caller does the work; concurrent repetitions are answered that it is running. */
  | { readonly state: 'claimed'; readonly claimId: string }
  | { readonly state: 'running' }
  /** The first answer, as it was given to {@link finishIdempotencyKey}. */
  | { readonly state: 'finished'; readonly answer: Buffer }
  /** The key was used before with another request. */
  | { readonly state: 'reused' };

/** Claims the key for this request, across processes. Commit before the work begins. */
export async function claimIdempotencyKey(
  tx: TenantTx,
  { apiKeyId, key, requestHash }: IdempotentRequest,
): Promise<IdempotencyClaim> {
  await sweep(tx);
  const claimId = randomUUID();
  const { rows } = await sql<{ claim: string }>`
    INSERT INTO idempotency_key AS k (tenant_id, api_key_id, key, request_hash, claim)
    VALUES (${tx.tenantId}, ${apiKeyId}, ${key}, ${requestHash}, ${claimId})
    ON CONFLICT (tenant_id, api_key_id, key) DO UPDATE
       SET request_hash = excluded.request_hash, claim = excluded.claim, answer = NULL,
           claimed_at = now(), created_at = CASE WHEN k.created_at < now() - ${KEPT} THEN now() ELSE k.created_at END
     WHERE k.created_at < now() - ${KEPT}
        OR (k.answer IS NULL AND k.claimed_at < now() - ${CLAIMED} AND k.request_hash = excluded.request_hash)
    RETURNING claim`.execute(tx.sql);
  if (rows.length > 0) return { state: 'claimed', claimId };
  const known = await tx.sql
    .selectFrom('idempotency_key')
    .select(['request_hash', 'answer'])
    .where('tenant_id', '=', tx.tenantId)
    .where('api_key_id', '=', apiKeyId)
    .where('key', '=', key)
    .executeTakeFirst();
  // Released between the two statements: the client may simply retry.
  if (known === undefined) return { state: 'running' };
  if (!known.request_hash.equals(requestHash)) return { state: 'reused' };
  return known.answer === null ? { state: 'running' } : { state: 'finished', answer: known.answer };
}

/**
 * Stores the answer. Call it in the transaction of the change itself.
 * @returns false when another claim has taken over, so that the change must not be made twice
 */
export async function finishIdempotencyKey(
  tx: TenantTx,
  apiKeyId: string,
  key: string,
  claimId: string,
  answer: Buffer,
): Promise<boolean> {
  const row = await tx.sql
    .updateTable('idempotency_key')
    .set({ answer })
    .where('tenant_id', '=', tx.tenantId)
    .where('api_key_id', '=', apiKeyId)
    .where('key', '=', key)
    .where('claim', '=', claimId)
    .returning('key')
    .executeTakeFirst();
  return row !== undefined;
}

/** Drops the claim, so that the request may be retried with the same key. */
export async function releaseIdempotencyKey(
  tx: TenantTx,
  apiKeyId: string,
  key: string,
  claimId: string,
): Promise<void> {
  await tx.sql
    .deleteFrom('idempotency_key')
    .where('tenant_id', '=', tx.tenantId)
    .where('api_key_id', '=', apiKeyId)
    .where('key', '=', key)
    .where('claim', '=', claimId)
    .where('answer', 'is', null)
    .execute();
}

async function sweep(tx: TenantTx): Promise<void> {
  await sql`
    DELETE FROM idempotency_key WHERE (tenant_id, api_key_id, key) IN (
      SELECT tenant_id, api_key_id, key FROM idempotency_key
       WHERE tenant_id = ${tx.tenantId} AND created_at < now() - ${KEPT}
       LIMIT ${SWEPT_AT_ONCE} FOR UPDATE SKIP LOCKED)`.execute(tx.sql);
}

/**
 * Removes all old answers of the tenant, since those of a key that is no longer used would stay for ever, and those before its latest ones that
 * take {@link KEPT_BYTES} together.
 */
export async function sweepIdempotencyKeys(tx: TenantTx, keptBytes = KEPT_BYTES): Promise<void> {
  await tx.sql
    .deleteFrom('idempotency_key')
    .where('tenant_id', '=', tx.tenantId)
    .where('created_at', '<', sql<string>`now() - ${KEPT}`)
    .execute();
  // The length of a long answer is known without reading it.
  await sql`
    DELETE FROM idempotency_key k USING (
      SELECT api_key_id, key, sum(octet_length(answer)) OVER (ORDER BY created_at DESC, api_key_id, key) AS bytes
        FROM idempotency_key WHERE tenant_id = ${tx.tenantId} AND answer IS NOT NULL) AS kept
     WHERE k.tenant_id = ${tx.tenantId} AND k.api_key_id = kept.api_key_id AND k.key = kept.key AND kept.bytes > ${keptBytes}`.execute(
    tx.sql,
  );
}
