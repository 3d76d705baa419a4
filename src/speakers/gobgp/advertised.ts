/**
 * How many routes each peer is sent. GoBGP runs every route through the policies to tell, so it is asked only when the answer may be
 * another, and never for more than a small part of its time.
 */
import { LONG_DEADLINE, type GobgpApi } from './api.ts';
import type { ListedPeer } from './messages.ts';

/** An answer that took so long is good for so many times as long. */
const SHARE = 50;

interface Count {
  readonly session: number;
  readonly count: number;
  /** Until when it is good. */
  readonly until: number;
}

export class AdvertisedCounts {
  readonly #api: GobgpApi;
  readonly #counts = new Map<string, Count>();

  constructor(api: GobgpApi) {
    this.#api = api;
  }

  /** Whatever was known is of routes or policies of before. */
  forget(): void {
    this.#counts.clear();
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
    const start = performance.now();
    if (known?.session === session && start < known.until) return known.count;
    let count = 0;
    for (const { config } of afiSafis) {
      const request = { tableType: 'ADJ_OUT', name: address, family: config.family };
      // The count in the list of peers has the ends of tables in it (RFC 4724 section 2).
      const { numPath } = await this.#api.call<{ numPath: number }>('GetTable', request, LONG_DEADLINE);
      count += numPath;
    }
    const end = performance.now();
    this.#counts.set(address, { session, count, until: end + SHARE * (end - start) });
    return count;
  }
}
