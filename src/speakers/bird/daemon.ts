/**
 * One BIRD and all its speakers. An apply is a transaction: check, try, verify, then confirm or undo. BIRD has one configuration and one
 * undo step, so a pending commit of one speaker makes those of others wait.
 */
import { realpath } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { SerialQueue } from '../../concurrency/serial-queue.ts';
import { SpeakerError } from '../speaker.ts';
import { ConfigDirectory } from './config-directory.ts';
import { ControlSocket } from './process/control-socket.ts';
import { DirectoryLock } from './process/directory-lock.ts';
import { speakerTag } from './config/names.ts';
import { checkConfiguration } from './process/program.ts';
import { readProtocols, readStatus, type BirdState } from './status/read-status.ts';
import { DEFAULT_FEED, type FeedEndpoint } from './config/render-feed.ts';
import { render, speakerOfHead, type Configuration, type RenderOptions, type Way } from './config/render.ts';
import { PendingCommit, withEnd } from './process/pending-commit.ts';
import { markOf } from './status/verify.ts';
import { untilRight } from './status/watch.ts';
import { birdRenderer } from './renderer.ts';
import type { Renderer, RoutesModel, SharedDaemon, SpeakerModel } from '../speaker.ts';

export interface BirdOptions {
  /** Path of BIRD's control socket. */
  readonly socket: string;
  /** Absolute path of the directory of which BIRD's main configuration includes `*.conf`. */
  readonly directory: string;
  /** BIRD's program, which checks configurations. */
  readonly program: string;
  /** BIRD's main configuration. */
  readonly mainConfig: string;
  /** TCP port on which BIRD listens for BGP; default 179. */
  readonly port?: number;
  /** BIRD listens only on the addresses of sessions; default false, as in BIRD. */
  readonly strictBind?: boolean;
  /** Where BIRD accepts the route injection sessions; default {@link DEFAULT_FEED}. */
  readonly feed?: FeedEndpoint;
  /** The service whose files in the directory are ours to remove; absent: none are. */
  readonly serviceId?: string;
  /** Seconds until BIRD reverts an unconfirmed apply, where the apply does not say; default 60. */
  readonly confirmSeconds?: number;
}

/** Routes that a reload may have to read, of all owners. */
const RELOADED_ROUTES = 1_000_000;

export class BirdDaemon implements SharedDaemon {
  readonly #options: BirdOptions;
  readonly #socket: ControlSocket;
  readonly #directory: ConfigDirectory;
  readonly #lock: DirectoryLock;
  readonly #turns = new SerialQueue();

  constructor(options: BirdOptions) {
    this.#options = options;
    this.#socket = new ControlSocket(options.socket);
    this.#directory = new ConfigDirectory(options.directory);
    this.#lock = new DirectoryLock(options.directory);
  }

