/** One FRR and all its speakers. Their views are independent, but changes of the configuration run one after the other. */
import { counted } from '../../api/shapes/counted.ts';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SerialQueue } from '../../concurrency/serial-queue.ts';
import { FAMILIES } from '../../core/address.ts';
import {
  SpeakerError,
  type Renderer,
  type RoutesModel,
  type SessionState,
  type SharedDaemon,
  type SpeakerModel,
} from '../speaker.ts';
import { addressIn, differenceTo, neighborsOf, type Difference } from './difference.ts';
import { FrrLock } from './lock.ts';
import { speakerTag } from './names.ts';
import { checkCommands } from './program.ts';
import { readNeighbors, readVersion, type NeighborStatus } from './read-status.ts';
import { render, speakersOf, type Configuration, type FrrPlace } from './render.ts';
import { frrRenderer } from './renderer.ts';
import { linesOf, readStatements, type Statement } from './statements.ts';
import { VtySocket } from './vty-socket.ts';

export interface FrrOptions extends FrrPlace {
  /** Directory of the sockets of FRR's daemons. */
  readonly directory: string;
  /** Path of `vtysh`, which checks commands. */
  readonly program: string;
}

export interface FrrState {
  readonly version: string | null;
  /** Neighbours of the speaker's view; null: FRR has no such view. */
  readonly neighbors: readonly NeighborStatus[] | null;
}

/** Shorter than the deadline of bgpd, within which a status must be answered. */
const BFDD_MILLISECONDS = 1_000;

const LOOK_MILLISECONDS = 40;
/**
 * FRR lets routes wait for 50 ms and then processes them in slices of as long, so it is done when nothing has changed for longer than that.
 * Looks are counted rather than time: on a busy machine an answer shows that FRR has run as well.
 */
const QUIET_LOOKS = 3;

const COMING_UP: readonly SessionState[] = ['open_sent', 'open_confirm', 'established'];

export class FrrDaemon implements SharedDaemon {
  readonly renderer: Renderer;
  readonly #options: FrrOptions;
  readonly #socket: VtySocket;
  readonly #bfdd: VtySocket;
  readonly #lock: FrrLock;
  readonly #turns = new SerialQueue();

  constructor(options: FrrOptions) {
    this.renderer = frrRenderer(options);
    this.#options = options;
    this.#socket = new VtySocket(join(options.directory, 'bgpd.vty'));
    this.#bfdd = new VtySocket(join(options.directory, 'bfdd.vty'), BFDD_MILLISECONDS);
    this.#lock = new FrrLock(options.directory);
  }

  render(model: SpeakerModel, routes: RoutesModel): Configuration {
    return render(model, routes, this.#options);
  }

  /** The state of FRR and of the neighbours of one speaker. */
  async state(tag: string): Promise<FrrState> {
    return {
      version: readVersion(await this.#socket.show('show version')),
      neighbors: await this.#neighbors(tag),
    };
  }

  /** Whether FRR's daemon for BFD runs. bgpd does not report it, and without it sessions come up but their paths are not monitored. */
  async hasBfd(): Promise<boolean> {
    try {
      await this.#bfdd.show('show version');
      return true;
    } catch {
      return false;
    }
  }

  /**
   * Brings FRR's configuration to the speaker's, by the difference.
   * @param withNewPeers false: neighbours that FRR does not have yet are added later
   * @returns false when FRR runs it already, so that no command was sent
   */
  change(configuration: Configuration, withNewPeers: boolean): Promise<boolean> {
    return this.#inTurn(async () => {
      const running = await this.#running();
      requireDefaultInstance(running);
      const { tag, feedAddress, statements } = configuration;
      const known = neighborsOf(running, tag).add(feedAddress);
      const isWanted = (statement: Statement): boolean => {
        const address = addressIn(statement);
        return withNewPeers || address === null || known.has(address);
      };
      const wanted = { ...configuration, statements: statements.filter(isWanted) };
      return this.#carryOut(tag, differenceTo(running, tag, wanted));
    });
  }

  claim(): Promise<string | null> {
    return this.#lock.claim();
  }

  release(): Promise<void> {
    return this.#lock.release();
  }

