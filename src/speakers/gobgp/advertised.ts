/**
 * How many routes each peer is sent. GoBGP runs every route through the policies to tell, which for a million takes it a dozen seconds:
 * so it is asked no more often than costs it a small part of its time. After an apply meanwhile the number is reckoned, if what GoBGP
 * told before was what had been reckoned: then its table and policies, which every apply verifies, leave no other.
 */
import { LONG_DEADLINE, type GobgpApi } from './api.ts';
import type { ListedPeer } from './messages.ts';

/** An answer stays valid for this multiple of the time that it took. */
const SHARE = 50;
/** One that took no longer than this, in milliseconds, is always worth asking for. */
const CHEAP = 100;

interface Count {
  /** When the session came up. */
  readonly session: number;
  readonly count: number;
  /** Milliseconds that GoBGP took to tell. */
  readonly cost: number;
  /** Until when it is good. */
  readonly until: number;
}

/** Routes that peers are to be sent, by their addresses. */
export type ExpectedCounts = ReadonlyMap<string, number>;

export class AdvertisedCounts {
  readonly #api: GobgpApi;
  readonly #counts = new Map<string, Count>();
  #expected: ExpectedCounts = new Map();

  constructor(api: GobgpApi) {
    this.#api = api;
  }

  /** Tells of an apply. */
  expect(expected: ExpectedCounts): void {
    for (const [address, known] of this.#counts) {
      const count = expected.get(address);
      const isReckonable = known.cost > CHEAP && known.count === this.#expected.get(address);
      if (isReckonable && count !== undefined) this.#counts.set(address, { ...known, count });
      else this.#counts.set(address, { ...known, until: -Infinity });
    }
    this.#expected = expected;
  }

  /** 0 for a session that is not up. */
  async of({ conf, state, timers, afiSafis }: ListedPeer): Promise<number> {
    const address = conf.neighborAddress;
    const session = timers?.state?.uptime?.seconds ?? 0;
    if (state.sessionState !== 'ESTABLISHED') {
      this.#counts.delete(address);
      return 0;
    }
    const known = this.#counts.get(address);
    if (known?.session === session && performance.now() < known.until) return known.count;
    const expected = this.#expected;
    const start = performance.now();
    let count = 0;
    for (const { config } of afiSafis) {
      const request = { tableType: 'ADJ_OUT', name: address, family: config.family };
      // The count in the list of peers has the ends of tables in it (RFC 4724 section 2).
      const { numPath } = await this.#api.call<{ numPath: number }>('GetTable', request, LONG_DEADLINE);
      count += numPath;
    }
    const cost = performance.now() - start;
    // An apply meanwhile: the next one who asks is told of its routes.
    const until = expected === this.#expected ? performance.now() + SHARE * cost : -Infinity;
    this.#counts.set(address, { session, count, cost, until });
    return count;
  }
}
