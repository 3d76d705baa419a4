import { Type } from 'typebox';
import { EventQuery } from '../../api/events.ts';
import { findEventPosition } from '../../control/follow-events.ts';
import { tenantRoute } from '../route.ts';

export const EVENT_STREAM = 'text/event-stream';

export const eventRoutes = [
  tenantRoute({
    method: 'GET',
    path: '/v1/events',
    operation: 'followEvents',
    permission: 'bgp:events:read',
    tag: 'events',
    summary: 'Follow what changes',
    description:
      'Server-sent events, from now on or from the one after `Last-Event-ID`. Each has an `id`, an `event` and one line of JSON as `data`: `job` ' +
      '(JobEvent), `revision` (RevisionEvent), `session` (SessionEvent), `apply` (ApplyEvent), `module` (ModuleEvent), `tenant` (TenantEvent). All readers see the same events in the same order, ' +
      'each once. Events are kept for a day; an id that leads nowhere any more gets one event `reset` (ResetEvent), after which the client ' +
      'reads anew what it shows, and the stream goes on from now. A comment comes every 15 seconds. The stream ends when the key is taken ' +
      'back, its tenant suspended, or the service stops; a reader that takes nothing for 15 seconds is cut off. A key may hold 8 streams, a tenant 64.',
    status: 200,
    problems: ['rate_limited', 'not_acceptable'],
    query: EventQuery,
    streams: [EVENT_STREAM],
    response: Type.String(),
    handler: async ({ tx, principal, query, lastEventId: sent, authenticateAgain, services }) => {
      const lastEventId = sent ?? query.last_event_id ?? null;
      const position = await findEventPosition(tx, lastEventId);
      const { tenant, key } = principal;
      const follower = { tenantId: tenant.id, keyId: key.id, position, lastEventId, authenticateAgain };
      return { text: services.events.open(follower), mediaType: EVENT_STREAM };
    },
  }),
];
