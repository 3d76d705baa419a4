import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LEASE_SECONDS } from '../../../src/store/holding/leases.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import { cast, type Cluster, listOf, startCluster } from '../cluster.ts';
import { Takeovers } from '../takeovers.ts';

const lacks = requireDaemon('bird') === null;

/** By how many milliseconds this machine lets whoever waits for a moment wait longer. */
class Lateness {
  #most = 0;
  readonly #ended = new AbortController();
  readonly #watching = this.#watch();

  async #watch(): Promise<void> {
    while (!this.#ended.signal.aborted) {
      const began = performance.now();
      await sleep(20); // how late the loop is, is measured
      this.#most = Math.max(this.#most, performance.now() - began - 20);
    }
  }

  async end(): Promise<number> {
    this.#ended.abort();
    await this.#watching;
    return this.#most;
  }
}

describe.skipIf(lacks)('a process that holds a speaker and is killed', () => {
  let cluster: Cluster;
  let takeovers: Takeovers;
  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(async () => {
    await takeovers?.close();
    await cluster?.close();
  });

  test('is followed by another one within five seconds, and not before its lease has run out', async () => {
    const first = await cluster.serve('app-all');
    cluster.list = listOf(50);
    await cast(first, await cluster.prepare(first));
    await cluster.bird.waitRoutes(50);
    takeovers = await Takeovers.watch(cluster);
    const second = await cluster.serve('app-all');
    expect(await takeovers.list()).toEqual([]);

    const lateness = new Lateness();
    const killed = await takeovers.now();
    await first.stop('SIGKILL');
    const [takeover] = await waitFor(
      async () => {
        const all = await takeovers.list();
        return all.length > 0 && all;
      },
      { what: 'the other process to claim the lease' },
    );
    const late = await lateness.end();
    const { from, by, expired, claimed } = takeover!;
    expect(by).not.toBe(from);
    // Nobody renewed it after the kill, and two never held it at once.
    expect(expired).toBeLessThanOrEqual(killed + LEASE_SECONDS * 1_000);
    expect(claimed).toBeGreaterThan(expired);
    // By the clock of the database alone, and by as much more as this machine is busy.
    expect(claimed - killed).toBeLessThanOrEqual(5_000 + late);

    await cluster.bird.waitEstablished();
    await waitFor(
      async () => {
        const { items } = await second.get<{
          items: { live: { reachable: boolean; sessions: { state: string }[] } }[];
        }>('/v1/speakers?live=true');
        const { reachable, sessions } = items[0]!.live;
        return reachable && sessions[0]?.state === 'established';
      },
      { what: 'the other process to say that it has the session' },
    );
    expect((await cluster.bird.routes()).length).toBe(50);
    expect(await takeovers.list()).toHaveLength(1);
  });
});
