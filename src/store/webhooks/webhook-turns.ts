/** Who sends to which webhook, and its position in the tenant's events. */
import { sql, type SqlBool } from 'kysely';
import type { EventKind } from '../../api/activity/events.ts';
import type { SystemTx, TenantTx } from '../database/database.ts';
import {
  claimed,
  isClaimable,
  postponeTurn,
  releaseTurn,
  renewTurn,
  type DeliveryHolder,
  type Receiver,
} from '../delivery-turns.ts';
import { readNumbered, readNumberedRange } from '../events.ts';
import { insertDeliveries, type NewDelivery, pruneDeliveries } from './deliveries.ts';

/** Hinted at when a webhook is created or changed, or a delivery is to be sent again; the payload is the tenant. */
export const WEBHOOKS_CHANNEL = 'prefixcast_webhooks';

export interface WebhookClaim {
  readonly tenantId: string;
  readonly webhookId: string;
  /** Consecutive failed attempts. */
  readonly failures: number;
}

/**
 * Claims webhooks of active tenants with something to do whose next attempt is due and that no other process serves; one of each tenant
 * first, and those that have waited longest.
 * @param busy those that the holder serves; for others, its earlier turn was interrupted
 * @param ofTenant how many of a tenant the holder may serve at the same time, and half as many of those that fail
 */
export async function claimWebhooks(
  tx: SystemTx,
  holder: DeliveryHolder,
  busy: readonly WebhookClaim[],
  { limit, ofTenant }: { readonly limit: number; readonly ofTenant: number },
): Promise<WebhookClaim[]> {
  const { rows } = await sql<{ tenant_id: string; webhook_id: string; failures: number }>`
    WITH ranked AS (
      SELECT turn.tenant_id, turn.webhook_id, turn.lease_expires_at, turn.failures,
             row_number() OVER (PARTITION BY turn.tenant_id ORDER BY turn.failures > 0, turn.lease_expires_at, turn.webhook_id)
               + (SELECT count(*) FROM unnest(${busy.map(({ tenantId }) => tenantId)}::uuid[]) AS b WHERE b = turn.tenant_id) AS place
        FROM webhook_turn AS turn
        JOIN webhook ON webhook.tenant_id = turn.tenant_id AND webhook.id = turn.webhook_id AND webhook.enabled
        JOIN tenant ON tenant.id = turn.tenant_id AND tenant.status = 'active'
       WHERE turn.webhook_id <> ALL (${busy.map(({ webhookId }) => webhookId)}::uuid[])
         AND ${isClaimable('turn', holder)}
         AND (EXISTS (SELECT FROM webhook_delivery AS d WHERE d.tenant_id = turn.tenant_id AND d.webhook_id = turn.webhook_id
                         AND d.state = 'pending')
              OR EXISTS (SELECT FROM event AS e WHERE e.tenant_id = turn.tenant_id AND e.sequence IS NULL)
              OR EXISTS (SELECT FROM event AS e WHERE e.tenant_id = turn.tenant_id AND e.sequence > turn.position))
    ),
    waiting AS (
      SELECT tenant_id, webhook_id FROM ranked
       WHERE place <= CASE WHEN failures = 0 THEN ${ofTenant}::integer ELSE ${ofTenant}::integer / 2 END
       ORDER BY place, lease_expires_at LIMIT ${limit}
    ),
    free AS (
      SELECT turn.tenant_id, turn.webhook_id FROM webhook_turn AS turn JOIN waiting USING (tenant_id, webhook_id)
       WHERE ${isClaimable('turn', holder)} FOR UPDATE OF turn SKIP LOCKED
    )
    UPDATE webhook_turn AS turn SET ${claimed(holder)} FROM free
     WHERE turn.tenant_id = free.tenant_id AND turn.webhook_id = free.webhook_id
    RETURNING turn.tenant_id, turn.webhook_id, turn.failures`.execute(tx.sql);
  return rows.map((row) => ({
    tenantId: row.tenant_id,
    webhookId: row.webhook_id,
    failures: row.failures,
  }));
}

/** Of every tenant that has a webhook, be it enabled or not, its id. */
export async function listTenantsWithWebhooks(tx: SystemTx): Promise<string[]> {
  const rows = await tx.sql.selectFrom('webhook').select('tenant_id').distinct().execute();
  return rows.map(({ tenant_id: id }) => id);
}

/** Events that are looked through at once. */
const PAGE = 500;

/**
 * Creates deliveries for the next events that the webhook receives, of those that have a number. If events were removed that it has not seen, it is
 * sent a `reset` instead of them. Everything is read before anything is locked, so that whoever edits the webhook waits for a few rows to be
 * written; what the holder of the turn has lost by then is left to the next one.
 * @returns whether there may be more
 */