  async speakerIds(): Promise<string[]> {
    const { serviceId } = this.#options;
    return serviceId === undefined ? [] : speakersOf(await this.#running(), serviceId);
  }

  removeSpeaker(speakerId: string): Promise<void> {
    return this.remove(speakerTag(speakerId));
  }

  /** Removes a speaker from FRR. */
  remove(tag: string): Promise<void> {
    return this.#inTurn(async () => {
      await this.#carryOut(tag, differenceTo(await this.#running(), tag, null));
    });
  }

  /** Waits until FRR has processed what the feed sent. */
  async received({ tag, feedAddress, routes }: Configuration, signal: AbortSignal): Promise<void> {
    const wanted = routes.ipv4 + routes.ipv6;
    const deadline = performance.now() + timeoutFor(wanted);
    const isFeed = ({ address }: NeighborStatus): boolean => address === feedAddress;
    let last = '';
    let quietLooks = 0;
    for (;;) {
      const neighbors = (await this.#neighborsUnlessBusy(tag)) ?? [];
      const feed = neighbors.find(isFeed);
      const isComplete = FAMILIES.every((family) => feed?.received[family] === routes[family]);
      const now = JSON.stringify(neighbors.map(({ sent, updatesSent }) => [sent, updatesSent]));
      quietLooks = isComplete && now === last ? quietLooks + 1 : 0;
      if (quietLooks === QUIET_LOOKS) return;
      last = now;
      if (performance.now() > deadline) {
        if (isComplete) return;
        throw incomplete(wanted, (await this.#neighbors(tag))?.find(isFeed));
      }
      await sleep(LOOK_MILLISECONDS, undefined, { signal });
    }
  }

  /** Waits until established neighbours have been sent their routes, with a limit for one that reads slowly. */
  async sent(
    { tag, peers, routes }: Configuration,
    confirmSeconds: number | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const timeout = timeoutFor(routes.ipv4 + routes.ipv6);
    // At most half of the time to confirm, so that the caller still has time to verify.
    const deadline = performance.now() + Math.min(timeout, (confirmSeconds ?? Infinity) * 500);
    for (;;) {
      const seen = await this.#neighborsUnlessBusy(tag);
      const neighbors = new Map(seen?.map((one) => [one.address, one]));
      const isDone =
        seen !== null &&
        peers.every((peer) => {
          const neighbor = neighbors.get(peer.address ?? '');
          if (neighbor?.state !== 'established') return true;
          return (
            neighbor.queued === 0 && neighbor.families.every((one) => neighbor.sent[one] === peer.routes[one])
          );
        });
      if (isDone || performance.now() > deadline) return;
      await sleep(LOOK_MILLISECONDS, undefined, { signal });
    }
  }

  /**
   * Makes FRR connect to the feed. FRR does not do so by itself after a first attempt that failed: it then waits for the neighbour whose
   * routes it keeps. A session that is up or coming up is left alone: clearing it would drop its routes.
   */
  callFeed(tag: string, feedAddress: string): Promise<void> {
    return this.#inTurn(async () => {
      const feed = (await this.#neighbors(tag))?.find(({ address }) => address === feedAddress);
      if (feed !== undefined && !COMING_UP.includes(feed.state))
        await this.#socket.run([`clear bgp view ${tag} ${feedAddress}`]);
    });
  }

  async #running(): Promise<Statement[]> {
    return readStatements(await this.#socket.show('show running-config'));
  }

  async #neighbors(tag: string): Promise<NeighborStatus[] | null> {
    try {
      return readNeighbors(await this.#socket.show(`show bgp view ${tag} neighbors json`));
    } catch (error) {
      // FRR reports a view that does not exist as a failure.
      if (error instanceof SpeakerError && error.code === 'daemon_refused') return null;
      throw error;
    }
  }

  /** FRR may answer late while it processes a million new routes. */
  async #neighborsUnlessBusy(tag: string): Promise<NeighborStatus[] | null> {
    try {
      return await this.#neighbors(tag);
    } catch (error) {
      if (error instanceof SpeakerError && error.code === 'speaker_unreachable') return null;
      throw error;
    }
  }

  async #carryOut(tag: string, { statements, restarting }: Difference): Promise<boolean> {
    if (statements.length === 0) return false;
    const lines = linesOf(statements);
    await checkCommands(this.#options.program, lines);
    await this.#socket.run(['configure terminal', ...lines, 'end']);
    await this.#socket.run(restarting.map((address) => `clear bgp view ${tag} ${address}`));
    return true;
  }

  /** Serialises changes of FRR; only the process with the lock may make them. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const begin = async (): Promise<T> => {
      const conflict = await this.claim();
      if (conflict !== null) throw new SpeakerError('daemon_in_use', conflict);
      return work();
    };
    return this.#turns.run(begin);
  }
}

/** FRR 8.4 looks into its default instance for an unexpected connection, and crashes if there is none beside a view. */
function requireDefaultInstance(running: readonly Statement[]): void {
  if (running.some(([head]) => /^router bgp [\d.]+(?: as-notation \S+)?$/.test(head))) return;
  throw new SpeakerError(
    'instance_missing',
    'FRR has no BGP instance of its own, without which a stranger who calls it makes it crash: configure one, which may have no neighbour:  router bgp 64512',
  );
}

/** Milliseconds that FRR may take for this many routes. */
function timeoutFor(routes: number): number {
  return 30_000 + routes / 10;
}

function incomplete(wanted: number, feed: NeighborStatus | undefined): SpeakerError {
  const taken = feed === undefined ? 0 : feed.received.ipv4 + feed.received.ipv6;
  const why =
    feed?.state === 'established'
      ? 'it takes no multicast prefix, and none that it holds for malformed: its log says which'
      : `the session from it to this service is ${feed?.state ?? 'not configured'}${feed?.lastError ? ` (${feed.lastError})` : ''}`;
  return new SpeakerError('feed_incomplete', `FRR took ${taken} of the ${counted(wanted, 'route')}: ${why}`);
}
