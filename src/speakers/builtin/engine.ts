/**
 * The builtin speaker: an announce-only BGP speaker that needs nothing installed. Sessions run in a thread of their own, so that no API
 * request or job delays a keepalive.
 *
 *     engine.ts   main thread: one SpeakerDriver per speaker, over messages (protocol.ts), with tables handed over (table-copy.ts)
 *     thread.ts   the thread's entry -> hub.ts: the listening socket (listener.ts, incoming.ts) and the speakers
 *     announcer.ts  one speaker -> peer.ts: one peer: session (src/bgp) + wire.ts (sockets, timer) + feed.ts (its routes)
 *     sole-sessions.ts  which routers nobody else calls, since a speaker has their session
 *     ../exports/adj-rib-out.ts, plan.ts  which routes a peer receives with what attributes, and the step from one set of routes to the next
 */
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { ProvisionalDriver } from '../provisional.ts';
import { SpeakerError, unreachable } from '../speaker.ts';
import type {
  ApplyOutcome,
  PlainDriver,
  RenderedFile,
  RoutesModel,
  SpeakerDriver,
  SpeakerModel,
  SpeakerStatus,
} from '../speaker.ts';
import { builtinRenderer } from './renderer.ts';
import type {
  Answers,
  Command,
  ListenAddress,
  Report,
  Request,
  SessionChange,
  ThreadOptions,
} from './protocol.ts';
import { copyRoutes } from './table-copy.ts';

export type { ListenAddress, SessionChange } from './protocol.ts';

/** After that, a peer that is still being sent an apply reads slowly. */
const SEND_MILLISECONDS = 30_000;
/** Bounds the young generation of the thread's heap: it makes few objects, and V8 would keep a larger one once grown. */
const YOUNG_MEGABYTES = 4;
/** Until a thread that died is restarted. */
const RESTART_PAUSE_MILLISECONDS = 1_000;

/** The part of a pino logger that is used. */
export interface EngineLog {
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
  error(fields: object, text: string): void;
}

export interface BuiltinEngineOptions {
  /** Where peers may connect; opened when the first speaker has routes and peers. */
  readonly listen: ListenAddress;
  readonly log: EngineLog;
  /** Version of the program, shown in a speaker's status. */
  readonly version: string;
  /** Milliseconds after which a peer that is still being sent an apply is shown to read slowly; default 30 s. */
  readonly timeout?: number;
}

interface Pending {
  readonly resolve: (value: never) => void;
  readonly reject: (error: SpeakerError) => void;
}

/** The last model and routes of a speaker, for a new thread. */
interface Desired {
  model?: SpeakerModel;
  routes?: RoutesModel;
}

export class BuiltinEngine {
  readonly #options: BuiltinEngineOptions;
  readonly #desired = new Map<string, Desired>();
  readonly #pending = new Map<number, Pending>();
  readonly #listeners = new Set<(change: SessionChange) => void>();
  #worker: Worker | null = null;
  #lastId = 0;
  #closing = false;
  #address: ListenAddress | null = null;

  constructor(options: BuiltinEngineOptions) {
    this.#options = options;
  }

  /** Where the speaker listens now; null: nowhere. */
  get address(): ListenAddress | null {
    return this.#address;
  }

  /** Resolves when the thread is up. */
  start(): Promise<void> {
    const thread = new URL(`./thread${extname(import.meta.url)}`, import.meta.url);
    const { listen, version, timeout = SEND_MILLISECONDS } = this.#options;
    const worker = new Worker(thread, {
      workerData: { listen, version, timeout } satisfies ThreadOptions,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEGABYTES },
    });
    this.#worker = worker;
    return new Promise((resolve, reject) => {
      worker.on('message', (report: Report) => {
        if (report.type === 'ready') resolve();
        else this.#receive(report);
      });
      worker.on('error', (error: Error) => {
        this.#options.log.error({ err: error }, 'the speaker thread failed');
        reject(error);
      });
      worker.on('exit', () => this.#lost(worker));
    });
  }

  /** The driver of one speaker. Peers stay as they are until the driver changes them. */
  driver(speakerId: string): SpeakerDriver {
    return new ProvisionalDriver(new BuiltinDriver(this, speakerId));
  }

