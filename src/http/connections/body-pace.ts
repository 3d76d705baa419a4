/**
 * How fast the bodies of a tenant are read: receiving them is work of the event loop, which all tenants share, and a fast sender would fill
 * it. The first mebibytes come as they are sent; what is beyond the pace stays with the sender, since its connection is not read meanwhile.
 */
import type { IncomingMessage } from 'node:http';

const MEBIBYTE = 1024 * 1024;
/** A second: all that a tenant may have on its way at once, 128 MiB, still arrives within the time that a request has. */
const BYTES_A_SECOND = 8 * MEBIBYTE;
/** What may come at once after a pause: thousands of entries. */
const AT_ONCE = 4 * MEBIBYTE;
/** Tenants of which something is remembered; of those that have paused long enough nothing needs to be. */
const REMEMBERED = 1_000;

interface Allowance {
  /** Negative: so much was read beyond it. */
  bytes: number;
  at: number;
}

export class BodyPace {
  readonly #tenants = new Map<string, Allowance>();
  readonly #now: () => number;

  /** @param now milliseconds that never go back */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
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
    const now = this.#now();
    const allowance = this.#tenants.get(tenantId) ?? this.#remember(tenantId, now);
    allowance.bytes = grown(allowance, now) - bytes;
    allowance.at = now;
    return Math.max(0, Math.ceil((-allowance.bytes / BYTES_A_SECOND) * 1_000));
  }

  #remember(tenantId: string, now: number): Allowance {
    if (this.#tenants.size >= REMEMBERED)
      for (const [id, allowance] of this.#tenants)
        if (grown(allowance, now) === AT_ONCE) this.#tenants.delete(id);
    const allowance = { bytes: AT_ONCE, at: now };
    this.#tenants.set(tenantId, allowance);
    return allowance;
  }
}

function grown({ bytes, at }: Allowance, now: number): number {
  return Math.min(AT_ONCE, bytes + ((now - at) / 1_000) * BYTES_A_SECOND);
}
