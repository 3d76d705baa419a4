/**
 * Client of the socket on which FRR's daemons talk to `vtysh`: a command ends with NUL, an answer with three NULs and a status, which is 0
 * on success. Commands are built only from numbers, addresses, generated names, and passwords that check.ts accepted.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { SpeakerError } from '../speaker.ts';

/** Milliseconds: a healthy daemon answers a command at once. */
const DEADLINE = 5_000;
const CALL_AGAIN = 20;
const LONGEST_ANSWER = 256 << 20;

/** FRR's statuses that come without a message. */
const NOT_KNOWN = 2;

const END = Buffer.alloc(3);

export class VtySocket {
  readonly path: string;
  readonly #deadline: number;

  /** @param deadline of each command, in milliseconds */
  constructor(path: string, deadline = DEADLINE) {
    this.path = path;
    this.#deadline = deadline;
  }

  /** The output of a command that shows something. */
  show(command: string): Promise<string> {
    return this.#converse(async (ask) => ask(command));
  }

  /**
   * Runs commands one after the other, and stops at the first that FRR rejects: the next ones might mean something else in FRR's present
   * context.
   * @throws {SpeakerError} `daemon_refused` with FRR's own words
   */
  async run(commands: readonly string[]): Promise<void> {
    await this.#converse(async (ask) => {
      for (const command of commands) await ask(command).catch((error: unknown) => passOver(command, error));
    });
  }

  async #converse<T>(talk: (ask: (command: string) => Promise<string>) => Promise<T>): Promise<T> {
    const socket = await call(this.path, this.#deadline);
    const line = new Line(this.path, socket, this.#deadline);
    try {
      await line.ask('enable');
      return await talk((command) => line.ask(command));
    } finally {
      line.close();
    }
  }
}

/** FRR's queue of pending connections is short, so a refused one is retried. */
async function call(path: string, deadline: number): Promise<Socket> {
  const until = performance.now() + deadline;
  for (;;) {
    const socket = connect(path);
    try {
      await once(socket, 'connect');
      return socket;
    } catch (error) {
      socket.destroy();
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw unanswered(path, explain(error as Error));
      if (performance.now() > until) throw unanswered(path, `took no call within ${deadline / 1000} s`);
      await sleep(CALL_AGAIN);
    }
  }
}

function unanswered(path: string, what: string): SpeakerError {
  return new SpeakerError('speaker_unreachable', `FRR's bgpd at ${path} ${what}`);
}

/** One connection, with one command at a time. */
class Line {
  readonly #path: string;
  readonly #deadline: number;
  readonly #socket: Socket;
  #received: Buffer[] = [];
  #length = 0;
  #answered: ((end: Buffer | SpeakerError) => void) | null = null;
  #broken: SpeakerError | null = null;

  constructor(path: string, socket: Socket, deadline: number) {
    this.#path = path;
    this.#deadline = deadline;
    this.#socket = socket;
    this.#socket.on('error', (error) => this.#fail(explain(error)));
    this.#socket.on('close', () => this.#fail('closed its socket before its answer was complete'));
    this.#socket.on('data', (chunk) => this.#take(chunk));
  }

  async ask(command: string): Promise<string> {
    if (/[\0\r\n]/.test(command)) throw new RangeError('a command is one line');
    if (this.#broken !== null) throw this.#broken;
    const shown = withoutPassword(command);
    const answer = await new Promise<Buffer>((resolve, reject) => {
      const late = (): void => this.#fail(`did not answer "${shown}" within ${this.#deadline / 1000} s`);
      const timer = setTimeout(late, this.#deadline);
      this.#answered = (end) => {
        this.#answered = null;
        clearTimeout(timer);
        if (end instanceof SpeakerError) reject(end);
        else resolve(end);
      };
      this.#socket.write(`${command}\0`);
    });
    const status = answer.at(-1)!;
    const words = answer.toString('utf8', 0, answer.length - END.length - 1);
    if (status !== 0) throw refusal(command, status, words);
    return words;
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.#received.push(chunk);
    this.#length += chunk.length;
    if (this.#length > LONGEST_ANSWER) return this.#fail('answers without end: is it FRR?');
    // The mark may arrive in pieces.
    while (this.#received.length > 1 && this.#received.at(-1)!.length < END.length + 1)
      this.#received.push(Buffer.concat(this.#received.splice(-2)));
    const last = this.#received.at(-1)!;
    if (last.length <= END.length || !last.subarray(-END.length - 1, -1).equals(END)) return;
    const answer = Buffer.concat(this.#received);
    this.#received = [];
    this.#length = 0;
    this.#answered?.(answer);
  }

  #fail(what: string): void {
    this.#broken ??= unanswered(this.#path, what);
    this.#socket.destroy();
    this.#answered?.(this.#broken);
  }
}

/** FRR applies a setting of graceful restart, but reports a failure if zebra is not running to be informed too. */
function passOver(command: string, error: unknown): void {
  const isRefusal = error instanceof SpeakerError && error.code === 'daemon_refused';
  if (!isRefusal || !/ graceful-restart(?:-\w+)?$/.test(command)) throw error;
}

function refusal(command: string, status: number, words: string): SpeakerError {
  const said = words.trim() || (status === NOT_KNOWN ? 'it does not know the command' : `status ${status}`);
  const password = passwordIn(command);
  const shown = password === null ? said : said.replaceAll(password, '***');
  return new SpeakerError('daemon_refused', `FRR answers "${withoutPassword(command)}" with: ${shown}`);
}

function passwordIn(command: string): string | null {
  return /^\s*(?:no )?neighbor \S+ password (.+)$/.exec(command)?.[1] ?? null;
}

function withoutPassword(command: string): string {
  const password = passwordIn(command);
  return password === null ? command.trim() : `${command.trim().slice(0, -password.length)}***`;
}

function explain(error: NodeJS.ErrnoException): string {
  switch (error.code) {
    case 'ENOENT':
      return 'has no socket there: is it running, and does APP_ROUTER_SOCKET name the directory of its sockets?';
    case 'ECONNREFUSED':
      return 'is not running: nothing listens on its socket';
    case 'EACCES':
      return 'may not be asked: add the user of this process to the group of the socket, usually frrvty';
    default:
      return `can't be reached: ${error.message}`;
  }
}
