/** Sends events to webhooks: each at least once, in order for each webhook, however often receivers and processes fail. */
import type { WebhookDelivery } from '../../api/activity/webhooks.ts';
import { duration } from '../../api/activity/operator-events.ts';
import { RestedTurns } from '../../concurrency/rested-turns.ts';
import type { Reach } from '../../core/reach.ts';
import type { Database, TenantTx } from '../../store/database/database.ts';
import type { DeliveryHolder } from '../../store/delivery-turns.ts';
import { EVENTS_CHANNEL, hasFreshEvents, numberEvents } from '../../store/events.ts';
import type { SecretBox } from '../../store/secrets.ts';
import { listPendingDeliveries, recordAttempt, skipPending } from '../../store/webhooks/deliveries.ts';
import {
  claimWebhooks,
  disableFailingWebhook,
  lockFailingWebhook,
  postponeWebhookTurn,
  releaseWebhookTurn,
  renewWebhookTurn,
  takeEvents,
  WEBHOOKS_CHANNEL,
  type WebhookClaim,
} from '../../store/webhooks/webhook-turns.ts';
import { findWebhookTarget, type WebhookTarget } from '../../store/webhooks/webhooks.ts';
import { auditGivenUpWebhook } from '../audit/audit.ts';
import { OutboxDelivery, type Outbox } from '../outbox/deliver-outbox.ts';
import type { PostAnswer } from '../outbox/post.ts';
import { Receivers } from './receivers.ts';
import { TenantsWithWebhooks } from './tenants-with-webhooks.ts';

export interface WebhookDeliveryOptions {
  readonly db: Database;
  readonly secrets: SecretBox;
  readonly reach: Reach;
  /** What the log keeps of a turn that broke off. */
  readonly onFault: (tenantId: string | null, error: unknown) => void;
  /** Counts each attempt. */
  readonly onAttempt?: (result: PostAnswer['kind']) => void;
  readonly pollMs?: number;
  readonly timeoutMs?: number;
  readonly longestDelaySeconds?: number;
  readonly places?: number;
  readonly turnMs?: number;
}

/** Webhooks that are served side by side, and of these one tenant's: dead receivers of one leave the places of others free. */
const PLACES = 128;
const PLACES_OF_A_TENANT = 16;
const DELIVERIES_OF_A_TURN = 100;
/** Longer than a receiver may take. */
const LEASE_SECONDS = 20;
/** How often it looks for what it was not hinted at, and how soon after a look at the earliest: events come by the dozen. */
const POLL_MS = 5_000;
const LEAST_MS = 200;
const LONGEST_DELAY_SECONDS = 300;
/** A receiver that takes nothing for so long is given up. Events are kept as long. */
const GIVE_UP_SECONDS = 24 * 3_600;
/** The receiver says that it is gone permanently (RFC 9110, section 15.5.11). */
const GONE = 410;

interface Item {
  readonly target: WebhookTarget;
  readonly delivery: WebhookDelivery;
}

/** Begins at once. */
export function deliverWebhooks(options: WebhookDeliveryOptions): { close(): Promise<void> } {
  const { db, reach, onFault, pollMs = POLL_MS, timeoutMs } = options;
  const receivers = new Receivers(reach, timeoutMs);
  const delivery = new OutboxDelivery<WebhookClaim, Item>({
    outbox: webhookOutbox(options, receivers),
    onFault: (claim, error) => onFault(claim?.tenantId ?? null, error),
    places: options.places ?? PLACES,
    ...(options.turnMs === undefined ? {} : { turnMs: options.turnMs }),
    leaseSeconds: LEASE_SECONDS,
    leastMs: Math.min(LEAST_MS, pollMs),
    longestDelaySeconds: options.longestDelaySeconds ?? LONGEST_DELAY_SECONDS,
    pollMs,
  });
  const tenants = new TenantsWithWebhooks(db);
  const hints = [
    db.listen(WEBHOOKS_CHANNEL, (tenantId) => {
      if (tenantId === null) tenants.readAgain();
      else tenants.add(tenantId);
      delivery.hint();
    }),
    db.listen(EVENTS_CHANNEL, (tenantId) => {
      if (tenantId === null || tenants.mayHave(tenantId)) delivery.hint();
    }),
  ];
  return {
    async close() {
      for (const hint of hints) hint.close();
      await delivery.close();
      await receivers.close();
    },
  };
}

