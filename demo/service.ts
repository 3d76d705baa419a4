import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stopProcess } from './program.ts';

const SOURCE = join(import.meta.dirname, '../src/prefixcast.ts');
/** A process that ends is noticed at once; a machine with twenty times as much to do as it has cores takes minutes to start one. */
const READY_WITHIN_MS = 180_000;
const JOB_WITHIN_MS = 120_000;

export interface ServiceOptions {
  readonly dataDir: string;
  readonly port: number;
  readonly bgpListen: string;
  /** The program; default: the source. */
  readonly command?: string;
  /** Further environment variables of the service. */
  readonly env?: Readonly<Record<string, string>>;
  /** Gets what the service says, in pieces. */
  readonly onOutput?: (text: string) => void;
  /** Ends a service that is not ready yet. */
  readonly signal?: AbortSignal;
}

export interface FinishedJob {
  readonly id: string;
  readonly type: string;
  readonly state: string;
  readonly attempt: number;
  readonly error: { readonly code: string; readonly detail: string } | null;
  readonly result: Record<string, unknown> | null;
}

/** `prefixcast start` in a process of its own, with a client for its API. The demo and the end-to-end tests run on it. */
export class Service {
  readonly url: string;
  readonly key: string;
  readonly #process: ChildProcess;

  private constructor(url: string, key: string, child: ChildProcess) {
    this.url = url;
    this.key = key;
    this.#process = child;
  }

  /** Starts the service on embedded defaults and waits until it is ready. */
  static async start({
    dataDir,
    port,
    bgpListen,
    command = SOURCE,
    env,
    onOutput,
    signal,
  }: ServiceOptions): Promise<Service> {
    const child = spawn(process.execPath, [command, 'start'], {
      env: {
        ...process.env,
        APP_SERVICE: 'app-all',
        APP_HOST: '127.0.0.1',
        APP_PORT: String(port),
        APP_DATA_DIR: dataDir,
        APP_BGP_LISTEN: bgpListen,
        APP_FETCH_ALLOW: '127.0.0.1/32', // the lists are served on this machine
        APP_LOG_FORMAT: 'json',
        APP_BOOTSTRAP_API_KEY: '',
        DATABASE_URL: '',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const keepTail = (chunk: Buffer): string => (output = (output + chunk.toString()).slice(-4000));
    child.stdout.on('data', keepTail);
    if (onOutput !== undefined) child.stdout.on('data', (chunk: Buffer) => onOutput(chunk.toString()));
    child.stderr.on('data', keepTail);
    const url = `http://127.0.0.1:${port}`;
    const deadline = performance.now() + READY_WITHIN_MS;
    while (!(await isReady(url))) {
      if (signal?.aborted === true) {
        await stopProcess(child);
        throw new Error('The start of the service was interrupted.');
      }
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`The service stopped at once and said:\n${output}`);
      if (performance.now() > deadline) {
        child.kill('SIGKILL');
        throw new Error(`The service was not ready within ${READY_WITHIN_MS / 1000} s. It said:\n${output}`);
      }
      await sleep(20);
    }
    return new Service(url, readFileSync(join(dataDir, 'bootstrap-key'), 'utf8').trim(), child);
  }

  get pid(): number {
    return this.#process.pid!;
  }

  /** The answer to any request, good or not. */
  async request(
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    const json: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
    return fetch(this.url + path, {
      method,
      headers: { authorization: `Bearer ${this.key}`, ...json, ...headers },
      body: body === undefined ? null : JSON.stringify(body),
    });
  }

  /** The body of a good answer; throws with the problem of any other. */
  async call<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await this.request(method, path, body);
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }

  get<T>(path: string): Promise<T> {
    return this.call<T>('GET', path);
  }

  post<T>(path: string, body?: object): Promise<T> {
    return this.call<T>('POST', path, body);
  }

  /** Waits for the end of the job, whatever end that is. */
  async ended(job: { readonly id: string }): Promise<FinishedJob> {
    const deadline = performance.now() + JOB_WITHIN_MS;
    for (;;) {
      const now = await this.get<FinishedJob>(`/v1/jobs/${job.id}`);
      if (now.state !== 'queued' && now.state !== 'running') return now;
      if (performance.now() > deadline)
        throw new Error(`Job ${now.type} is ${now.state} after ${JOB_WITHIN_MS / 1000} s.`);
      await sleep(50);
    }
  }

  /** Waits for the good end of the job; throws with its error when it ends otherwise. */
  async succeeded(job: { readonly id: string }): Promise<Record<string, unknown>> {
    const ended = await this.ended(job);
    if (ended.state === 'succeeded') return ended.result ?? {};
    throw new Error(`Job ${ended.type} ${ended.state}: ${ended.error?.detail ?? 'no reason given'}`);
  }

  /** Resolves once the process has ended, for whatever reason, to what ended it: an exit code or a signal. */
  whenGone(): Promise<string> {
    const child = this.#process;
    const cause = (): string =>
      child.signalCode === null ? `with exit code ${child.exitCode}` : `by ${child.signalCode}`;
    if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(cause());
    return new Promise((resolve) => child.once('exit', () => resolve(cause())));
  }

  /** Ends the process with the signal and waits until it is gone. SIGTERM is the orderly way. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    await stopProcess(this.#process, signal);
  }
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/v1/ready`)).ok;
  } catch {
    return false;
  }
}
