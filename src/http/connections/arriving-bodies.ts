/**
 * Bodies of requests from their head to the end of the answer: whoever sends many, large or slow ones fills its own part of the memory that
 * a process has for them. What is refused is refused before it is read.
 */
import { Problem } from '../../api/problems/problem.ts';
import { GroupCounts } from '../../concurrency/group-counts.ts';

const MEBIBYTE = 1024 * 1024;
/** Two files of the greatest size. */
const BYTES_OF_A_TENANT = 128 * MEBIBYTE;
const BYTES_IN_ALL = 512 * MEBIBYTE;
/** What a request takes whatever its body: socket, parser, and what is known of it. */
const BYTES_OF_A_REQUEST = 64 * 1024;
/** However much others send, the first body of a tenant is taken that is no larger. */
const ALWAYS_TAKEN = MEBIBYTE;

export class ArrivingBodies {
  /** Bytes, by tenant. */
  readonly #held = new GroupCounts();

  /** Bytes that are held, of all tenants. */
  get bytes(): number {
    return this.#held.total;
  }

  /**
   * Holds room for a body; the answer gives it back, once.
   * @param length as the head says, or as much as may come where it says nothing
   * @throws {Problem} `rate_limited` when the tenant sends too much at once, `busy` when all do
   */
  hold(tenantId: string, length: number): () => void {
    const bytes = Math.max(BYTES_OF_A_REQUEST, length);
    const own = this.#held.of(tenantId);
    if (own + bytes > BYTES_OF_A_TENANT)
      throw new Problem(
        'rate_limited',
        `Bodies of ${inMebibytes(own)} MiB are on their way for the tenant already, and it may send ${inMebibytes(BYTES_OF_A_TENANT)} MiB at once. Send fewer side by side, and try again in a moment.`,
        { retryAfter: 2 },
      );
    const isTaken = own === 0 && bytes <= ALWAYS_TAKEN;
    if (this.#held.total + bytes > BYTES_IN_ALL && !isTaken)
      throw new Problem(
        'busy',
        `Bodies of ${inMebibytes(this.#held.total)} MiB are on their way already, which is the most. Try again in a moment.`,
        { retryAfter: 5 },
      );
    this.#held.add(tenantId, bytes);
    let isHeld = true;
    return () => {
      if (isHeld) this.#held.add(tenantId, -bytes);
      isHeld = false;
    };
  }
}

function inMebibytes(bytes: number): number {
  return Math.round(bytes / MEBIBYTE);
}
