/** What a receiver is sent: body, headers and signature. */
import { createHmac } from 'node:crypto';
import {
  WEBHOOK_HEADERS,
  type WebhookDelivery,
  type WebhookFormat,
  type WebhookMessage,
} from '../../api/activity/webhooks.ts';
import type { WebhookTarget } from '../../store/webhooks/webhooks.ts';
import type { Post } from '../outbox/post.ts';
import { sentenceOf } from './sentence.ts';

export type Delivery = Pick<WebhookDelivery, 'id' | 'event' | 'event_id' | 'data'>;

/** One whose secret is known. */
type SigningTarget = WebhookTarget & { readonly secret: string };

/** @param at seconds since 1970, when it is sent: receivers may reject old messages */
export function messageOf(target: SigningTarget, delivery: Delivery, at: number): Post {
  const body = JSON.stringify(BODIES[target.format](target, delivery));
  return {
    url: target.url,
    body,
    headers: {
      [WEBHOOK_HEADERS.event]: delivery.event,
      [WEBHOOK_HEADERS.delivery]: delivery.id,
      [WEBHOOK_HEADERS.time]: String(at),
      [WEBHOOK_HEADERS.signature]: `sha256=${signatureOf(target.secret, at, body)}`,
    },
  };
}

/** HMAC-SHA256 over time, a dot and body (RFC 2104), in hexadecimal. */
function signatureOf(secret: string, at: number, body: string): string {
  return createHmac('sha256', secret).update(`${at}.${body}`).digest('hex');
}

const BODIES: Readonly<Record<WebhookFormat, (target: WebhookTarget, delivery: Delivery) => object>> = {
  json: ({ tenant, id, name }, { id: delivery, event, event_id, data }): WebhookMessage => ({
    ...{ id: delivery, event, event_id, tenant, webhook: { id, name }, data },
  }),
  slack: ({ tenant: { slug } }, { event, data }) => ({
    text: `Prefixcast (${escaped(slug)}): ${escaped(sentenceOf(event, data))}`,
  }),
};

/** The three characters that mean something in a text of Slack's. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
