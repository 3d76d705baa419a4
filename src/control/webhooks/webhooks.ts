import type { Webhook, WebhookCreate, WebhookPatch, WebhookWithSecret } from '../../api/activity/webhooks.ts';
import { fieldProblem, Problem } from '../../api/problems/problem.ts';
import type { WebhookDelivery } from '../../api/activity/webhooks.ts';
import { checkSourceUrl } from '../../sources/fetch/source-url.ts';
import { freeName } from '../../store/database/free-name.ts';
import type { TenantTx, Versioned } from '../../store/database/database.ts';
import { mintApiKey } from '../../store/keys/api-key-secret.ts';
import { resendDelivery } from '../../store/webhooks/deliveries.ts';
import {
  getWebhook,
  insertWebhook,
  updateWebhook,
  type WebhookSecret,
} from '../../store/webhooks/webhooks.ts';
import type { ControlContext } from '../context.ts';

const DEFAULTS = { description: null, format: 'json', enabled: true } as const;

/** The answer has the secret, which is shown once. */
export async function createWebhook(
  tx: TenantTx,
  { secrets }: ControlContext,
  body: WebhookCreate,
): Promise<Versioned<WebhookWithSecret>> {
  const url = checkUrl(body.url);
  const name = body.name ?? (await freeName(tx, 'webhook', url.hostname.slice(0, 90)));
  const secret = mintSecret();
  const made = await insertWebhook(tx, secrets, { ...DEFAULTS, ...body, url: url.href, name, secret });
  return withSecret(made, secret);
}

export async function changeWebhook(
  tx: TenantTx,
  { secrets }: ControlContext,
  id: string,
  patch: WebhookPatch,
  version: number | null,
): Promise<Versioned<Webhook>> {
  const url = patch.url === undefined ? {} : { url: checkUrl(patch.url).href };
  return updateWebhook(tx, secrets, id, { ...patch, ...url }, version);
}

/** Gives it another secret, which signs from the next attempt on. */
export async function rotateWebhook(
  tx: TenantTx,
  { secrets }: ControlContext,
  id: string,
  version: number | null,
): Promise<Versioned<WebhookWithSecret>> {
  const secret = mintSecret();
  return withSecret(await updateWebhook(tx, secrets, id, { secret }, version), secret);
}

/** Sends it again, before all that waits. @throws {Problem} `not_found`, `conflict` when the webhook is disabled */
export async function resend(tx: TenantTx, webhookId: string, id: string): Promise<WebhookDelivery> {
  const { resource } = await getWebhook(tx, webhookId);
  const delivery = await resendDelivery(tx, webhookId, id);
  if (resource.enabled) return delivery;
  throw new Problem(
    'conflict',
    'The webhook is disabled, so nothing is sent to it. Enable it first (PATCH {"enabled": true}).',
  );
}

function checkUrl(text: string): URL {
  const checked = checkSourceUrl(text);
  if (checked.ok) return checked.value;
  throw fieldProblem('/url', checked.reason.replace('; sources are read over', '; webhooks are sent over'));
}

function mintSecret(): WebhookSecret {
  const { secret, prefix } = mintApiKey('webhook');
  return { secret, prefix };
}

function withSecret(
  { resource, ...rest }: Versioned<Webhook>,
  { secret }: WebhookSecret,
): Versioned<WebhookWithSecret> {
  return { ...rest, resource: { ...resource, secret } };
}
