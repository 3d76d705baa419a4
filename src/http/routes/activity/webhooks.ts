import {
  Webhook,
  WebhookCreate,
  WebhookDelivery,
  WebhookDeliveryQuery,
  WebhookPatch,
  WebhookQuery,
  WebhookWithSecret,
} from '../../../api/activity/webhooks.ts';
import { notFound } from '../../../api/problems/problem.ts';
import { PageOf } from '../../../api/shapes/page.ts';
import { testWebhook } from '../../../control/webhooks/test-webhook.ts';
import { changeWebhook, createWebhook, resend, rotateWebhook } from '../../../control/webhooks/webhooks.ts';
import { getDelivery, listDeliveries } from '../../../store/webhooks/deliveries.ts';
import {
  deleteWebhook,
  findWebhookTarget,
  getWebhook,
  listWebhooks,
} from '../../../store/webhooks/webhooks.ts';
import { created, readResource } from '../../answer.ts';
import { CREATED, tenantRoute, UNVERSIONED, type ReadRequest, type TenantRequest } from '../../route.ts';

const tag = 'webhooks';
const path = '/v1/webhooks';
const item = `${path}/{id}` as const;
const deliveries = `${item}/deliveries` as const;
const params = { id: 'webhook' } as const;
const ofDelivery = { ...params, delivery_id: 'webhook delivery' } as const;
const read = ({ tx, params: { id } }: ReadRequest<'id'>) => getWebhook(tx, id);
const sendingOf = ({ context, services }: Pick<TenantRequest, 'context' | 'services'>) => ({
  secrets: context.secrets,
  reach: services.fetch.reach,
});

export const webhookRoutes = [
  tenantRoute({
    method: 'GET',
    path,
    operation: 'listWebhooks',
    permission: 'bgp:webhooks:read',
    tag,
    summary: 'List webhooks',
    status: 200,
    query: WebhookQuery,
    response: PageOf(Webhook),
    handler: async ({ tx, query }) => ({ body: await listWebhooks(tx, query) }),
  }),
  tenantRoute({
    method: 'POST',
    path,
    operation: 'createWebhook',
    permission: 'bgp:webhooks:write',
    audit: 'webhook.create',
    read: CREATED,
    tag,
    summary: 'Create a webhook',
    description:
      'The receiver is sent what happens from now on: each event at least once, and in order. The answer holds the secret, which is shown only once. It signs each ' +
      'request: `prefixcast-signature` is `sha256=` and the HMAC-SHA256 of `prefixcast-time`, a dot and the body.',
    status: 201,
    problems: ['conflict', 'source_refused_address'],
    body: WebhookCreate,
    example: { url: 'https://hooks.example.net/prefixcast', events: ['revision', 'apply', 'module'] },
    response: WebhookWithSecret,
    handler: async (request) =>
      created(path, await createWebhook(request.tx, sendingOf(request), request.body)),
  }),
  tenantRoute({
    method: 'GET',
    path: item,
    operation: 'getWebhook',
    permission: 'bgp:webhooks:read',
    tag,
    summary: 'Read a webhook',
    status: 200,
    params,
    response: Webhook,
    handler: async (request) => readResource(await read(request)),
  }),
  tenantRoute({
    method: 'PATCH',
    path: item,
    operation: 'changeWebhook',
    permission: 'bgp:webhooks:write',
    audit: 'webhook.change',
    read,
    tag,
    summary: 'Change a webhook',
    description:
      'What waits is sent as the webhook is then, at once. A webhook that is disabled forgets what waits; one that is enabled is sent what happens from then on.',
    status: 200,
    problems: ['conflict', 'source_refused_address'],
    params,
    body: WebhookPatch,
    example: { events: ['revision'], format: 'slack' },
    response: Webhook,
    handler: async (request) => {
      const { tx, params: ofPath, body, ifMatch } = request;
      return readResource(await changeWebhook(tx, sendingOf(request), ofPath.id, body, ifMatch));
    },
  }),
  tenantRoute({
    method: 'DELETE',
    path: item,
    operation: 'deleteWebhook',
    permission: 'bgp:webhooks:write',
    audit: 'webhook.delete',
    read,
    tag,
    summary: 'Delete a webhook',
    description: 'With its deliveries; what is on its way may still arrive.',
    status: 204,
    params,
    handler: async ({ tx, params: { id }, ifMatch }) => {
      await deleteWebhook(tx, id, ifMatch);
      return {};
    },
  }),
  tenantRoute({
    method: 'POST',
    path: `${item}/rotate`,
    operation: 'rotateWebhook',
    permission: 'bgp:webhooks:write',
    audit: 'webhook.rotate',
    read,
    tag,
    summary: 'Give a webhook another secret',
    description:
      'The answer holds the new secret, which is shown only once. It signs from the next attempt on; a receiver that takes both for a moment misses nothing.',
    status: 200,
    params,
    response: WebhookWithSecret,
    handler: async ({ tx, context, params: { id }, ifMatch }) =>
      readResource(await rotateWebhook(tx, context, id, ifMatch)),
  }),
  tenantRoute({
    method: 'POST',
    path: `${item}/test`,
    operation: 'testWebhook',
    permission: 'bgp:webhooks:write',
    audit: { none: 'It sends a text that means nothing, and changes nothing.' },
    tag,
    summary: 'Send a test to a webhook',
    description:
      'Sends an event `test` at once, past all that waits and even if the webhook is disabled. `state`, `status` and `error` of the answer say what became of it.',
    status: 200,
    problems: ['rate_limited'],
    params,
    response: WebhookDelivery,
    asksOutside: true,
    handler: async ({ tx, context, params: { id }, services: { db, fetch } }) => {
      const target = await findWebhookTarget(tx, context.secrets, id);
      if (target === null) throw notFound('webhook', id);
      return { outside: async () => ({ body: await testWebhook(db, target, fetch.reach) }) };
    },
  }),
  tenantRoute({
    method: 'GET',
    path: deliveries,
    operation: 'listWebhookDeliveries',
    permission: 'bgp:webhooks:read',
    tag,
    summary: 'List the deliveries of a webhook',
    description: 'The last thousand, the newest first, and those that wait.',
    status: 200,
    params,
    query: WebhookDeliveryQuery,
    response: PageOf(WebhookDelivery),
    handler: async ({ tx, params: { id }, query }) => {
      await getWebhook(tx, id);
      return { body: await listDeliveries(tx, id, query) };
    },
  }),
  tenantRoute({
    method: 'GET',
    path: `${deliveries}/{delivery_id}`,
    operation: 'getWebhookDelivery',
    permission: 'bgp:webhooks:read',
    tag,
    summary: 'Read a delivery',
    status: 200,
    params: ofDelivery,
    response: WebhookDelivery,
    handler: async ({ tx, params: { id, delivery_id: delivery } }) => ({
      body: await getDelivery(tx, id, delivery),
      version: UNVERSIONED,
    }),
  }),
  tenantRoute({
    method: 'POST',
    path: `${deliveries}/{delivery_id}/resend`,
    operation: 'resendWebhookDelivery',
    permission: 'bgp:webhooks:write',
    audit: { none: 'It sends what was sent before; the delivery says when and how often.' },
    tag,
    summary: 'Send a delivery again',
    description: 'With the same id, before all that waits.',
    status: 200,
    problems: ['conflict'],
    params: ofDelivery,
    response: WebhookDelivery,
    handler: async ({ tx, params: { id, delivery_id: delivery } }) => ({
      body: await resend(tx, id, delivery),
      version: UNVERSIONED,
    }),
  }),
];
