import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type {
  DeliveredEvent,
  DeliveryState,
  WebhookDelivery,
  WebhookDeliveryQuery,
} from '../../api/activity/webhooks.ts';
import { notFound } from '../../api/problems/problem.ts';
import type { Page } from '../../api/shapes/page.ts';
import type { TenantTx } from '../database/database.ts';
import { behind, readSorted } from '../database/pagination.ts';
import { lockForChange } from '../versions.ts';

/** Deliveries kept per webhook, without the oldest; waiting ones count as well, and always stay. */
const KEPT_DELIVERIES = 1_000;

const COLUMNS = [
  ...(['id', 'created_at', 'webhook_id', 'event', 'event_sequence', 'data', 'state', 'attempts'] as const),
  ...(['attempted_at', 'status', 'error'] as const),
] as const;

function select(tx: TenantTx, webhookId: string) {
  return tx.sql
    .selectFrom('webhook_delivery')
    .select([...COLUMNS, 'number'])
    .where('tenant_id', '=', tx.tenantId)
    .where('webhook_id', '=', webhookId);
}

type Row = Awaited<ReturnType<ReturnType<typeof select>['executeTakeFirstOrThrow']>>;

function present({ event_sequence: sequence, number: _, ...delivery }: Row): WebhookDelivery {
  return { ...delivery, event_id: sequence === null ? null : String(sequence) };
}

/** The newest first. */
export function listDeliveries(
  tx: TenantTx,
  webhookId: string,
  query: WebhookDeliveryQuery,
): Promise<Page<WebhookDelivery>> {
  const { state, event } = query;
  return readSorted(
    tx,
    `webhook deliveries ${webhookId}`,
    query,
    (after, limit) =>
      select(tx, webhookId)
        .$if(state !== undefined, (rows) => rows.where('state', '=', state!))
        .$if(event !== undefined, (rows) => rows.where('event', '=', event!))
        .$if(after !== null, (rows) => rows.where(behind('number', 'id', '-number', after!)))
        .orderBy('number', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute(),
    ({ number }) => number,
    present,
  );
}

/** @throws {Problem} `not_found` */
export async function getDelivery(tx: TenantTx, webhookId: string, id: string): Promise<WebhookDelivery> {
  const row = await select(tx, webhookId).where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound('webhook delivery', id);
  return present(row);
}

/** What is to be sent. */
export interface NewDelivery {
  readonly event: DeliveredEvent;
  /** Its number in the stream of events; null: it is not an event. */
  readonly sequence: number | null;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Sent in this order, after everything that waits. */
export async function insertDeliveries(
  tx: TenantTx,
  webhookId: string,
  deliveries: readonly NewDelivery[],
): Promise<void> {
  if (deliveries.length === 0) return;
  const rows = deliveries.map(({ event, sequence, data }) => ({
    ...{ tenant_id: tx.tenantId, webhook_id: webhookId, id: uuidv7(), event, event_sequence: sequence },
    ...{ data: JSON.stringify(data), state: 'pending' as const },
  }));
  await tx.sql.insertInto('webhook_delivery').values(rows).execute();
}

/** The next to send, in order. */
export async function listPendingDeliveries(
  tx: TenantTx,
  webhookId: string,
  limit: number,
): Promise<WebhookDelivery[]> {
  const rows = await select(tx, webhookId)
    .where('state', '=', 'pending')
    .orderBy('number')
    .limit(limit)
    .execute();
  return rows.map(present);
}

/** How an attempt ended. */
export interface DeliveryAttempt {
  readonly state: DeliveryState;
  readonly status: number | null;
  readonly error: string | null;
}

/** The state of a delivery that was skipped meanwhile stays. */
export async function recordAttempt(
  tx: TenantTx,
  id: string,
  { state, status, error }: DeliveryAttempt,
): Promise<void> {
  await sql`
    UPDATE webhook_delivery
       SET attempts = attempts + 1, attempted_at = clock_timestamp(), status = ${status}, error = ${error},
           state = CASE WHEN state = 'skipped' AND ${state} = 'pending' THEN state ELSE ${state} END
     WHERE tenant_id = ${tx.tenantId} AND id = ${id}`.execute(tx.sql);
}

/** A test, which is recorded after it was sent. @throws {Problem} `not_found` if the webhook was deleted meanwhile */
export async function insertTest(
  tx: TenantTx,
  webhookId: string,
  id: string,
  data: Readonly<Record<string, unknown>>,
  { state, status, error }: DeliveryAttempt,
): Promise<WebhookDelivery> {
  await lockForChange(tx, 'webhook', webhookId, null);
  await lockTurn(tx, webhookId);
  await tx.sql
    .insertInto('webhook_delivery')
    .values({
      ...{ tenant_id: tx.tenantId, webhook_id: webhookId, id, event: 'test', data: JSON.stringify(data) },
      ...{ state, status, error, attempts: 1, attempted_at: sql<string>`clock_timestamp()` },
    })
    .execute();
  if (state === 'delivered')
    await tx.sql
      .updateTable('webhook_turn')
      .set({ last_delivered_at: sql<string>`clock_timestamp()` })
      .where('tenant_id', '=', tx.tenantId)
      .where('webhook_id', '=', webhookId)
      .execute();
  await pruneDeliveries(tx, webhookId);
  return getDelivery(tx, webhookId, id);
}

/** Makes it wait again, at its old place. @throws {Problem} `not_found` */
export async function resendDelivery(tx: TenantTx, webhookId: string, id: string): Promise<WebhookDelivery> {
  await tx.sql
    .updateTable('webhook_delivery')
    .set({ state: 'pending' })
    .where('tenant_id', '=', tx.tenantId)
    .where('webhook_id', '=', webhookId)
    .where('id', '=', id)
    .execute();
  return getDelivery(tx, webhookId, id);
}

/** Waiting deliveries are never sent, unless somebody requests it. */
export async function skipPending(tx: TenantTx, webhookId: string): Promise<void> {
  await tx.sql
    .updateTable('webhook_delivery')
    .set({ state: 'skipped' })
    .where('tenant_id', '=', tx.tenantId)
    .where('webhook_id', '=', webhookId)
    .where('state', '=', 'pending')
    .execute();
}

/** Until the transaction ends nobody writes down what was sent to it, or is to be. After the webhook, before deliveries. */
export async function lockTurn(tx: TenantTx, webhookId: string): Promise<void> {
  await sql`SELECT FROM webhook_turn WHERE tenant_id = ${tx.tenantId} AND webhook_id = ${webhookId} FOR UPDATE`.execute(
    tx.sql,
  );
}

/** Removes the oldest beyond {@link KEPT_DELIVERIES}. */
export async function pruneDeliveries(tx: TenantTx, webhookId: string): Promise<void> {
  await sql`
    DELETE FROM webhook_delivery
     WHERE tenant_id = ${tx.tenantId} AND webhook_id = ${webhookId} AND state <> 'pending'
       AND number <= (SELECT number FROM webhook_delivery WHERE tenant_id = ${tx.tenantId} AND webhook_id = ${webhookId}
                       ORDER BY number DESC OFFSET ${KEPT_DELIVERIES} LIMIT 1)`.execute(tx.sql);
}