function webhookOutbox(
  { db, secrets, onAttempt = () => undefined }: WebhookDeliveryOptions,
  receivers: Receivers,
): Outbox<WebhookClaim, Item> {
  // A tenant may have a thousand webhooks whose receivers answer at once, in the process that serves everybody's requests.
  const turns = new RestedTurns();
  const inTenant = <T>({ tenantId }: WebhookClaim, work: (tx: TenantTx) => Promise<T>): Promise<T> =>
    turns.run(tenantId, () => db.inTenant(tenantId, work));
  return {
    claim: (holder, busy, limit) =>
      db.alone((tx) => claimWebhooks(tx, holder, busy, { limit, ofTenant: PLACES_OF_A_TENANT })),
    async next(claim, holder) {
      for (let isNumbered = false; ;) {
        const { items, isMore, isFresh } = await inTenant(claim, (tx) =>
          nextItems(tx, secrets, holder, claim.webhookId),
        );
        const numbers: boolean = isFresh && !isNumbered;
        if (items.length > 0 || !(isMore || numbers)) return items;
        // By itself: whoever gives events their numbers waits for others who do, and must keep nobody from the webhook meanwhile.
        if (numbers) await inTenant(claim, numberEvents);
        isNumbered ||= numbers;
      }
    },
    async send(_claim, { target, delivery }, signal) {
      const answer = await receivers.send(target, delivery, signal);
      onAttempt(answer.kind);
      return answer;
    },
    settle: (holder, claim, { delivery: { id } }, answer) =>
      inTenant(claim, async (tx) => {
        const isTaken = answer.kind === 'taken';
        const isOurs = await renewWebhookTurn(tx, claim, holder, isTaken);
        const { status } = answer;
        const result = isTaken
          ? { state: 'delivered' as const, status, error: null }
          : { state: 'refused' as const, status, error: answer.error };
        if (isOurs || isTaken) await recordAttempt(tx, id, result);
        return isOurs;
      }),
    async postpone(holder, claim, { delivery: { id } }, { seconds, answer: { status, error } }) {
      const failing = await inTenant(claim, async (tx) => {
        const since = await postponeWebhookTurn(tx, claim, holder, { seconds, error });
        // Null: somebody else sends it now, or has.
        if (since !== null) await recordAttempt(tx, id, { state: 'pending', status, error });
        return since;
      });
      if (failing === null) return;
      const { webhookId } = claim;
      if (status === GONE)
        await inTenant(claim, (tx) => giveUp(tx, webhookId, `Disabled, since it is gone: ${error}`));
      else if (failing >= GIVE_UP_SECONDS) {
        const reason = `Disabled after ${duration(failing)} without success: ${error}`;
        await inTenant(claim, (tx) => giveUp(tx, webhookId, reason));
      }
    },
    release: (holder, claim) => inTenant(claim, (tx) => releaseWebhookTurn(tx, claim, holder)),
  };
}

/** What waits, else what has happened since, as far as it has a number. */
async function nextItems(
  tx: TenantTx,
  secrets: SecretBox,
  holder: DeliveryHolder,
  webhookId: string,
): Promise<{ readonly items: readonly Item[]; readonly isMore: boolean; readonly isFresh: boolean }> {
  const target = await findWebhookTarget(tx, secrets, webhookId);
  if (target === null) return { items: [], isMore: false, isFresh: false };
  const read = async (): Promise<Item[]> =>
    (await listPendingDeliveries(tx, webhookId, DELIVERIES_OF_A_TURN)).map((delivery) => ({
      target,
      delivery,
    }));
  const waiting = await read();
  if (waiting.length > 0) return { items: waiting, isMore: true, isFresh: false };
  const { taken, isMore } = await takeEvents(tx, webhookId, holder, target.events);
  return { items: taken > 0 ? await read() : [], isMore, isFresh: await hasFreshEvents(tx) };
}

async function giveUp(tx: TenantTx, webhookId: string, reason: string): Promise<void> {
  if (!(await lockFailingWebhook(tx, webhookId))) return;
  const name = await disableFailingWebhook(tx, webhookId, reason);
  if (name === null) return;
  await skipPending(tx, webhookId);
  await auditGivenUpWebhook(tx, { id: webhookId, name }, reason);
}
