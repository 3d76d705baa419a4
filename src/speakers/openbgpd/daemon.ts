/** One OpenBGPD and the one speaker that can live in it: its networks have no tables apart. */
import { stat } from 'node:fs/promises';
import { SerialQueue } from '../../concurrency/serial-queue.ts';
import type { PrefixTable } from '../../core/tables/prefix-table.ts';
import type { PrefixList } from '../../core/prefix.ts';
import { SpeakerError, type RoutesModel, type SharedDaemon } from '../speaker.ts';
import { ConfigFile } from './config-file.ts';
import { Control, type ControlOptions } from './control.ts';
import { ANY_MARK } from './marks.ts';
import { changesBetween, groupRoutes, linesOf, type NetworkChanges } from './networks.ts';
import {
  readLastErrors,
  readNeighbors,
  readNetworks,
  type LastError,
  type NeighborStatus,
} from './read-status.ts';
import { NOBODY, ownerOf, speakerIn, tagOf, type Configuration, type InPlace } from './render.ts';

export interface OpenbgpdOptions extends ControlOptions {
  /** Absolute path of the directory that OpenBGPD's main configuration includes `prefixcast.conf` of. */
  readonly directory: string;
  readonly mainConfig: string;
  /** Tells the speaker that this service left in it from another's; absent: nobody's. */
  readonly serviceId?: string;
}

export interface OpenbgpdState {
  readonly version: string;
  readonly startedAt: Date;
  readonly reconfiguredAt: Date | null;
  readonly neighbors: readonly NeighborStatus[];
  /** By the neighbour's address. */
  readonly lastErrors: ReadonlyMap<string, LastError>;
}

/** Needs no lock: it holds one speaker, which the file names and one process has the lease of. */
export class OpenbgpdDaemon implements SharedDaemon {
  readonly serviceId: string | undefined;
  readonly #options: OpenbgpdOptions;
  readonly #control: Control;
  readonly #file: ConfigFile;
  #version: string | null = null;
  /** What it was told to announce, and in which of its lives; null: not known, so it is asked. */
  #told: { readonly life: string | null; readonly routes: RoutesModel } | null = null;
  readonly #turns = new SerialQueue();

  constructor(options: OpenbgpdOptions) {
    this.serviceId = options.serviceId;
    this.#options = options;
    this.#control = new Control(options);
    this.#file = new ConfigFile(options.directory);
  }

  async state(): Promise<OpenbgpdState> {
    const neighbors = readNeighbors(await this.#control.showNeighbors());
    const isAllUp = neighbors.every(({ state }) => state === 'established');
    return {
      version: (this.#version ??= await this.#control.version()),
      startedAt: (await this.#socket()).mtime,
      reconfiguredAt: await this.#file.writtenAt(),
      neighbors,
      lastErrors: isAllUp ? new Map() : readLastErrors(await this.#control.showNeighborsText()),
    };
  }

  /** Whether it may have forgotten our networks, as after a restart. */
  async isForgetful(): Promise<boolean> {
    return this.#told !== null && this.#told.life !== (await this.#life());
  }

  /** What is in place, for a configuration that is to follow it; null: nothing. */
  async inPlace(): Promise<InPlace | null> {
    const text = await this.#file.read();
    if (text === null) return null;
    const groups = this.#told === null ? null : groupRoutes(this.#told.routes);
    return { text, marks: groups === null ? null : new Set(groups.map(({ mark }) => mark)) };
  }

  /**
   * Has OpenBGPD run this configuration: it is checked by `bgpd -n` first, and what is refused leaves all as it was.
   * @returns false when it was in place already: then nothing was done
   */
  configure({ tag, text }: Configuration): Promise<boolean> {
    return this.#turns.run(async () => {
      const before = await this.#file.read();
      const owner = before === null ? null : ownerOf(before);
      if (owner !== null && owner !== tag)
        throw new SpeakerError(
          'daemon_taken',
          `OpenBGPD can hold one speaker, and ${this.#file.path} is another one's: delete that speaker first, or empty the file if it is gone`,
        );
      if (before === text && !(await this.#file.isUnread())) return false;
      await this.#install(text, before);
      return true;
    });
  }

  /** Brings the networks to those of `routes`, new ones before old ones go. Does nothing where they are there. */
  announce(routes: RoutesModel, signal: AbortSignal): Promise<void> {
    return this.#turns.run(() => this.#bring(routes, signal));
  }

  /** Tells it the networks again that it was told last, if it has forgotten them. */
  remind(): Promise<void> {
    return this.#turns.run(async () => {
      if (!(await this.isForgetful())) return;
      const { routes } = this.#told!;
      try {
        await this.#bring(routes, new AbortController().signal);
      } catch (error) {
        this.#told = { life: null, routes }; // so that it is reminded again
        throw error;
      }
    });
  }

  /** Ends these sessions, which restart with the present configuration. */
  clear(addresses: readonly string[]): Promise<void> {
    return this.#turns.run(async () => {
      for (const address of addresses) await this.#control.clear(address);
    });
  }

