/**
 * Bodies of requests from their head to the end of the answer: whoever sends many, large or slow ones fills its own part of the memory that
 * a process has for them. What is refused is refused before it is read.
 */
import { Problem } from '../api/problem.ts';

const MEBIBYTE = 1024 * 1024;
/** Two files of the greatest size. */
const BYTES_OF_A_TENANT = 128 * MEBIBYTE;
const BYTES_IN_ALL = 512 * MEBIBYTE;
/** What a request takes whatever its body: socket, parser, and what is known of it. */
const BYTES_OF_A_REQUEST = 64 * 1024;
/** However much others send, the first body of a tenant is taken that is no larger. */
const ALWAYS_TAKEN = MEBIBYTE;

export class ArrivingBodies {
  readonly #tenants = new Map<string, number>();
  #bytes = 0;

  /** Bytes that are held, of all tenants. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Holds room for a body; the answer gives it back, once.
   * @param length as the head says, or as much as may come where it says nothing
   * @throws {Problem} `rate_limited` when the tenant sends too much at once, `busy` when all do
   */
  hold(tenantId: string, length: number): () => void {
    const bytes = Math.max(BYTES_OF_A_REQUEST, length);
    const own = this.#tenants.get(tenantId) ?? 0;
    if (own + bytes > BYTES_OF_A_TENANT)
      throw new Problem(
        'rate_limited',
        `Bodies of ${inMebibytes(own)} MiB are on their way for the tenant already, and it may send ${inMebibytes(BYTES_OF_A_TENANT)} MiB at once. Send fewer side by side, and try again in a moment.`,
        { retryAfter: 2 },
      );
    const isTaken = own === 0 && bytes <= ALWAYS_TAKEN;
    if (this.#bytes + bytes > BYTES_IN_ALL && !isTaken)
      throw new Problem(
        'busy',
        `Bodies of ${inMebibytes(this.#bytes)} MiB are on their way already, which is the most. Try again in a moment.`,
        { retryAfter: 5 },
      );
    this.#add(tenantId, bytes);
    let isHeld = true;
    return () => {
      if (isHeld) this.#add(tenantId, -bytes);
      isHeld = false;
    };
  }

  #add(tenantId: string, bytes: number): void {
    this.#bytes += bytes;
    const own = (this.#tenants.get(tenantId) ?? 0) + bytes;
    if (own > 0) this.#tenants.set(tenantId, own);
    else this.#tenants.delete(tenantId);
  }
}

function inMebibytes(bytes: number): number {
  return Math.round(bytes / MEBIBYTE);
}