  /** Calls back on every change of a session's state or error; returns a function that unsubscribes. */
  onSessionChange(listener: (change: SessionChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Ends all sessions, gracefully or with Cease, and the thread. */
  async close(graceful: boolean): Promise<void> {
    this.#closing = true;
    const worker = this.#worker;
    if (worker === null) return;
    const speakers = [...this.#desired.keys()];
    await Promise.all(speakers.map((speakerId) => this.request({ type: 'close', speakerId, graceful })));
    await worker.terminate();
  }

  /** @internal Used by the drivers of this engine. */
  request<C extends Command>(command: C): Promise<Answers[C['type']]> {
    this.#remember(command);
    const worker = this.#worker;
    if (worker === null) return Promise.reject(gone());
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      if (command.type === 'apply') {
        const { routes, buffers } = copyRoutes(command.routes);
        const copy: Request = { id, command: { ...command, routes } };
        worker.postMessage(copy, [...buffers]);
      } else {
        worker.postMessage({ id, command } satisfies Request);
      }
    });
  }

  #remember(command: Command): void {
    const { speakerId } = command;
    const desired = this.#desired.get(speakerId) ?? {};
    if (command.type === 'configure') this.#desired.set(speakerId, { ...desired, model: command.model });
    else if (command.type === 'apply') this.#desired.set(speakerId, { ...desired, routes: command.routes });
    else if (command.type === 'close') this.#desired.delete(speakerId);
  }

  #receive(report: Exclude<Report, { type: 'ready' }>): void {
    switch (report.type) {
      case 'answer':
        this.#pending.get(report.id)?.resolve(report.value as never);
        this.#pending.delete(report.id);
        break;
      case 'failure':
        this.#pending.get(report.id)?.reject(new SpeakerError(report.code, report.message));
        this.#pending.delete(report.id);
        break;
      case 'listening':
        this.#address = report.address;
        break;
      case 'session':
        for (const listener of this.#listeners) listener(report.change);
        break;
      case 'log':
        this.#options.log[report.level](report.fields, report.text);
        break;
    }
  }

  /** The thread died: peers with graceful restart keep the routes until a new thread has sent them again. */
  #lost(worker: Worker): void {
    if (this.#worker !== worker) return;
    this.#worker = null;
    this.#address = null;
    for (const { reject } of this.#pending.values()) reject(gone());
    this.#pending.clear();
    if (!this.#closing) setTimeout(() => void this.#revive(), RESTART_PAUSE_MILLISECONDS);
  }

  async #revive(): Promise<void> {
    if (this.#closing) return;
    try {
      await this.start();
    } catch (error) {
      this.#notTakenUp(error);
      return;
    }
    // All at once: later requests are queued behind these, and no speaker waits for another.
    for (const [speakerId, { model, routes }] of [...this.#desired]) {
      const requests: Promise<unknown>[] = [];
      if (model !== undefined) requests.push(this.request({ type: 'configure', speakerId, model }));
      if (routes !== undefined) requests.push(this.request({ type: 'apply', speakerId, routes }));
      Promise.all(requests).catch((error: unknown) => this.#notTakenUp(error, speakerId));
    }
  }

  #notTakenUp(error: unknown, speakerId?: string): void {
    this.#options.log.error({ err: error, speakerId }, 'the speaker thread did not take up its work again');
  }
}

function gone(): SpeakerError {
  return new SpeakerError(
    'speaker_unreachable',
    'the thread that holds the BGP sessions is not running; it is started again by itself, see the log for why it ended',
  );
}

class BuiltinDriver implements PlainDriver {
  readonly canRevertPeers = true;
  readonly #engine: BuiltinEngine;
  readonly #speakerId: string;

  constructor(engine: BuiltinEngine, speakerId: string) {
    this.#engine = engine;
    this.#speakerId = speakerId;
  }

  async configure(model: SpeakerModel): Promise<void> {
    await this.#engine.request({ type: 'configure', speakerId: this.#speakerId, model });
  }

  check(model: SpeakerModel): readonly string[] {
    return builtinRenderer.check(model);
  }

  render(model: SpeakerModel, routes: RoutesModel): readonly RenderedFile[] {
    return builtinRenderer.render(model, routes);
  }

  async apply(routes: RoutesModel, signal: AbortSignal): Promise<ApplyOutcome> {
    signal.throwIfAborted();
    const sent = this.#engine.request({ type: 'apply', speakerId: this.#speakerId, routes });
    return untilAborted(sent, signal);
  }

  async status(): Promise<SpeakerStatus> {
    try {
      return await this.#engine.request({ type: 'status', speakerId: this.#speakerId });
    } catch (error) {
      return unreachable(error);
    }
  }

  async hurry(): Promise<void> {
    await this.#engine.request({ type: 'hurry', speakerId: this.#speakerId });
  }

  async close(graceful: boolean): Promise<void> {
    await this.#engine.request({ type: 'close', speakerId: this.#speakerId, graceful });
  }
}

/** Stops waiting on an abort; the routes are still sent, until a later apply replaces them. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
