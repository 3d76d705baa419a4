/** What tests say of the network that network.ts lays, whatever happens on it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '../../daemons/wait.ts';
import { HOST_NAMES, type Host } from './daemons.ts';
import type { Heard, Network } from './network.ts';

export const GOOD = ['45.9.0.0/24', '45.9.2.0/23', '45.9.8.0/21'];
export const WITHIN = { timeoutMs: 120_000, everyMs: 200 };

/** Looks at every router again and again, for a prefix that it is not sent any more. */
export class Watch {
  readonly #missing: string[] = [];
  readonly #stopping = new AbortController();
  readonly #watching: Promise<unknown>;

  /** @param by by whom each prefix has to be sent: by some host at least, or by every one */
  constructor(network: Network, good: readonly string[], by: 'some' | 'every' = 'some') {
    const look = async (peer: string): Promise<void> => {
      // A router too busy to say what it receives has not been seen to lack anything.
      const received = await network.receivedBy(peer).catch(() => null);
      if (received === null) return;
      for (const prefix of good) {
        const silent = HOST_NAMES.filter((host) => !received[host].includes(prefix));
        if (silent.length > (by === 'every' ? 0 : HOST_NAMES.length - 1))
          this.#missing.push(`${peer} lacks ${prefix} of ${silent.join(', ')}`);
      }
    };
    this.#watching = Promise.all(
      Object.keys(network.peers).map(async (peer) => {
        while (!this.#stopping.signal.aborted) {
          await look(peer);
          await sleep(250); // as often as it looks
        }
      }),
    );
  }

  /** @returns what was missing, and where */
  async end(): Promise<readonly string[]> {
    this.#stopping.abort();
    await this.#watching;
    return this.#missing;
  }
}

export interface Speaker {
  readonly id: string;
  readonly name: string;
  readonly mode: string;
  readonly applied_revision_id: string | null;
  readonly agent: { readonly last_seen_at: string } | null;
  readonly last_apply: { readonly status: string; readonly error: string | null } | null;
  readonly live: {
    readonly reachable: boolean;
    readonly last_reconfigured_at: string | null;
    readonly sessions: readonly { readonly state: string; readonly since: string }[];
  };
}

/** A network that is asked for one change after the other. */
export class Story {
  readonly network: Network;
  /** What was asked for last. */
  asked: readonly string[] = GOOD;
  #changes = 0;

  constructor(network: Network) {
    this.network = network;
  }

  async speaker(host: Host): Promise<Speaker> {
    const { items } = await this.network.get<{ items: Speaker[] }>('/v1/speakers?live=true');
    return items.find(({ name }) => name === host)!;
  }

  async isUp(host: Host): Promise<boolean> {
    const { reachable, sessions } = (await this.speaker(host)).live;
    return reachable && sessions.length === 4 && sessions.every(({ state }) => state === 'established');
  }

  async allUp(): Promise<void> {
    for (const host of HOST_NAMES)
      await waitFor(() => this.isUp(host), {
        ...{ ...WITHIN, what: `the API to show ${host} with all its sessions` },
      });
  }

  /** Waits until the API says that the last apply of the host failed, in such words. */
  async failed(host: Host, words: RegExp): Promise<void> {
    let said: string | null = null;
    await waitFor(
      async () => {
        said = (await this.speaker(host)).last_apply?.error ?? null;
        return said !== null && words.test(said);
      },
      {
        ...{ ...WITHIN, what: `the API to say ${String(words)} of ${host}` },
        details: () => `it says ${said}\n${this.network.agents[host].said().slice(-2_000)}`,
      },
    );
  }

  /** Waits until the API shows nothing wrong anywhere. */
  async allWell(): Promise<void> {
    await this.allUp();
    for (const host of HOST_NAMES)
      await waitFor(async () => (await this.speaker(host)).last_apply?.status === 'ok', {
        ...{ ...WITHIN, what: `the API to show that the last apply of ${host} went well` },
      });
  }

  /** Has the lists say one more prefix. @returns all that they say now */
  async ask(): Promise<readonly string[]> {
    this.asked = [...GOOD, `45.10.${this.#changes++}.0/24`];
    await this.network.ask(this.asked);
    return this.asked;
  }

  /** A change, which tells that changes arrive everywhere. */
  async changed(): Promise<void> {
    await this.network.converged(await this.ask());
  }

  /** What every router receives now: all the same. */
  async received(): Promise<Heard> {
    const [first, ...others] = await Promise.all(
      Object.keys(this.network.peers).map((peer) => this.network.receivedBy(peer)),
    );
    for (const other of others)
      if (JSON.stringify(other) !== JSON.stringify(first))
        throw new Error(`routers hear different things: ${JSON.stringify([first, ...others])}`);
    return first!;
  }
}
