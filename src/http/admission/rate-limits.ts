/**
 * How much one caller may ask of one process: a number of requests a minute for each key, and of failed authentications for each
 * address. Answers say where the caller stands, in the fields of draft-ietf-httpapi-ratelimit-headers.
 */
import { LRUCache } from 'lru-cache';
import { isMachine, type Role } from '../../api/access/permissions.ts';
import { Problem } from '../../api/problems/problem.ts';
import type { RateLimits } from '../../config/config.ts';
import { parseAddress } from '../../core/address.ts';
import { plainAddress } from '../../core/socket-address.ts';

const WINDOW_SECONDS = 60;
const WINDOW_MILLISECONDS = WINDOW_SECONDS * 1000;
/** Callers remembered at once; beyond it, whose minute began first is forgotten. */
const MAXIMUM_CALLERS = 50_000;

interface Window {
  used: number;
  readonly endsAt: number;
}

/** Counts by name; each count starts again a minute after its first. */
class Windows {
  // By size, as `max` would take the memory for all of them at once.
  readonly #windows = new LRUCache<string, Window>({ maxSize: MAXIMUM_CALLERS, sizeCalculation: () => 1 });

  count(name: string, now: number): Window {
    const window = this.open(name, now);
    window.used++;
    return window;
  }

  /** The window of the name, a new one where there is none. */
  open(name: string, now: number): Window {
    return this.find(name, now) ?? this.#begin(name, now);
  }

  find(name: string, now: number): Window | undefined {
    const window = this.#windows.peek(name); // a look keeps no window for longer
    return window !== undefined && window.endsAt > now ? window : undefined;
  }

  #begin(name: string, now: number): Window {
    const window = { used: 0, endsAt: now + WINDOW_MILLISECONDS };
    this.#windows.set(name, window);
    return window;
  }
}

export class RateLimiter {
  readonly #limits: RateLimits;
  readonly #now: () => number;
  readonly #requests = new Windows();
  readonly #failures = new Windows();

  /** @param now milliseconds that never go back */
  constructor(limits: RateLimits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
  }

  /**
   * Counts a request of the key, unless {@link countRequest} would refuse it.
   * @returns the header fields of the answer; null: it is not counted
   */
  countAllowed(keyId: string, role: Role, method: string): RateLimitFields | null {
    const policy = policyOf(role, method);
    const limit = this.#limits[policy];
    if (limit === 0) return [];
    const now = this.#now();
    const window = this.#requests.open(`${policy} ${keyId}`, now);
    if (window.used >= limit) return null;
    window.used++;
    return fieldsOf(policy, limit, window, now);
  }

  /**
   * Counts a request of the key.
   * @param onField receives each header field of the answer, whether or not the request is refused
   * @throws {Problem} `rate_limited`
   */
  countRequest(
    keyId: string,
    role: Role,
    method: string,
    onField: (name: string, value: string) => void,
  ): void {
    const policy = policyOf(role, method);
    const limit = this.#limits[policy];
    if (limit === 0) return;
    const now = this.#now();
    const window = this.#requests.count(`${policy} ${keyId}`, now);
    const fields = fieldsOf(policy, limit, window, now);
    for (let at = 0; at < fields.length; at += 2) onField(fields[at]!, fields[at + 1]!);
    const seconds = secondsLeft(window, now);
    if (window.used > limit)
      throw new Problem(
        'rate_limited',
        `The key may send ${limit} ${NOUNS[policy]} a minute. Wait ${seconds} s, and send fewer; lists of entries can be sent at once.`,
        { retryAfter: seconds },
      );
  }

  /** Counts a look-up of a key that was not good. */
  countFailure(address: string): void {
    if (this.#limits.failures > 0) this.#failures.count(networkOf(address), this.#now());
  }

  /** Whether the address has sent too many wrong keys within a minute, so that its next ones are looked up slowly. */
  hasManyFailures(address: string): boolean {
    const limit = this.#limits.failures;
    if (limit === 0) return false;
    return (this.#failures.find(networkOf(address), this.#now())?.used ?? 0) >= limit;
  }
}

type Policy = 'reads' | 'writes' | 'nodes';
/** Names and values in turns, as node writes them. */
export type RateLimitFields = readonly string[];

function fieldsOf(policy: Policy, limit: number, window: Window, now: number): RateLimitFields {
  const left = `"${policy}";r=${Math.max(0, limit - window.used)};t=${secondsLeft(window, now)}`;
  return ['ratelimit-policy', `"${policy}";q=${limit};w=${WINDOW_SECONDS}`, 'ratelimit', left];
}

function secondsLeft({ endsAt }: Window, now: number): number {
  return Math.ceil((endsAt - now) / 1000);
}

const NOUNS: Readonly<Record<Policy, string>> = {
  reads: 'reading requests',
  writes: 'changing requests',
  nodes: 'requests',
};

function policyOf(role: Role, method: string): Policy {
  if (isMachine(role)) return 'nodes';
  return method === 'GET' || method === 'HEAD' ? 'reads' : 'writes';
}

/** The name under which an address is counted: a client with one IPv6 address has a whole /64. */
export function networkOf(address: string): string {
  const bare = plainAddress(address);
  const parsed = parseAddress(bare);
  if (!parsed.ok || parsed.value.family === 'ipv4') return bare;
  return parsed.value.words.slice(0, 2).join(':');
}
