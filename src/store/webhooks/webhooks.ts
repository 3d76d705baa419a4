import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type { Webhook, WebhookPatch, WebhookQuery } from '../../api/activity/webhooks.ts';
import type { Page } from '../../api/shapes/page.ts';
import { mapConstraintErrors } from '../database/constraint-problem.ts';
import type { TenantTx, Versioned } from '../database/database.ts';
import { containing, readPage } from '../database/pagination.ts';
import { fromNowOn } from '../events.ts';
import { openFor, sealFor } from '../sealed-values.ts';
import type { SecretBox } from '../secrets.ts';
import { found, lockForChange, nextVersion, versioned } from '../versions.ts';
import { lockTurn, skipPending } from './deliveries.ts';

const COLUMNS = [
  ...(['id', 'created_at', 'updated_at', 'name', 'description', 'url', 'events', 'format'] as const),
  ...(['enabled', 'secret_prefix', 'version'] as const),
] as const;
const TURN_COLUMNS = ['last_error', 'failing_since', 'last_delivered_at'] as const;
/** In the past if it was never set. */
const NEXT_ATTEMPT = sql<string | null>`nullif(turn.next_attempt_at, '-infinity')`;

function select(tx: TenantTx) {
  return tx.sql
    .selectFrom('webhook')
    .innerJoin('webhook_turn as turn', (join) =>
      join.onRef('turn.tenant_id', '=', 'webhook.tenant_id').onRef('turn.webhook_id', '=', 'webhook.id'),
    )
    .select(COLUMNS.map((column) => `webhook.${column}` as const))
    .select(TURN_COLUMNS.map((column) => `turn.${column}` as const))
    .select(NEXT_ATTEMPT.as('next_attempt_at'))
    .where('webhook.tenant_id', '=', tx.tenantId);
}

type Row = Awaited<ReturnType<ReturnType<typeof select>['executeTakeFirstOrThrow']>>;

function present({ version: _, next_attempt_at: due, ...webhook }: Row): Webhook {
  const { enabled, failing_since: since } = webhook;
  const status = enabled ? (since === null ? 'ok' : 'failing') : 'disabled';
  return { ...webhook, status, next_attempt_at: status === 'failing' ? due : null };
}

export function listWebhooks(tx: TenantTx, query: WebhookQuery): Promise<Page<Webhook>> {
  const { enabled, q } = query;
  const fetch = (after: string, limit: number) =>
    select(tx)
      .$if(enabled !== undefined, (rows) => rows.where('enabled', '=', enabled!))
      .$if(q !== undefined, (rows) =>
        rows.where((eb) =>
          eb.or(
            (['name', 'description', 'url'] as const).map((column) => eb(column, 'ilike', containing(q!))),
          ),
        ),
      )
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute();
  return readPage(tx, 'webhooks', query, fetch, present);
}

export async function getWebhook(tx: TenantTx, id: string): Promise<Versioned<Webhook>> {
  const row = await select(tx).where('id', '=', id).executeTakeFirst();
  return found('webhook', id, row === undefined ? null : versioned(row, present));
}

export type NewWebhook = Required<WebhookPatch> & { readonly secret: WebhookSecret };

/** In clear; it is stored encrypted. */
export interface WebhookSecret {
  readonly secret: string;
  readonly prefix: string;
}

/** It receives events from now on. */
export async function insertWebhook(
  tx: TenantTx,
  secrets: SecretBox,
  { secret, ...webhook }: NewWebhook,
): Promise<Versioned<Webhook>> {
  const id = uuidv7();
  const sealed = sealSecret(tx, secrets, id, secret);
  const insert = tx.sql.insertInto('webhook').values({ tenant_id: tx.tenantId, id, ...webhook, ...sealed });
  await mapConstraintErrors('webhook', { name: webhook.name }, insert.execute());
  await tx.sql
    .insertInto('webhook_turn')
    .values({ tenant_id: tx.tenantId, webhook_id: id, ...fromNowOn(tx) })
    .execute();
  return getWebhook(tx, id);
}

/**
 * Changes it, and makes its sender start again at once with the new settings. A disabled webhook drops what waits; an enabled one receives
 * events from then on.
 */
export async function updateWebhook(
  tx: TenantTx,
  secrets: SecretBox,
  id: string,
  { secret, ...patch }: WebhookPatch & { readonly secret?: WebhookSecret },
  version: number | null,
): Promise<Versioned<Webhook>> {
  await lockForChange(tx, 'webhook', id, version);
  const { resource: before } = await getWebhook(tx, id);
  const sealed = secret === undefined ? {} : sealSecret(tx, secrets, id, secret);
  const update = tx.sql
    .updateTable('webhook')
    .set({ ...patch, ...sealed, ...nextVersion })
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', id);
  await mapConstraintErrors('webhook', { ...patch }, update.execute());
  await lockTurn(tx, id);
  const isEnabled = patch.enabled === true && !before.enabled;
  if (patch.enabled === false || isEnabled) await skipPending(tx, id);
  await tx.sql
    .updateTable('webhook_turn')
    .set({ holder: null, lease_expires_at: '-infinity', next_attempt_at: '-infinity', failures: 0 })
    .set({ failing_since: null, last_error: null, ...(isEnabled ? fromNowOn(tx) : {}) })
    .where('tenant_id', '=', tx.tenantId)
    .where('webhook_id', '=', id)
    .execute();
  return getWebhook(tx, id);
}

export async function deleteWebhook(tx: TenantTx, id: string, version: number | null): Promise<void> {
  await lockForChange(tx, 'webhook', id, version);
  await tx.sql.deleteFrom('webhook').where('tenant_id', '=', tx.tenantId).where('id', '=', id).execute();
}

/** What is needed to send to a webhook. */
export interface WebhookTarget {
  readonly tenant: { readonly id: string; readonly slug: string };
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly format: Webhook['format'];
  /** Null: it cannot be opened. */
  readonly secret: string | null;
}

/** Null: there is no such webhook. */
export async function findWebhookTarget(
  tx: TenantTx,
  secrets: SecretBox,
  id: string,
): Promise<(WebhookTarget & { readonly events: Webhook['events'] }) | null> {
  const row = await tx.sql
    .selectFrom('webhook')
    .innerJoin('tenant', 'tenant.id', 'webhook.tenant_id')
    .select(['webhook.id', 'webhook.name', 'url', 'format', 'events', 'secret_sealed', 'tenant.slug'])
    .where('webhook.tenant_id', '=', tx.tenantId)
    .where('webhook.id', '=', id)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { secret_sealed: sealed, slug, ...webhook } = row;
  const secret = openFor(tx, secrets, { table: 'webhook', id }, sealed);
  return { ...webhook, secret: secret?.toString() ?? null, tenant: { id: tx.tenantId, slug } };
}

function sealSecret(
  tx: TenantTx,
  secrets: SecretBox,
  id: string,
  { secret, prefix }: WebhookSecret,
): { readonly secret_prefix: string; readonly secret_sealed: Buffer } {
  return { secret_prefix: prefix, secret_sealed: sealFor(tx, secrets, { table: 'webhook', id }, secret) };
}
