/** One GoBGP and its one speaker. Changes are ordered so that no peer receives a route that it must not receive. */
import { SerialQueue } from '../../concurrency/serial-queue.ts';
import { formatCommunity } from '../../core/community.ts';
import { emptyTable, type PrefixTable } from '../../core/tables/prefix-table.ts';
import { communitiesOf } from '../export-policy.ts';
import { SpeakerError, type RoutesModel, type SharedDaemon, type SpeakerModel } from '../speaker.ts';
import { GobgpApi, LONG_DEADLINE } from './api.ts';
import { wireTable } from './communities.ts';
import { configurationOf, type Configuration } from './configuration.ts';
import type { GlobalMessage, ListedPeer } from './messages.ts';
import { markOf, speakerTag, tagOf } from './names.ts';
import { findNarrowings, narrowedPolicies } from './narrowing.ts';
import {
  assignPolicies,
  hasReplaced,
  isAssigned,
  noAssignments,
  owned,
  policiesOf,
  readAssignments,
  refuseOthers,
  speakersLeft,
  sweepPolicies,
  unassignPolicies,
  type Assignments,
} from './policies.ts';
import { afterRestart } from './peers.ts';
import { RoutesInGobgp } from './routes.ts';
import { never } from '../never.ts';

export interface GobgpOptions {
  /** Address of its API: `unix:/path` or `HOST:PORT`. */
  readonly api: string;
  /** Where GoBGP listens if it was started without a configuration of its own; default: port 179 of every address. */
  readonly listen?: { readonly port: number; readonly addresses: readonly string[] };
  /** Distinguishes the speaker that this service left in it from another service's; absent: it has no owner. */
  readonly serviceId?: string;
}

export interface GobgpState {
  readonly global: GlobalMessage;
  readonly peers: readonly ListedPeer[];
  readonly assignments: Assignments;
}

/** The configuration and routes that this process brought GoBGP to. */
interface Held {
  readonly configuration: Configuration;
  readonly table: PrefixTable;
}

/** Needs no lock: it holds one speaker, which its policies name and one process has the lease of. */
export class GobgpDaemon implements SharedDaemon {
  readonly api: GobgpApi;
  readonly #serviceId: string | undefined;
  readonly #listen: NonNullable<GobgpOptions['listen']>;
  /** Null: unknown, so GoBGP is asked. */
  #held: Held | null = null;
  /** Sessions that were seen up while GoBGP followed the policies of {@link #held}, and since when, by the descriptions of peers. */
  #guarded: ReadonlyMap<string, number> = new Map();
  readonly #turns = new SerialQueue();

  constructor({ api, listen = { port: 179, addresses: ['0.0.0.0', '::'] }, serviceId }: GobgpOptions) {
    this.#serviceId = serviceId;
    this.api = new GobgpApi(api);
    this.#listen = listen;
  }

