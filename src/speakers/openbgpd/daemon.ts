/** One OpenBGPD and its speaker. It can hold only one, because its networks are in one table. */
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
import { NO_SPEAKER, ownerOf, speakerIn, tagOf, type Configuration, type InPlace } from './render.ts';
import { never } from '../never.ts';

export interface OpenbgpdOptions extends ControlOptions {
  /** Absolute path of the directory whose `prefixcast.conf` OpenBGPD's main configuration includes. */
  readonly directory: string;
  readonly mainConfig: string;
  /** Distinguishes the speaker that this service left in it from another service's; absent: it has no owner. */
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
  /** The networks it was last given, and the run of OpenBGPD that received them; null: unknown, so OpenBGPD is asked. */
  #announced: { readonly life: string | null; readonly routes: RoutesModel } | null = null;
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

  /** Whether it may have lost our networks, as after a restart. */
  async isForgetful(): Promise<boolean> {
    return this.#announced !== null && this.#announced.life !== (await this.#life());
  }

  /** What is in place, for the next configuration; null: nothing. */
  async inPlace(): Promise<InPlace | null> {
    const text = await this.#file.read();
    if (text === null) return null;
    const groups = this.#announced === null ? null : groupRoutes(this.#announced.routes);
    return { text, marks: groups === null ? null : new Set(groups.map(({ mark }) => mark)) };
  }

  /**
   * Has OpenBGPD run this configuration. `bgpd -n` checks it first; a rejected one changes nothing.
   * @returns false when it was in place already, so that nothing was done
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

  /** Brings the networks to those of `routes`; new ones are added before old ones are removed. Does nothing where they are in place. */
  announce(routes: RoutesModel, signal: AbortSignal): Promise<void> {
    return this.#turns.run(() => this.#bring(routes, signal));
  }

  /** Announces the last networks again if OpenBGPD has lost them. */
  remind(): Promise<void> {
    return this.#turns.run(async () => {
      if (!(await this.isForgetful())) return;
      const { routes } = this.#announced!;
      try {
        await this.#bring(routes, never);
      } catch (error) {
        this.#announced = { life: null, routes }; // retried by a later status
        throw error;
      }
    });
  }

  /** Clears these sessions, which restart with the present configuration. */
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

  /** Removes the speaker: its networks first, so that peers receive the withdrawals. */
  remove(tag: string): Promise<void> {
    return this.#turns.run(async () => {
      const text = await this.#file.read();
      if (text === null || ownerOf(text) !== tag) return;
      const { ipv4, ipv6 } = await this.#held(await this.#life());
      this.#announced = null;
      await this.#carryOut({ add: [], remove: [ipv4, ipv6] }, never);
      await this.#install(NO_SPEAKER, text);
    });
  }

  /**
   * Makes OpenBGPD read all its files again, including those of others, if they are valid. Unchanged networks and sessions are not
   * disturbed.
   */
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
      // Restores the previous file, which a restart would read. An OpenBGPD whose answer was lost may have read the new text.
      await this.#file.write(before ?? NO_SPEAKER);
      if (wasRead && !isAsked) await this.#file.noteRead();
      throw error;
    }
    await this.#file.noteRead();
  }

  async #bring(routes: RoutesModel, signal: AbortSignal): Promise<void> {
    const life = await this.#life();
    const changes = changesBetween(await this.#held(life), routes);
    this.#announced = null; // unknown until all is done
    await this.#carryOut(changes, signal);
    this.#announced = { life, routes };
  }

  async #held(life: string): Promise<PrefixTable> {
    if (this.#announced?.life === life) return this.#announced.routes.table;
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

  /** Identifies a run of OpenBGPD, which makes its socket when it starts. */
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