  get renderer(): Renderer {
    return birdRenderer(this.#renderOptions);
  }

  render(model: SpeakerModel, routes: RoutesModel, way?: Way): Configuration {
    return render(model, routes, this.#renderOptions, way);
  }

  get feed(): FeedEndpoint {
    return this.#options.feed ?? DEFAULT_FEED;
  }

  get #renderOptions(): RenderOptions {
    const { directory, port = 179, strictBind = false, serviceId } = this.#options;
    const owner = serviceId === undefined ? {} : { serviceId };
    return { directory, port, strictBind, feed: this.feed, ...owner };
  }

  /** The state of BIRD and of the protocols of one speaker. */
  async state(tag: string): Promise<BirdState> {
    const status = readStatus(await this.#socket.showStatus());
    const protocols = readProtocols(await this.#socket.showProtocols(`${tag}*`), status.now);
    return { ...status, protocols };
  }

  /** Whether any BFD protocol runs: sessions only request one. */
  async hasBfd(): Promise<boolean> {
    return readProtocols(await this.#socket.showProtocols('*'), null).some(({ kind }) => kind === 'BFD');
  }

  /**
   * Brings BIRD to a configuration, or leaves it unchanged and says why.
   * @returns false when BIRD runs it already, so that nothing was done
   */
  async deploy(configuration: Configuration, signal: AbortSignal, confirmSeconds?: number): Promise<boolean> {
    const pending = await this.tryOut(configuration, signal, confirmSeconds);
    await pending?.confirm();
    return pending !== null;
  }

  /**
   * {@link deploy} without the confirmation: BIRD runs the configuration, verified but provisional.
   * @returns null when BIRD runs it already and permanently, so that nothing was done
   */
  async tryOut(
    configuration: Configuration,
    signal: AbortSignal,
    confirmSeconds = this.#options.confirmSeconds ?? 60,
  ): Promise<PendingCommit | null> {
    await this.#requireClaim();
    const release = await this.#turns.take();
    try {
      const before = await this.#begin(configuration, signal, confirmSeconds);
      if (before !== null) return this.#pendingCommit(configuration, before, confirmSeconds, release);
      release();
      return null;
    } catch (error) {
      release();
      throw error;
    }
  }

  /**
   * Waits until BIRD runs the configuration with all its routes.
   * @throws {SpeakerError} `verification_failed` with what is missing
   */
  async verify(configuration: Configuration, signal: AbortSignal): Promise<void> {
    const routes = configuration.imports.reduce((sum, { routes: count }) => sum + count, 0);
    await this.#untilRight(configuration, this.#readingTime(routes), signal);
  }

  /** Has BIRD read its configuration again, unless its program rejects it. Waits for a pending commit. */
  async reload(): Promise<void> {
    const release = await this.#turns.take();
    try {
      const readingTime = this.#readingTime(RELOADED_ROUTES);
      await checkConfiguration(this.#options.program, this.#options.mainConfig, readingTime);
      await this.#socket.configure(readingTime);
    } finally {
      release();
    }
  }

  claim(): Promise<string | null> {
    return this.#lock.claim();
  }

  release(): Promise<void> {
    return this.#lock.release();
  }

  async speakerIds(): Promise<string[]> {
    const { serviceId } = this.#options;
    if (serviceId === undefined) return [];
    return (await this.#directory.readHeads()).flatMap((head) => speakerOfHead(head, serviceId) ?? []);
  }

  removeSpeaker(speakerId: string): Promise<void> {
    return this.remove(speakerTag(speakerId));
  }

  /** Removes a speaker from BIRD. Until BIRD has been reached to do so, the speaker stays among {@link speakerIds}. */
  async remove(tag: string): Promise<void> {
    await this.#requireClaim();
    const release = await this.#turns.take();
    try {
      await this.#directory.withdraw(tag);
      await this.#socket.configure(this.#readingTime(0));
      await this.#directory.forget(tag);
      await this.#directory.sweep(tag);
    } finally {
      release();
    }
  }

  async #requireClaim(): Promise<void> {
    const conflict = await this.claim();
    if (conflict !== null) throw new SpeakerError('daemon_in_use', conflict);
  }

  /** @returns what BIRD ran before; null when it runs the configuration already */
  async #begin(
    configuration: Configuration,
    signal: AbortSignal,
    confirmSeconds: number,
  ): Promise<BirdState | null> {
    const { tag, head, hash, groups } = configuration;
    const directory = this.#directory;
    signal.throwIfAborted();
    const before = await this.state(tag); // first: no work for a BIRD that is down
    await directory.recover(tag);
    await directory.writeRoutes(groups);
    const good = await directory.readHead(tag, 'good');
    if (markOf(before, tag) === hash && good === head) return null;
    const readingTime = this.#readingTime(groups.reduce((sum, { prefixes }) => sum + prefixes.size, 0));
    const { program, mainConfig } = this.#options;
    try {
      await directory.stage(tag, head);
      await checkConfiguration(program, await directory.stageMain(tag), readingTime);
      await directory.switch(tag);
      await checkConfiguration(program, mainConfig, readingTime);
    } catch (error) {
      await this.#directory.takeBack(tag);
      throw error;
    }
    await this.#try(configuration, before, readingTime, confirmSeconds, signal);
    return before;
  }

  /** Reads and verifies; on any error, goes back to the previous configuration. */
  async #try(
    configuration: Configuration,
    before: BirdState,
    readingTime: number,
    confirmSeconds: number,
    signal: AbortSignal,
  ): Promise<void> {
    const { mainConfig, socket } = this.#options;
    let configured = false;
    try {
      const { file } = await this.#socket.configure(readingTime, confirmSeconds);
      configured = true;
      if (file !== null && !(await isSameFile(file, mainConfig)))
        throw new SpeakerError(
          'config_refused',
          `BIRD at ${socket} reads ${file}, and ${mainConfig} is what was checked: set APP_ROUTER_CONFIG to the file that BIRD reads`,
        );
      await this.#untilRight(configuration, confirmSeconds * 750, signal);
    } catch (error) {
      throw withEnd(error, await this.#takeBack(configuration, before, configured, confirmSeconds));
    }
  }

  #pendingCommit(
    configuration: Configuration,
    before: BirdState,
    seconds: number,
    release: () => void,
  ): PendingCommit {
    const { tag } = configuration;
    return new PendingCommit({
      ...{ seconds, release },
      confirm: async () => {
        if (!(await this.#socket.confirm()) && !(await this.#runs(configuration))) return false;
        await this.#directory.keep(tag);
        await this.#directory.sweep(tag);
        return true;
      },
      goBack: () => this.#takeBack(configuration, before, false, seconds),
    });
  }

  /** Permanently, that is, with nothing to confirm: an operator who makes BIRD read its files confirms what is in them. */
  async #runs({ tag, hash }: Configuration): Promise<boolean> {
    const state = await this.state(tag);
    return !state.reconfiguring && markOf(state, tag) === hash;
  }

  #untilRight(configuration: Configuration, timeout: number, signal: AbortSignal): Promise<void> {
    const { directory, mainConfig } = this.#options;
    const look = (): Promise<BirdState> => this.state(configuration.tag);
    return untilRight(configuration, { look, timeout, signal, directory, mainConfig });
  }

  /** Restores the previous files, and BIRD with them; only BIRD if the disk refuses. @returns the outcome, for a person */
  async #takeBack(
    configuration: Configuration,
    before: BirdState,
    configured: boolean,
    confirmSeconds: number,
  ): Promise<string> {
    const files = await this.#directory.takeBack(configuration.tag).then(
      () => '',
      (error: unknown) => `; its files are still the new ones (${wordsOf(error)})`,
    );
    return (await this.#goBack(configuration, before, configured, confirmSeconds)) + files;
  }

  /** @returns the outcome, for a person */
  async #goBack(
    { tag, hash }: Configuration,
    before: BirdState,
    configured: boolean,
    confirmSeconds: number,
  ): Promise<string> {
    try {
      // An undo without a matching configure would revert an earlier apply.
      if (!configured && markOf(await this.state(tag), tag) !== hash) return 'BIRD runs what it ran before';
      await this.#socket.undo(this.#readingTime(0));
      if (markOf(await this.state(tag), tag) !== markOf(before, tag))
        await this.#socket.configure(this.#readingTime(0));
      return 'BIRD went back to what it ran before';
    } catch (error) {
      return `BIRD did not accept the order to go back (${wordsOf(error)}); it goes back by itself within ${confirmSeconds} s`;
    }
  }

  /** Milliseconds that BIRD may take to read this many routes. It answers no command meanwhile. */
  #readingTime(routes: number): number {
    return 30_000 + Math.ceil(routes / 20);
  }
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** BIRD reports the name that it was started with; a relative one can't be compared. */
async function isSameFile(reported: string, known: string): Promise<boolean> {
  if (!isAbsolute(reported)) return true;
  const [a, b] = await Promise.all([reported, known].map((path) => realpath(path).catch(() => path)));
  return a === b;
}
