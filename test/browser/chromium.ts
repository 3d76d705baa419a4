/** Chromium without a window, driven over its own protocol (https://chromedevtools.github.io/devtools-protocol/). */
import { join } from 'node:path';
import { daemonDirectory, readText, spawnDaemon } from '../daemons/process.ts';
import { programPath } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';

type Fields = Record<string, unknown>;

export interface Page {
  /** Every address that the page asked for. */
  readonly requested: readonly string[];
  /** Errors and warnings of its console, refusals of its security policy, and exceptions that nobody caught. */
  readonly complaints: readonly string[];
  open(url: string): Promise<void>;
  /** The value of a JavaScript expression in the page. */
  evaluate<T>(expression: string): Promise<T>;
}

export interface Chromium {
  newPage(): Promise<Page>;
  close(): Promise<void>;
}

const ARGUMENTS = [
  // As root there is no sandbox; pages are our own.
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--remote-debugging-port=0',
];

export async function startChromium(): Promise<Chromium> {
  const directory = daemonDirectory('chromium');
  const profile = join(directory, 'profile');
  const browser = spawnDaemon(
    programPath('chromium-headless-shell'),
    [...ARGUMENTS, `--user-data-dir=${profile}`, 'about:blank'],
    { directory, env: { HOME: directory } },
  );
  const address = (): string | undefined => /DevTools listening on (ws:\S+)/.exec(browser.log())?.[1];
  await waitFor(() => address() !== undefined || browser.exited, { what: 'Chromium to listen' });
  if (browser.exited) throw new Error(`Chromium ended: ${readText(join(directory, 'output'))}`);
  const connection = await Connection.open(address()!);
  return {
    newPage: () => openPage(connection),
    async close() {
      connection.close();
      await browser.stop();
    },
  };
}

/** Calls and events of all pages over one WebSocket. */
class Connection {
  readonly #socket: WebSocket;
  readonly #calls = new Map<number, (answer: Fields) => void>();
  readonly #listeners: ((method: string, params: Fields, sessionId: unknown) => void)[] = [];
  #lastId = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => {
      const message = JSON.parse(String(data)) as Fields;
      if (typeof message.id === 'number') this.#calls.get(message.id)?.(message);
      else
        for (const listener of this.#listeners)
          listener(String(message.method), message.params as Fields, message.sessionId);
    });
  }

  static async open(url: string): Promise<Connection> {
    const socket = new WebSocket(url);
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve);
      socket.addEventListener('error', () => reject(new Error(`${url} does not answer`)));
    });
    return new Connection(socket);
  }

  listen(listener: (method: string, params: Fields, sessionId: unknown) => void): void {
    this.#listeners.push(listener);
  }

  async call(method: string, params: Fields = {}, sessionId?: string): Promise<Fields> {
    const id = ++this.#lastId;
    const answered = new Promise<Fields>((resolve) => this.#calls.set(id, resolve));
    this.#socket.send(
      JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) }),
    );
    const { result, error } = await answered;
    this.#calls.delete(id);
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result as Fields;
  }

  close(): void {
    this.#socket.close();
  }
}

async function openPage(connection: Connection): Promise<Page> {
  const { targetId } = await connection.call('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = (await connection.call('Target.attachToTarget', { targetId, flatten: true })) as {
    sessionId: string;
  };
  const call = (method: string, params?: Fields): Promise<Fields> =>
    connection.call(method, params, sessionId);
  const requested: string[] = [];
  const complaints: string[] = [];
  let loaded: (() => void) | undefined;
  connection.listen((method, params, session) => {
    if (session !== sessionId) return;
    if (method === 'Network.requestWillBeSent') requested.push((params.request as { url: string }).url);
    else if (method === 'Page.loadEventFired') loaded?.();
    else {
      const complaint = complaintOf(method, params);
      if (complaint !== null) complaints.push(complaint);
    }
  });
  for (const domain of ['Page', 'Network', 'Runtime', 'Log']) await call(`${domain}.enable`);
  return {
    requested,
    complaints,
    async open(url) {
      const done = new Promise<void>((resolve) => (loaded = resolve));
      const { errorText } = await call('Page.navigate', { url });
      if (errorText !== undefined) throw new Error(`${url}: ${JSON.stringify(errorText)}`);
      await done;
    },
    async evaluate<T>(expression: string): Promise<T> {
      const answer = await call('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
      if (answer.exceptionDetails !== undefined)
        throw new Error(`${expression}: ${JSON.stringify(answer.exceptionDetails)}`);
      return (answer.result as { value: T }).value;
    },
  };
}

function complaintOf(method: string, params: Fields): string | null {
  if (method === 'Log.entryAdded') {
    const { level, text } = params.entry as { level: string; text: string };
    return level === 'error' || level === 'warning' ? text : null;
  }
  if (method === 'Runtime.exceptionThrown') return JSON.stringify(params.exceptionDetails);
  if (method !== 'Runtime.consoleAPICalled') return null;
  const { type, args } = params as {
    type: string;
    args: readonly { value?: unknown; description?: string }[];
  };
  if (type !== 'error' && type !== 'warning' && type !== 'assert') return null;
  return args.map(({ value, description }) => description ?? JSON.stringify(value)).join(' ');
}
