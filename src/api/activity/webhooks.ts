/** Webhooks: receivers elsewhere, which are sent what `GET /v1/events` sends. */
import { Type, type Static } from 'typebox';
import { SearchText } from '../shapes/members.ts';
import { Name } from '../shapes/names.ts';
import { Id, Nullable, Strict, Timestamp, listQuery, resourceMembers } from '../shapes/page.ts';
import { EVENT_DATA, EVENT_KINDS, type EventKind } from './events.ts';

export const WEBHOOK_FORMATS = ['json', 'slack'] as const;
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number];

/** Beside events: `reset` where some were missed for good, and `test`. */
export type DeliveredEvent = EventKind | 'reset' | 'test';

/** Headers of a request to a receiver, in small letters. */
export const WEBHOOK_HEADERS = {
  event: 'prefixcast-event',
  delivery: 'prefixcast-delivery',
  time: 'prefixcast-time',
  signature: 'prefixcast-signature',
} as const;

const writable = {
  name: Name('Unique in the tenant, without case'),
  description: Nullable(Type.String({ maxLength: 500 }), 'For people; means nothing to the service'),
  url: Type.String({
    minLength: 1,
    maxLength: 2048,
    description:
      'Where it is sent to, by POST: https or http, without user and password. Only public addresses are reached, and networks of `APP_FETCH_ALLOW`; redirects are not followed',
  }),
  events: Type.Array(Type.Enum(EVENT_KINDS), {
    minItems: 1,
    maxItems: EVENT_KINDS.length,
    uniqueItems: true,
    description: 'Kinds of events that it is sent, as `GET /v1/events` has them',
  }),
  format: Type.Enum(WEBHOOK_FORMATS, {
    description:
      '`json`: a WebhookMessage; `slack`: a sentence as `text`, as incoming webhooks of Slack and Mattermost take it. Default: `json`',
  }),
  enabled: Type.Boolean({
    description:
      'Default: true. What happens while it is disabled is never sent, and neither is what waited before',
  }),
};

export const Webhook = Strict({
  ...resourceMembers,
  ...writable,
  secret_prefix: Type.String({ description: 'How its secret begins' }),
  status: Type.Enum(['ok', 'failing', 'disabled'], {
    description:
      '`failing`: the last attempt failed, and all that comes waits behind it; `disabled`: by an operator, or by the service, as `last_error` then says',
  }),
  last_error: Nullable(Type.String(), 'Why the last attempt failed; null when it did not'),
  failing_since: Nullable(Timestamp, 'null: the last attempt was good'),
  next_attempt_at: Nullable(Timestamp, 'Of one that is failing'),
  last_delivered_at: Nullable(Timestamp, 'When the receiver last took something, be it a test; null: never'),
});
export type Webhook = Static<typeof Webhook>;

/** With the secret, which is shown once. */
export const WebhookWithSecret = Strict({
  ...Webhook.properties,
  secret: Type.String({ description: 'Signs what is sent; see `docs/webhooks.md`' }),
});
export type WebhookWithSecret = Static<typeof WebhookWithSecret>;

export const WebhookCreate = Strict({
  name: Type.Optional(
    Name("Unique in the tenant; where nothing is said the URL's host, with a number if need be"),
  ),
  description: Type.Optional(writable.description),
  url: writable.url,
  events: writable.events,
  format: Type.Optional(writable.format),
  enabled: Type.Optional(writable.enabled),
});
export type WebhookCreate = Static<typeof WebhookCreate>;

export const WebhookPatch = Type.Partial(Strict(writable), {
  additionalProperties: false,
  minProperties: 1,
});
export type WebhookPatch = Static<typeof WebhookPatch>;

export const WebhookQuery = listQuery({
  enabled: Type.Optional(Type.Boolean()),
  q: Type.Optional(SearchText),
});
export type WebhookQuery = Static<typeof WebhookQuery>;

const DeliveryState = Type.Enum(['pending', 'delivered', 'refused', 'skipped'], {
  description:
    '`pending`: it waits, or is tried again; `delivered`: answered with 2xx; `refused`: answered with a 4xx that no repetition changes; `skipped`: the webhook was disabled before',
});
export type DeliveryState = Static<typeof DeliveryState>;

const Event = Type.Enum([...EVENT_KINDS, 'reset', 'test'] as const, {
  description:
    '`reset`: events were missed for good, since they waited longer than they are kept; `test`: of `POST …/test`',
});

/** What the event `test` says. */
export const TestEvent = Strict({
  at: Timestamp,
  message: Type.String({ examples: ['A test of the webhook chat'] }),
});

export const DeliveredData = Type.Unsafe<Readonly<Record<string, unknown>>>(
  Type.Union([...EVENT_DATA, TestEvent], { description: 'As `GET /v1/events` has it; of `test`, a message' }),
);

export const WebhookDelivery = Strict({
  id: Id,
  created_at: Timestamp,
  webhook_id: Id,
  event: Event,
  event_id: Nullable(
    Type.String(),
    'The `id` that `GET /v1/events` has for it; null: it is none of these events',
  ),
  data: DeliveredData,
  state: DeliveryState,
  attempts: Type.Integer({ minimum: 0 }),
  attempted_at: Nullable(Timestamp, 'The last attempt; null: there was none'),
  status: Nullable(Type.Integer(), 'Of the last answer; null: there was none'),
  error: Nullable(Type.String(), 'Why the last attempt failed; null when it did not'),
});
export type WebhookDelivery = Static<typeof WebhookDelivery>;

/** Deliveries come with the newest first. */
export const WebhookDeliveryQuery = listQuery({
  state: Type.Optional(DeliveryState),
  event: Type.Optional(Event),
});
export type WebhookDeliveryQuery = Static<typeof WebhookDeliveryQuery>;

/** What a receiver gets, in the format `json`. */
export const WebhookMessage = Strict({
  id: Type.String({ description: 'Of the delivery: the same each time it is sent' }),
  event: Event,
  event_id: WebhookDelivery.properties.event_id,
  tenant: Strict({ id: Id, slug: Type.String() }),
  webhook: Strict({ id: Id, name: Type.String() }),
  data: WebhookDelivery.properties.data,
});
export type WebhookMessage = Static<typeof WebhookMessage>;