export async function takeEvents(
  tx: TenantTx,
  webhookId: string,
  holder: DeliveryHolder,
  kinds: readonly EventKind[],
): Promise<{ readonly taken: number; readonly isMore: boolean }> {
  const turn = await turnOf(tx, webhookId, holder);
  const events = turn === null ? [] : await readNumbered(tx, turn.position, PAGE);
  const last = events.at(-1)?.sequence;
  if (turn === null || last === undefined) return { taken: 0, isMore: false };
  const { position } = turn;
  const { pruned } = await readNumberedRange(tx);
  const missed: NewDelivery[] =
    pruned > position ? [{ event: 'reset', sequence: null, data: { last_event_id: String(position) } }] : [];
  const passed = new Set(turn.passed);
  const seen = new Set(events.map(({ entry }) => entry));
  const wanted = events.filter(({ kind, entry }) => kinds.includes(kind) && !passed.has(entry));
  const deliveries = [
    ...missed,
    ...wanted.map(({ kind: event, sequence, data }) => ({ event, sequence, data })),
  ];
  // As new deliveries do, but before the turn.
  await sql`SELECT FROM webhook WHERE tenant_id = ${tx.tenantId} AND id = ${webhookId} FOR KEY SHARE`.execute(
    tx.sql,
  );
  const { numAffectedRows: moved } = await sql`
    UPDATE webhook_turn SET position = ${last}, passed = ${turn.passed.filter((entry) => !seen.has(entry))}::bigint[]
     WHERE tenant_id = ${tx.tenantId} AND webhook_id = ${webhookId} AND holder = ${holder.id}::uuid AND position = ${position}
       AND EXISTS (SELECT FROM webhook WHERE tenant_id = ${tx.tenantId} AND id = ${webhookId} AND enabled)`.execute(
    tx.sql,
  );
  if (moved === 0n) return { taken: 0, isMore: false };
  await insertDeliveries(tx, webhookId, deliveries);
  if (deliveries.length > 0) await pruneDeliveries(tx, webhookId);
  return { taken: deliveries.length, isMore: events.length === PAGE };
}

/** Null: somebody else has the turn, or the webhook is gone. */
async function turnOf(
  tx: TenantTx,
  webhookId: string,
  { id }: DeliveryHolder,
): Promise<{ readonly position: number; readonly passed: readonly number[] } | null> {
  const turn = await tx.sql
    .selectFrom('webhook_turn')
    .select(['position', 'passed'])
    .where('tenant_id', '=', tx.tenantId)
    .where('webhook_id', '=', webhookId)
    .where('holder', '=', id)
    .executeTakeFirst();
  return turn ?? null;
}

const receiver = ({ tenantId, webhookId }: WebhookClaim): Receiver => ({
  table: 'webhook_turn',
  where: sql<SqlBool>`tenant_id = ${tenantId}::uuid AND webhook_id = ${webhookId}::uuid`,
});

/**
 * The receiver answered well enough to continue; returns the same as {@link renewTurn}.
 * @param isTaken whether it accepted what it was sent
 */
export async function renewWebhookTurn(
  tx: TenantTx,
  claim: WebhookClaim,
  holder: DeliveryHolder,
  isTaken: boolean,
): Promise<boolean> {
  if (isTaken)
    await tx.sql
      .updateTable('webhook_turn')
      .set({ last_delivered_at: sql<string>`clock_timestamp()` })
      .where('tenant_id', '=', tx.tenantId)
      .where('webhook_id', '=', claim.webhookId)
      .execute();
  return renewTurn(tx, receiver(claim), holder);
}

/** The same as {@link postponeTurn}. */
export function postponeWebhookTurn(
  tx: TenantTx,
  claim: WebhookClaim,
  holder: DeliveryHolder,
  failure: { readonly seconds: number; readonly error: string },
): Promise<number | null> {
  return postponeTurn(tx, receiver(claim), holder, failure);
}

export function releaseWebhookTurn(tx: TenantTx, claim: WebhookClaim, holder: DeliveryHolder): Promise<void> {
  return releaseTurn(tx, receiver(claim), holder);
}

/**
 * Locks a webhook that fails, so that nobody edits it. Transactions lock the webhook first, then its turn, then deliveries; this order avoids
 * deadlocks. Whoever sends locks no webhook otherwise: an edit waits for the turn alone.
 * @returns false: it is disabled, gone, or does not fail any more
 */
export async function lockFailingWebhook(tx: TenantTx, webhookId: string): Promise<boolean> {
  const { rows } = await sql<{ enabled: boolean }>`
    SELECT enabled FROM webhook WHERE tenant_id = ${tx.tenantId} AND id = ${webhookId} FOR NO KEY UPDATE`.execute(
    tx.sql,
  );
  if (rows[0]?.enabled !== true) return false;
  const turn = await sql`
    SELECT FROM webhook_turn
     WHERE tenant_id = ${tx.tenantId} AND webhook_id = ${webhookId} AND failing_since IS NOT NULL FOR UPDATE`.execute(
    tx.sql,
  );
  return turn.rows.length > 0;
}

/** The service disables a webhook whose receiver accepts nothing any more. @returns its name; null when it is disabled already */
export async function disableFailingWebhook(
  tx: TenantTx,
  webhookId: string,
  reason: string,
): Promise<string | null> {
  const { rows } = await sql<{ name: string }>`
    UPDATE webhook SET enabled = false, version = version + 1, updated_at = now()
     WHERE tenant_id = ${tx.tenantId} AND id = ${webhookId} AND enabled RETURNING name`.execute(tx.sql);
  await tx.sql
    .updateTable('webhook_turn')
    .set({ last_error: reason })
    .where('tenant_id', '=', tx.tenantId)
    .where('webhook_id', '=', webhookId)
    .execute();
  return rows[0]?.name ?? null;
}

/** Webhooks by state, for metrics. */
export async function countWebhooks(
  tx: SystemTx,
): Promise<{ readonly state: string; readonly count: number }[]> {
  const { rows } = await sql<{ state: string; count: number }>`
    SELECT CASE WHEN NOT enabled THEN 'disabled' WHEN failing_since IS NULL THEN 'ok' ELSE 'failing' END AS state, count(*)::int AS count
      FROM webhook JOIN webhook_turn AS turn ON turn.tenant_id = webhook.tenant_id AND turn.webhook_id = webhook.id
     GROUP BY 1`.execute(tx.sql);
  return rows;
}
