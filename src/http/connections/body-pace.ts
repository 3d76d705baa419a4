/**
 * How fast the bodies of a tenant are read: receiving them is work of the event loop, which all tenants share, and a fast sender would fill
 * it. The first mebibytes come as they are sent; what is beyond the pace stays with the sender, since its connection is not read meanwhile.
 */
import type { IncomingMessage } from 'node:http';
import { Pace } from '../../concurrency/pace.ts';

const MEBIBYTE = 1024 * 1024;
const BYTES = {
  // All that a tenant may have on its way at once, 128 MiB, still arrives within the time that a request has.
  perSecond: 8 * MEBIBYTE,
  // Thousands of entries.
  atOnce: 4 * MEBIBYTE,
};

export class BodyPace {
  readonly #pace: Pace;

  /** @param now milliseconds that never go back */
  constructor(now?: () => number) {
    this.#pace = new Pace(BYTES, now);
  }

  /** Lets the body of a request arrive at the pace of its tenant. Whoever reads it has to begin in the same turn of the event loop. */
  keep(tenantId: string, body: IncomingMessage): void {
    body.on('data', (chunk: Buffer) => {
      const delay = this.take(tenantId, chunk.length);
      if (delay === 0) return;
      body.pause();
      setTimeout(() => body.resume(), delay).unref();
    });
  }

  /** Counts bytes that were read. @returns milliseconds until the next may be */
  take(tenantId: string, bytes: number): number {
    return this.#pace.take(tenantId, bytes);
  }
}
