/** Where webhooks go, by the rules for the addresses of sources: see sources/fetch/address-guard.ts. */
import type { Agent } from 'undici';
import type { Reach } from '../../core/reach.ts';
import { guardedConnector } from '../../sources/fetch/address-guard.ts';
import { unreadable } from '../../store/sealed-values.ts';
import type { WebhookTarget } from '../../store/webhooks/webhooks.ts';
import { post, type PostAnswer } from '../outbox/post.ts';
import { type Delivery, messageOf } from './message.ts';

const TIMEOUT_MS = 10_000;
/** Of an answer's headers: all that a receiver can make us read beside the beginning of its body. */
const HEADER_BYTES = 16_384;

/** Not an error of the receiver: whoever reads it must not look there. */
const UNREADABLE_SECRET = unreadable(
  'the stored secret',
  'nothing is sent',
  'give it another one (POST /v1/webhooks/{id}/rotate), and give that to the receiver',
);

export class Receivers {
  readonly #reach: Reach;
  readonly #timeoutMs: number;
  #agent: Promise<Agent> | null = null;

  /** Opens nothing yet. */
  constructor(reach: Reach, timeoutMs = TIMEOUT_MS) {
    this.#reach = reach;
    this.#timeoutMs = timeoutMs;
  }

  /** Never rejects, but with the signal's reason when it aborts. */
  async send(target: WebhookTarget, delivery: Delivery, signal: AbortSignal): Promise<PostAnswer> {
    const { secret } = target;
    if (secret === null) return { kind: 'failed', status: null, error: UNREADABLE_SECRET, retryAfter: 0 };
    this.#agent ??= this.#open();
    const message = messageOf({ ...target, secret }, delivery, Math.floor(Date.now() / 1_000));
    const timeoutMs = this.#timeoutMs;
    return post(message, { agent: await this.#agent, receiver: 'the receiver', timeoutMs, signal });
  }

  async close(): Promise<void> {
    await (await this.#agent)?.destroy();
  }

  async #open(): Promise<Agent> {
    const { Agent } = await import('undici'); // not needed when the service starts
    const connect = await guardedConnector(this.#reach, this.#timeoutMs);
    return new Agent({ connect, maxHeaderSize: HEADER_BYTES });
  }
}
