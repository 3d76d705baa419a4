import { EventQuery, EventStream } from '../../../api/activity/events.ts';
import { findEventPosition } from '../../../control/follow-events.ts';
import { tenantRoute } from '../../route.ts';

export const EVENT_STREAM = 'text/event-stream';

export const eventRoutes = [
  tenantRoute({
    method: 'GET',
    path: '/v1/events',
    operation: 'followEvents',
    permission: 'bgp:events:read',
    tag: 'events',
    summary: 'Stream events',
    description:
      'Server-sent events, from now on or from the one after `Last-Event-ID`. Each has an `id`, an `event` and one line of JSON as ' +
      '`data`: `job` (JobEvent), `revision` (RevisionEvent), `session` (SessionEvent), `apply` (ApplyEvent), `module` (ModuleEvent), ' +
      '`source` (SourceEvent), ' +
      '`tenant` (TenantEvent), `audit` (AuditEvent). All readers receive the same events in the same order, each once. Events are kept for a day. If the ' +
      'event of `Last-Event-ID` is no longer kept, the stream sends one event `reset` (ResetEvent) and continues from now: the ' +
      'client must read the current state again. A comment is sent every 15 seconds. The stream ends when the key is revoked, its ' +
      'tenant is suspended, or the service stops. A client that reads nothing for 15 seconds is disconnected. A key may have 8 ' +
      'streams, a tenant 64.',
    status: 200,
    problems: ['rate_limited', 'not_acceptable'],
    query: EventQuery,
    streams: [EVENT_STREAM],
    response: EventStream,
    handler: async ({ tx, principal, query, lastEventId: sent, authenticateAgain, services }) => {
      const lastEventId = sent ?? query.last_event_id ?? null;
      const position = await findEventPosition(tx, lastEventId);
      const { tenant, key } = principal;
      const follower = { tenantId: tenant.id, keyId: key.id, position, lastEventId, authenticateAgain };
      return { text: services.events.open(follower), mediaType: EVENT_STREAM };
    },
  }),
];
