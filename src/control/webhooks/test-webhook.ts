import { v7 as uuidv7 } from 'uuid';
import type { WebhookDelivery } from '../../api/activity/webhooks.ts';
import type { Reach } from '../../core/reach.ts';
import type { Database } from '../../store/database/database.ts';
import { insertTest } from '../../store/webhooks/deliveries.ts';
import type { WebhookTarget } from '../../store/webhooks/webhooks.ts';
import type { PostAnswer } from '../outbox/post.ts';
import { TenantPlaces } from '../tenant-places.ts';
import { Receivers } from './receivers.ts';

/** Each may hold a connection to somebody who does not answer. */
const places = new TenantPlaces({ inAll: 64, ofTenant: 8, what: 'webhooks are being tried', retryAfter: 2 });

/**
 * Sends a test at once, past all that waits. What became of it is part of the answer.
 * @throws {Problem} `rate_limited` when too many run
 */
export function testWebhook(db: Database, target: WebhookTarget, reach: Reach): Promise<WebhookDelivery> {
  return places.take(target.tenant.id, async () => {
    const delivery = {
      ...{ id: uuidv7(), event: 'test' as const, event_id: null },
      data: { at: new Date().toISOString(), message: `A test of the webhook ${target.name}` },
    };
    const receivers = new Receivers(reach);
    let answer: PostAnswer;
    try {
      answer = await receivers.send(target, delivery, new AbortController().signal);
    } finally {
      await receivers.close();
    }
    return db.inTenant(target.tenant.id, (tx) =>
      insertTest(tx, target.id, delivery.id, delivery.data, attemptOf(answer)),
    );
  });
}

function attemptOf(answer: PostAnswer): Parameters<typeof insertTest>[4] {
  const { kind, status } = answer;
  return kind === 'taken'
    ? { state: 'delivered', status, error: null }
    : { state: 'refused', status, error: answer.error };
}
