/**
 * How many routes each peer is sent. GoBGP runs every route through the policies to count them, which takes a dozen seconds for a million
 * routes; so it is asked only as often as costs it a small share of its time. After an apply, the number is computed, if GoBGP's last count
 * was what had been computed: its table and policies, which every apply verifies, then leave no other result.
 */
import { LONG_DEADLINE, type GobgpApi } from './api.ts';
import type { ListedPeer } from './messages.ts';

/** An answer stays valid for this multiple of the time that it took. */
const SHARE = 50;
/** An answer that took no longer than this, in milliseconds, is always asked for. */
const CHEAP = 100;

interface Count {
  /** When the session came up. */
  readonly session: number;
  readonly count: number;
  /** Milliseconds that GoBGP took to answer. */
  readonly cost: number;
  /** Until when the answer is valid. */
  readonly until: number;
}

/** Routes that each peer is to be sent, by its address. */
export type ExpectedCounts = ReadonlyMap<string, number>;

export class AdvertisedCounts {
  readonly #api: GobgpApi;
  readonly #counts = new Map<string, Count>();
  #expected: ExpectedCounts = new Map();

  constructor(api: GobgpApi) {
    this.#api = api;
  }

  /** Notes what an apply will send. */
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
      // The count in the list of peers includes End-of-RIB markers (RFC 4724 section 2).
      const { numPath } = await this.#api.call<{ numPath: number }>('GetTable', request, LONG_DEADLINE);
      count += numPath;
    }
    const cost = performance.now() - start;
    // There was an apply meanwhile: the next call counts its routes.
    const until = expected === this.#expected ? performance.now() + SHARE * cost : -Infinity;
    this.#counts.set(address, { session, count, cost, until });
    return count;
  }
}
