import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { requireNetns } from '../daemons/netns.ts';
import { requireOpenbgpd } from '../daemons/openbgpd.ts';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { HOSTS, type Host, type Network, startNetwork } from './network.ts';

const lacks =
  requireNetns() === null ||
  requireOpenbgpd() === null ||
  (['bird', 'frr-bgpd', 'vtysh', 'gobgpd'] as const).some((name) => requireDaemon(name) === null);

interface Speaker {
  readonly name: string;
  readonly mode: string;
  readonly live: { readonly reachable: boolean; readonly sessions: readonly { readonly state: string }[] };
}

/** Looks at every router again and again, for a prefix that nobody tells it any more. */
class Watch {
  readonly missing: string[] = [];
  readonly #stopping = new AbortController();
  readonly #watching: Promise<unknown>;

  constructor(network: Network, good: readonly string[]) {
    this.#watching = Promise.all(
      Object.keys(network.peers).map(async (peer) => {
        while (!this.#stopping.signal.aborted) {
          // A router too busy to say what it hears has not been seen to lack anything.
          const heard = await network.heardBy(peer).catch(() => null);
          const prefixes = new Set(heard === null ? good : Object.values(heard).flat());
          for (const prefix of good) if (!prefixes.has(prefix)) this.missing.push(`${peer} lacks ${prefix}`);
          await sleep(250);
        }
      }),
    );
  }

  async end(): Promise<readonly string[]> {
    this.#stopping.abort();
    await this.#watching;
    return this.missing;
  }
}

const GOOD = ['45.9.0.0/24', '45.9.2.0/23', '45.9.8.0/21'];
const WITHIN = { timeoutMs: 120_000, everyMs: 200 };

describe.skipIf(lacks)(
  'a control plane, three hosts and four routers on a network',
  { timeout: 400_000 },
  () => {
    let network: Network;
    let watch: Watch;
    let extra = 0;
    beforeAll(async () => {
      network = await startNetwork();
      await network.ask(GOOD);
      await network.converged(GOOD);
    }, 300_000);
    afterAll(() => network?.close());
    beforeEach(() => {
      watch = new Watch(network, GOOD);
    });
    afterEach(async () => {
      expect(await watch.end()).toEqual([]);
    });

    const speaker = async (host: Host): Promise<Speaker> => {
      const { items } = await network.get<{ items: Speaker[] }>('/v1/speakers?live=true');
      return items.find(({ name }) => name === host)!;
    };
    const isUp = async (host: Host): Promise<boolean> => {
      const { reachable, sessions } = (await speaker(host)).live;
      return reachable && sessions.length === 4 && sessions.every(({ state }) => state === 'established');
    };
    const allUp = async (): Promise<void> => {
      for (const host of Object.keys(HOSTS) as Host[])
        await waitFor(() => isUp(host), { ...WITHIN, what: `the API to show ${host} with all its sessions` });
    };
    /** One more prefix, which tells that changes arrive everywhere again. */
    const changed = async (): Promise<void> => {
      const more = [...GOOD, `45.10.${extra++}.0/24`];
      await network.ask(more);
      await network.converged(more);
    };

    test('every session is up, and the API says so', async () => {
      await allUp();
      await changed();
    });

    test('the cable of the control plane is pulled: routers notice nothing, and what was missed arrives later', async () => {
      network.cable('service', 'down');
      await waitFor(async () => !(await speaker('builtin')).live.reachable, {
        ...{ ...WITHIN, what: 'the API to know that it hears nothing' },
      });
      expect(await network.heardBy('peer-bird')).toMatchObject({
        frr: expect.arrayContaining(GOOD) as string[],
      });
      network.cable('service', 'up');
      await changed();
      await allUp();
    });

    test('the cable of a host is pulled: the others serve, the API shows the sessions down, and all comes back', async () => {
      network.cable('builtin', 'down');
      await waitFor(
        async () => {
          const heard = await network.get<{
            items: { established_on_speakers: string[]; session_mismatch: boolean }[];
          }>('/v1/peers');
          return heard.items.every(
            (peer) => peer.established_on_speakers.length === 2 && peer.session_mismatch,
          );
        },
        { ...WITHIN, what: 'the API to show two speakers at each peer' },
      );
      network.cable('builtin', 'up');
      await allUp();
      await changed();
    });

    test.each(Object.keys(HOSTS) as Host[])('the agent of %s is killed and started again', async (host) => {
      await network.agents[host].stop('SIGKILL');
      await network.startAgent(host);
      await changed();
      await allUp();
    });

    test('BIRD is stopped while something is applied: the others take it, and BIRD follows when it goes on', async () => {
      network.bird.pause();
      const more = [...GOOD, `45.10.${extra++}.0/24`];
      await network.ask(more);
      await waitFor(
        async () => {
          const heard = await network.heardBy('peer-frr');
          return heard.builtin.length === more.length && heard.frr.length === more.length;
        },
        { ...WITHIN, what: 'the hosts that work to announce it' },
      );
      await waitFor(async () => !(await speaker('bird')).live.reachable, {
        ...{ ...WITHIN, what: 'the API to say that BIRD does not answer' },
      });
      network.bird.resume();
      await network.converged(more);
      await allUp();
    });

    test('FRR is killed and starts with nothing: the agent brings everything back', async () => {
      await network.frr.restart();
      await network.converged(await current());
      await allUp();
    });

    test('the control plane is killed while something is applied: it is finished when it is back', async () => {
      const more = [...GOOD, `45.10.${extra++}.0/24`];
      await network.ask(more);
      await network.killService();
      await network.startService();
      await network.converged(more);
      await allUp();
    });

    const current = async (): Promise<string[]> => [...new Set((await network.heardBy('peer-bird')).builtin)];
  },
);
