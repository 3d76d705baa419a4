/** A service with webhooks, a receiver that does as it is asked to, and events that happen. */
import { Registry } from 'prom-client';
import { expect } from 'vitest';
import type { EventKind } from '../../../src/api/activity/events.ts';
import { deliverWebhooks } from '../../../src/control/webhooks/deliver-webhooks.ts';
import { countWebhookAttempts } from '../../../src/http/metrics/state-metrics.ts';
import { writeEvent } from '../../../src/store/events.ts';
import { waitFor } from '../../daemons/wait.ts';
import { startService, type Body, type TestService, type TestTenant } from '../../http/service.ts';
import { startReceiver, type Receiver } from '../outbox/receiver.ts';
import { dataOf, type Hook, takes } from './deliveries.ts';

export class WebhookScene {
  readonly service: TestService;
  readonly metrics = new Registry();
  readonly #onAttempt = countWebhookAttempts(this.metrics);
  #receiver: Receiver | null = null;
  /** Receivers that are closed at the end as well. */
  readonly others: Receiver[] = [];
  readonly faults: string[] = [];
  readonly #deliveries: { close(): Promise<void> }[] = [];
  #written = 0;

  private constructor(service: TestService) {
    this.service = service;
  }

  static async start(): Promise<WebhookScene> {
    return new WebhookScene(await startService());
  }

  get receiver(): Receiver {
    return this.#receiver!;
  }

  set receiver(receiver: Receiver) {
    this.#receiver = receiver;
  }

  /** Before each test. */
  async begin(): Promise<void> {
    this.#receiver = await startReceiver();
  }

  /** After each test: nobody delivers or receives any more, and no webhook is left. */
  async end(): Promise<void> {
    for (const delivery of this.#deliveries.splice(0)) await delivery.close();
    for (const receiver of [this.receiver, ...this.others.splice(0)]) await receiver.close();
    await this.service.database.admin('DELETE FROM webhook');
    this.faults.length = 0;
  }

  close(): Promise<void> {
    return this.service.close();
  }

  deliver(timeoutMs = 10_000, turns: { places?: number; turnMs?: number } = {}): { close(): Promise<void> } {
    const { database, dependencies } = this.service;
    const delivery = deliverWebhooks({
      db: database.db,
      secrets: dependencies.secrets,
      reach: dependencies.fetch.reach,
      onFault: (_tenantId, error) => this.faults.push(String(error)),
      ...{ onAttempt: this.#onAttempt, timeoutMs, pollMs: 20, longestDelaySeconds: 0.1, ...turns },
    });
    this.#deliveries.push(delivery);
    return delivery;
  }

  async make(body: Body = {}, { keys }: TestTenant = this.service.tenant): Promise<Hook> {
    const { url } = this.receiver;
    const made = await this.service.make('/v1/webhooks', { url, events: ['job'], ...body }, keys.operator);
    return { id: made.id, secret: String(made.secret) };
  }

  async call(method: string, path: string, body?: unknown): Promise<Body> {
    const sent = body === undefined ? {} : { body };
    const answer = await this.service.call(method, `/v1/webhooks/${path}`, sent);
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer.body;
  }

  /** Events of the tenant, one transaction each; answers what they are known by. */
  async happen(
    count: number,
    kind: EventKind = 'job',
    { id }: TestTenant = this.service.tenant,
  ): Promise<number[]> {
    const numbers = Array.from({ length: count }, () => ++this.#written);
    for (const n of numbers)
      await this.service.database.db.inTenant(id, (tx) => writeEvent(tx, kind, dataOf(kind, n)));
    return numbers;
  }

  expectTaken(numbers: readonly number[], by = this.receiver): Promise<void> {
    return takes(by, numbers, this.faults);
  }

  /** Waits until it is written down that nothing waits: what is on its way when a webhook is changed may be sent twice. */
  async settled({ id }: Hook): Promise<void> {
    await waitFor(
      async () =>
        ((await this.call('GET', `${id}/deliveries?state=pending`)).items as Body[]).length === 0 ||
        undefined,
      { what: 'nothing that waits' },
    );
  }
}
