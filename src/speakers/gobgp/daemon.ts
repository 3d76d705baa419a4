/** One GoBGP and the speaker that lives in it. Whatever is changed is changed in an order in which no peer hears what it may not. */
import { diffTables } from '../../core/diff.ts';
import { FAMILIES } from '../../core/address.ts';
import { formatCommunity } from '../../core/community.ts';
import { emptyTable, type PrefixTable } from '../../core/prefix-table.ts';
import { SpeakerError, type RoutesModel, type SpeakerModel } from '../speaker.ts';
import { GobgpApi, LONG_DEADLINE } from './api.ts';
import { communitiesOf } from '../export-policy.ts';
import { wireTable } from './communities.ts';
import { configurationOf, type Configuration } from './configuration.ts';
import type { GlobalMessage, ListedPeer } from './messages.ts';
import { tagOf } from './names.ts';
import { encodeRoutes, encodeWithdrawals, familyMessage } from './path-encoder.ts';
import { readRoutes } from './path-reader.ts';
import {
  assignPolicies,
  isAssigned,
  noAssignments,
  readAssignments,
  refuseOthers,
  sweepPolicies,
  speakersOf,
  unassignPolicies,
  type Assignments,
} from './policies.ts';

export interface GobgpOptions {
  /** Of its API: `unix:/path` or `HOST:PORT`. */
  readonly api: string;
  /** Where a GoBGP listens that was started without a configuration of its own; default: port 179 of every address. */
  readonly listen?: { readonly port: number; readonly addresses: readonly string[] };
}

/** Milliseconds in which GoBGP takes some of the routes that it is sent. */
const PATIENCE = 30_000;

export interface GobgpState {
  readonly global: GlobalMessage;
  readonly peers: readonly ListedPeer[];
  readonly assignments: Assignments;
}

/** What GoBGP was brought to by this process. */
interface Held {
  readonly configuration: Configuration;
  readonly table: PrefixTable;
}

export class GobgpDaemon {
  readonly api: GobgpApi;
  readonly #listen: NonNullable<GobgpOptions['listen']>;
  /** Null: not known, so GoBGP is asked. */
  #held: Held | null = null;
  #last: Promise<unknown> = Promise.resolve();

  constructor({ api, listen = { port: 179, addresses: ['0.0.0.0', '::'] } }: GobgpOptions) {
    this.api = new GobgpApi(api);
    this.#listen = listen;
  }

  async state(): Promise<GobgpState> {
    const { global } = await this.api.call<{ global: GlobalMessage }>('GetBgp', {});
    // One that was not started yet refuses every other question.
    if (global.asn === 0) return { global, peers: [], assignments: noAssignments };
    const peers = await this.api.listAll<{ peer: ListedPeer }>('ListPeer', {});
    return {
      global,
      peers: peers.map(({ peer }) => peer),
      assignments: await readAssignments(this.api),
    };
  }

