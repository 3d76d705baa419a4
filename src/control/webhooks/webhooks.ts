import type { Webhook, WebhookCreate, WebhookPatch, WebhookWithSecret } from '../../api/activity/webhooks.ts';
import { fieldProblem, Problem } from '../../api/problems/problem.ts';
import type { WebhookDelivery } from '../../api/activity/webhooks.ts';
import type { Reach } from '../../core/reach.ts';
import { hostRefusal } from '../../sources/fetch/address-guard.ts';
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

/** How webhooks of the service are sent. */
interface Sending extends Pick<ControlContext, 'secrets'> {
  readonly reach: Reach;
}

/**
 * The answer has the secret, which is shown once.
 * @throws {Problem} `source_refused_address` where nothing would be sent to, as far as the URL says
 */
export async function createWebhook(
  tx: TenantTx,
  { secrets, reach }: Sending,
  body: WebhookCreate,
): Promise<Versioned<WebhookWithSecret>> {
  const url = checkUrl(body.url, reach);
  const name = body.name ?? (await freeName(tx, 'webhook', url.hostname.slice(0, 90)));
  const secret = mintSecret();
  const made = await insertWebhook(tx, secrets, { ...DEFAULTS, ...body, url: url.href, name, secret });
  return withSecret(made, secret);
}

export async function changeWebhook(
  tx: TenantTx,
  { secrets, reach }: Sending,
  id: string,
  patch: WebhookPatch,
  version: number | null,
): Promise<Versioned<Webhook>> {
  const url = patch.url === undefined ? {} : { url: checkUrl(patch.url, reach).href };
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

/** Where a name leads is seen when it is sent to. */
function checkUrl(text: string, reach: Reach): URL {
  const checked = checkSourceUrl(text);
  if (!checked.ok)
    throw fieldProblem('/url', checked.reason.replace('; sources are read over', '; webhooks are sent over'));
  const refusal = hostRefusal(checked.value, reach);
  if (refusal === null) return checked.value;
  throw new Problem('source_refused_address', `/url: ${refusal}`, {
    errors: [{ pointer: '/url', detail: refusal }],
  });
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