  claim(): Promise<null> {
    return Promise.resolve(null);
  }

  release(): Promise<void> {
    return Promise.resolve();
  }

  async speakerIds(): Promise<string[]> {
    const text = await this.#file.read();
    const speaker = text === null || this.serviceId === undefined ? null : speakerIn(text, this.serviceId);
    return speaker === null ? [] : [speaker];
  }

  removeSpeaker(speakerId: string): Promise<void> {
    return this.remove(tagOf(speakerId));
  }

  /** Takes the speaker out: its networks first, so that peers hear that they are gone. */
  remove(tag: string): Promise<void> {
    return this.#turns.run(async () => {
      const text = await this.#file.read();
      if (text === null || ownerOf(text) !== tag) return;
      const { ipv4, ipv6 } = await this.#held(await this.#life());
      this.#told = null;
      await this.#carryOut({ add: [], remove: [ipv4, ipv6] }, new AbortController().signal);
      await this.#install(NOBODY, text);
    });
  }

  /** Has OpenBGPD read all its files again, others' too, if they are good. Networks and sessions that stay as they are notice nothing. */
  reload(): Promise<void> {
    return this.#turns.run(async () => {
      await this.#control.check(this.#options.mainConfig);
      await this.#control.reload();
      await this.#file.noteRead();
    });
  }

  async #install(text: string, before: string | null): Promise<void> {
    const wasRead = !(await this.#file.isUnread());
    await this.#file.noteUnread();
    await this.#file.write(text);
    let isAsked = false;
    try {
      await this.#control.check(this.#options.mainConfig);
      isAsked = true;
      await this.#control.reload();
    } catch (error) {
      // What was in place is to be found after a restart too. An OpenBGPD whose answer was lost may have read the new text.
      await this.#file.write(before ?? NOBODY);
      if (wasRead && !isAsked) await this.#file.noteRead();
      throw error;
    }
    await this.#file.noteRead();
  }

  async #bring(routes: RoutesModel, signal: AbortSignal): Promise<void> {
    const life = await this.#life();
    const changes = changesBetween(await this.#held(life), routes);
    this.#told = null; // until all is done, nobody knows
    await this.#carryOut(changes, signal);
    this.#told = { life, routes };
  }

  async #held(life: string): Promise<PrefixTable> {
    if (this.#told?.life === life) return this.#told.routes.table;
    return readNetworks(await this.#control.showNetworks(ANY_MARK));
  }

  async #carryOut({ add, remove }: NetworkChanges, signal: AbortSignal): Promise<void> {
    for (const { mark, lists } of add) {
      signal.throwIfAborted();
      await this.#control.announce(mark, linesOf(lists), sizeOf(lists));
    }
    signal.throwIfAborted();
    if (sizeOf(remove) > 0) await this.#control.takeBack(linesOf(remove), sizeOf(remove));
  }

  /** A running OpenBGPD has made its socket at its start. */
  async #life(): Promise<string> {
    const { ino, mtimeMs } = await this.#socket();
    return `${ino} ${mtimeMs}`;
  }

  async #socket(): Promise<{ readonly ino: number; readonly mtime: Date; readonly mtimeMs: number }> {
    const { socket } = this.#options;
    return stat(socket).catch((error: NodeJS.ErrnoException) => {
      throw new SpeakerError(
        'speaker_unreachable',
        `OpenBGPD has no control socket ${socket} (${error.code ?? error.message}): is it running, and does APP_ROUTER_SOCKET name its socket?`,
      );
    });
  }
}

function sizeOf(lists: readonly PrefixList[]): number {
  return lists.reduce((sum, { size }) => sum + size, 0);
}