  async state(): Promise<GobgpState> {
    const global = await this.#global();
    if (global.asn === 0) return { global, peers: [], assignments: noAssignments };
    const answers = await this.api.listAll<{ peer: ListedPeer }>('ListPeer', {});
    const peers = answers.map(({ peer }) => peer);
    // Read last: policies that exist now existed when the sessions were read.
    const assignments = await readAssignments(this.api);
    if (this.#held !== null && isAssigned(assignments, this.#held.configuration))
      this.#guarded = new Map(peers.map((peer) => [peer.conf.description, upSince(peer)]));
    return { global, peers, assignments };
  }

  /** Brings GoBGP from any state to a model and routes. One call at a time. */
  deploy(model: SpeakerModel, routes: RoutesModel, signal: AbortSignal): Promise<Configuration> {
    return this.#turns.run(async () => {
      signal.throwIfAborted();
      const state = await this.#start(model);
      const foreign = state.peers.filter(({ conf }) => tagOf(conf.description) === null);
      const addresses = foreign.map(({ conf }) => conf.neighborAddress);
      const configuration = this.#owned(configurationOf(model, routes, addresses), model);
      refuseOthers(state.assignments, configuration.tag);
      const before = this.#held;
      this.#held = null; // until it is known again
      await this.#bring({ configuration, table: wireTable(routes) }, before, state, signal);
      return configuration;
    });
  }

  /** The next {@link deploy} reads all of GoBGP's state, since others may have changed it. */
  forget(): Promise<void> {
    return this.#turns.run(() => {
      this.#held = null;
      return Promise.resolve();
    });
  }

  claim(): Promise<null> {
    return Promise.resolve(null);
  }

  release(): Promise<void> {
    return Promise.resolve();
  }

  async speakerIds(): Promise<string[]> {
    if (this.#serviceId === undefined || (await this.#global()).asn === 0) return [];
    return speakersLeft(this.api, this.#serviceId);
  }

  removeSpeaker(speakerId: string): Promise<void> {
    const tag = speakerTag(speakerId);
    return this.remove(tag, markOf(tag));
  }

  /** Removes a speaker from GoBGP. */
  remove(tag: string, mark: string): Promise<void> {
    return this.#turns.run(async () => {
      this.#held = null;
      const { global, peers, assignments } = await this.state();
      if (global.asn === 0) return;
      for (const { conf } of peers) {
        if (tagOf(conf.description) === tag)
          await this.api.call('DeletePeer', { address: conf.neighborAddress });
      }
      const routes = new RoutesInGobgp(this.api, mark);
      await routes.bring(await routes.read(), emptyTable(), never);
      await unassignPolicies(this.api, assignments, tag);
      await sweepPolicies(this.api, tag, null);
    });
  }

  /** A GoBGP that was not started yet has the AS number 0, and rejects every other request. */
  async #global(): Promise<GlobalMessage> {
    return (await this.api.call<{ global: GlobalMessage }>('GetBgp', {})).global;
  }

  #owned(configuration: Configuration, { speakerId }: SpeakerModel): Configuration {
    return this.#serviceId === undefined ? configuration : owned(configuration, this.#serviceId, speakerId);
  }

  async #start({ localAsn, routerId }: SpeakerModel): Promise<GobgpState> {
    const state = await this.state();
    const { asn } = state.global;
    if (asn === localAsn) return state;
    if (asn !== 0)
      throw new SpeakerError(
        'config_refused',
        `GoBGP at ${this.api.address} runs as AS ${asn} and the speaker is AS ${localAsn}: set local_asn of the speaker to ${asn}, or start gobgpd with  as = ${localAsn}`,
      );
    await this.api.call('StartBgp', {
      global: {
        ...{ asn: localAsn, routerId },
        ...{ listenPort: this.#listen.port, listenAddresses: this.#listen.addresses },
      },
    });
    return this.state();
  }

  /** Peers are removed first and added last, so that no session ever runs on policies or routes that are not meant for it. */
  async #bring(wanted: Held, before: Held | null, state: GobgpState, signal: AbortSignal): Promise<void> {
    const { configuration, table } = wanted;
    const { tag, mark } = configuration;
    const routes = new RoutesInGobgp(this.api, mark);
    const asked = new Map(
      configuration.peers.flatMap(({ message }) =>
        message === null ? [] : [[message.conf.description, message]],
      ),
    );
    const assigned = policiesOf(state.assignments, tag);
    const old = before !== null && (await this.#isAsBefore(before, state, routes)) ? before : null;
    const current = assigned ?? old?.configuration ?? null;
    const isOurs = ({ conf }: ListedPeer): boolean => tagOf(conf.description) === tag;
    // It has routes but no peers: it was restarted, and the peers may still hold what it sent before.
    const isBack = !state.peers.some(isOurs) && table.ipv4.size + table.ipv6.size > 0;
    const staying = new Set<string>();
    for (const peer of state.peers) {
      const { conf } = peer;
      // A peer that was without policies may have received anything.
      const isGuarded =
        assigned !== null || (upSince(peer) > 0 && this.#guarded.get(conf.description) === upSince(peer));
      if (asked.has(conf.description) && current !== null && isGuarded) staying.add(conf.description);
      else if (isOurs(peer)) await this.api.call('DeletePeer', { address: conf.neighborAddress });
    }
    const present = old?.table ?? (await routes.read());
    // If it is unknown what was done, peers whose exports change may not have been sent the change.
    const isInPlace =
      isAssigned(state.assignments, configuration) &&
      (old !== null || !(await hasReplaced(this.api, configuration)));
    if (!isInPlace) {
      const narrowings = findNarrowings(old?.configuration ?? null, configuration, staying, present);
      if (narrowings.length > 0) {
        const narrowed = narrowedPolicies(narrowings, configuration, current!);
        await assignPolicies(this.api, state.assignments, narrowed);
        await routes.mark(present, narrowings, signal);
      }
      await assignPolicies(this.api, state.assignments, configuration);
      await routes.unmark(present, narrowings, signal);
    }
    await routes.bring(present, table, signal);
    // Only now, so that no peer receives old routes under new policies.
    for (const description of isInPlace ? [] : staying) {
      const isSame = assigned !== null && old !== null;
      if (isSame && !changesExports(description, old.configuration, configuration, table)) continue;
      const address = asked.get(description)!.conf.neighborAddress;
      await this.api.call('ResetPeer', { address, soft: true, direction: 'OUT' }, LONG_DEADLINE);
    }
    // Peers are read each time; from here on, what they are sent is right.
    this.#held = wanted;
    for (const [description, message] of asked) {
      signal.throwIfAborted();
      if (!staying.has(description))
        await this.api.call('AddPeer', { peer: isBack ? afterRestart(message) : message });
    }
    await sweepPolicies(this.api, tag, configuration);
  }

  /**
   * Whether GoBGP has what it was brought to last. One that lost only the policies, as when it reads its configuration again, has sent
   * nothing over sessions that stayed up, unless it has routes of others.
   */
  async #isAsBefore(before: Held, { assignments }: GobgpState, routes: RoutesInGobgp): Promise<boolean> {
    const { configuration, table } = before;
    if (policiesOf(assignments, configuration.tag) !== null) return isAssigned(assignments, configuration);
    return (await routes.count()) === table.ipv4.size + table.ipv6.size;
  }
}

/** Seconds since 1970; 0 for a session that is not up. */
function upSince({ state, timers }: ListedPeer): number {
  return state.sessionState === 'ESTABLISHED' ? (timers?.state?.uptime?.seconds ?? 0) : 0;
}

/** Whether routes of the table that the peer has been sent are now sent differently. */
function changesExports(
  description: string,
  before: Configuration,
  after: Configuration,
  table: PrefixTable,
): boolean {
  const labels = [...new Set(table.labelSets.flat())];
  const carried = new Set(communitiesOf(labels, { labels: {} }).map(formatCommunity));
  const view = ({ peers }: Configuration): string => {
    const peer = peers.find(({ message }) => message?.conf.description === description);
    // The next hop of a community that no route carries changes nothing.
    const policies = peer?.policies.map((policy) => ({
      ...policy,
      nextHops: policy.nextHops.filter(({ of }) => carried.has(formatCommunity(of))),
    }));
    return JSON.stringify(policies);
  };
  return view(before) !== view(after);
}