  /** Brings GoBGP to a model and routes from wherever it is. One at a time. */
  deploy(model: SpeakerModel, routes: RoutesModel, signal: AbortSignal): Promise<Configuration> {
    return this.#inTurn(async () => {
      signal.throwIfAborted();
      const state = await this.#start(model);
      const foreign = state.peers.filter(({ conf }) => tagOf(conf.description) === null);
      const configuration = configurationOf(
        model,
        routes,
        foreign.map(({ conf }) => conf.neighborAddress),
      );
      refuseOthers(state.assignments, configuration.tag);
      const before = this.#held;
      this.#held = null; // until all is done
      const table = wireTable(routes);
      await this.#bring({ configuration, table }, before, state, signal);
      this.#held = { configuration, table };
      return configuration;
    });
  }

  /** Takes a speaker out of GoBGP. */
  remove(tag: string, mark: string): Promise<void> {
    return this.#inTurn(async () => {
      this.#held = null;
      const { global, peers, assignments } = await this.state();
      if (global.asn === 0) return;
      for (const { conf } of peers) {
        if (tagOf(conf.description) === tag)
          await this.api.call('DeletePeer', { address: conf.neighborAddress });
      }
      if (speakersOf(assignments).includes(tag))
        await this.#send(await this.#read(mark), emptyTable(), mark, never);
      await unassignPolicies(this.api, assignments, tag);
      await sweepPolicies(this.api, tag, null);
    });
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

  /** Peers go first and come last, so that no session ever runs on other policies or routes than those meant for it. */
  async #bring(wanted: Held, before: Held | null, state: GobgpState, signal: AbortSignal): Promise<void> {
    const { configuration, table } = wanted;
    const { tag, mark } = configuration;
    const asked = new Map(
      configuration.peers.flatMap(({ message }) =>
        message === null ? [] : [[message.conf.description, message]],
      ),
    );
    const staying = new Map<string, ListedPeer>();
    for (const peer of state.peers) {
      const { description, neighborAddress } = peer.conf;
      if (asked.has(description)) staying.set(description, peer);
      else if (tagOf(description) === tag) await this.api.call('DeletePeer', { address: neighborAddress });
    }
    const isKnown = before !== null && isAssigned(state.assignments, before.configuration);
    const present = isKnown ? before.table : await this.#read(mark);
    if (!isAssigned(state.assignments, configuration)) {
      await assignPolicies(this.api, state.assignments, configuration);
      for (const { conf } of staying.values()) {
        if (isKnown && !hearsOtherwise(conf.description, before.configuration, configuration, present))
          continue;
        const reset = { address: conf.neighborAddress, soft: true, direction: 'OUT' };
        await this.api.call('ResetPeer', reset, LONG_DEADLINE);
      }
    }
    await this.#send(present, table, mark, signal);
    for (const [description, message] of asked) {
      signal.throwIfAborted();
      if (!staying.has(description)) await this.api.call('AddPeer', { peer: message });
    }
    await sweepPolicies(this.api, tag, configuration);
  }

  /** Every route of ours that GoBGP has. */
  async #read(mark: string): Promise<PrefixTable> {
    return (await this.#count()) === 0 ? emptyTable() : readRoutes(this.api, mark);
  }

  /** Routes in GoBGP, whosoever's. */
  async #count(): Promise<number> {
    let count = 0;
    for (const family of FAMILIES) {
      const request = { family: familyMessage(family) };
      const { numPath } = await this.api.call<{ numPath: number }>('GetTable', request, LONG_DEADLINE);
      count += numPath;
    }
    return count;
  }

  /**
   * Sends the difference, and has GoBGP count. Others may change routes meanwhile: where the count is not as expected, all are read
   * and what is missing is sent again.
   */
  async #send(before: PrefixTable, after: PrefixTable, mark: string, signal: AbortSignal): Promise<void> {
    const { announced, withdrawn, changed } = diffTables(before, after);
    if (announced + withdrawn + changed === 0) return;
    const count = await this.#count();
    await this.#stream(before, after, mark, signal);
    if ((await this.#count()) === count + announced - withdrawn) return;
    await this.#stream(await readRoutes(this.api, mark), after, mark, signal);
    const rest = diffTables(await readRoutes(this.api, mark), after);
    const wrong = rest.announced + rest.withdrawn + rest.changed;
    if (wrong > 0)
      throw new SpeakerError(
        'verification_failed',
        `GoBGP took all routes and has ${rest.announced} of them not, ${rest.withdrawn} more and ${rest.changed} others: see its log, and whether something else changes them`,
      );
  }

  async #stream(before: PrefixTable, after: PrefixTable, mark: string, signal: AbortSignal): Promise<void> {
    const diff = diffTables(before, after);
    for (const family of FAMILIES) {
      const { announced, withdrawn, changed } = diff[family];
      // Of a pair, the second is the row after.
      const replaced = changed.filter((_, index) => index % 2 === 1);
      const send = (requests: Iterable<Buffer>): Promise<void> =>
        this.api.send('AddPathStream', requests, PATIENCE, signal);
      for (const which of [announced, replaced]) {
        if (which.length > 0) await send(encodeRoutes({ table: after, family, which }, mark));
      }
      if (withdrawn.length > 0) await send(encodeWithdrawals({ table: before, family, which: withdrawn }));
    }
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work, work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}

/** Whether routes that the peer has been sent would now be sent otherwise, or not at all. */
function hearsOtherwise(
  description: string,
  before: Configuration,
  after: Configuration,
  present: PrefixTable,
): boolean {
  const labels = [...new Set(present.labelSets.flat())];
  const carried = new Set(communitiesOf(labels, { labels: {} }).map(formatCommunity));
  const view = ({ peers }: Configuration): string => {
    const peer = peers.find(({ message }) => message?.conf.description === description);
    // A next hop of a community that no route carries changes nothing.
    const policies = peer?.policies.map((policy) => ({
      ...policy,
      nextHops: policy.nextHops.filter(({ of }) => carried.has(formatCommunity(of))),
    }));
    return JSON.stringify(policies);
  };
  return view(before) !== view(after);
}

const never = new AbortController().signal;
