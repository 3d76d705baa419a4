/**
 * Client of BIRD's control socket. A line of an answer is `NNNN-text` when more follow and `NNNN text` when it is the last; a leading blank
 * repeats the code, and `+` marks asynchronous messages. 0xxx is success, 1xxx and 2xxx are data, 8xxx and 9xxx are errors. Commands are
 * built only from numbers and generated names: a line end would start a second command.
 */
import { connect } from 'node:net';
import { SerialQueue } from '../../../concurrency/serial-queue.ts';
import { SpeakerError } from '../../speaker.ts';

/** One line of an answer. */
export interface ReplyLine {
  readonly code: number;
  readonly text: string;
}

/** BIRD answered with an error; `reply` is its code. */
export class BirdRefusal extends SpeakerError {
  readonly reply: number;
  constructor(reply: number, message: string) {
    super('daemon_refused', message, { isOfDaemon: true });
    this.reply = reply;
  }
}

/** BIRD's answer to `configure`. */
export interface Reconfiguration {
  /** False while protocols are still shutting down: BIRD finishes by itself. */
  readonly complete: boolean;
  /** The file that BIRD read, by the name that BIRD was given; null for an undo. */
  readonly file: string | null;
}

/** Milliseconds: a healthy daemon answers a query at once. */
const DEADLINE = 5_000;
const LONGEST_ANSWER = 64 << 20;

const GREETING = 1;
const READING = 2;
const DONE = 3;
const IN_PROGRESS = 4;
const QUEUED = 5;
const SHUTTING_DOWN = 6;
const CONFIRMED = 18;
const NOTHING_TO_DO = 19;

export class ControlSocket {
  readonly path: string;
  readonly #deadline: number;
  /** One command at a time; the deadline of each begins with its turn. */
  readonly #commands = new SerialQueue();

  /** @param deadline of a query, in milliseconds */
  constructor(path: string, deadline = DEADLINE) {
    this.path = path;
    this.#deadline = deadline;
  }

  showStatus(): Promise<ReplyLine[]> {
    return this.#query('show status');
  }

  /** Details of protocols whose names match; empty if none do. `*` stands for any text. */
  async showProtocols(pattern: string): Promise<ReplyLine[]> {
    if (!/^[A-Za-z0-9_*]+$/.test(pattern)) throw new RangeError(`${JSON.stringify(pattern)} is not a name`);
    try {
      return await this.#query(`show protocols all "${pattern}"`);
    } catch (error) {
      if (error instanceof BirdRefusal && error.reply === 8003) return [];
      throw error;
    }
  }

  /**
   * Has BIRD read its configuration. With `undoSeconds`, BIRD reverts after that time unless the configuration is confirmed.
   * @param deadline in milliseconds: BIRD answers when it has read everything, and answers nothing else meanwhile
   */
  async configure(deadline: number, undoSeconds?: number): Promise<Reconfiguration> {
    const timeout = undoSeconds === undefined ? '' : ` timeout ${Math.trunc(undoSeconds)}`;
    const lines = await this.#write(`configure${timeout}`, deadline);
    const file = /^Reading configuration from (.*)$/.exec(textOf(lines, READING) ?? '')?.[1] ?? null;
    return { ...this.#outcome(lines), file };
  }

  /** Makes a configuration with a timeout permanent. False when none was pending: BIRD has reverted already. */
  async confirm(): Promise<boolean> {
    const lines = await this.#write('configure confirm', this.#deadline);
    return lines.some(({ code }) => code === CONFIRMED);
  }

  /** Reverts to the configuration before the last one. Null when there is none to revert to. */
  async undo(deadline: number): Promise<Reconfiguration | null> {
    const lines = await this.#write('configure undo', deadline);
    if (lines.some(({ code }) => code === NOTHING_TO_DO)) return null;
    return { ...this.#outcome(lines), file: null };
  }

  #outcome(lines: readonly ReplyLine[]): { complete: boolean } {
    const has = (code: number): boolean => lines.some((line) => line.code === code);
    if (has(DONE)) return { complete: true };
    if (has(IN_PROGRESS) || has(QUEUED)) return { complete: false };
    const why = has(SHUTTING_DOWN) ? 'it is shutting down' : lines.map(({ text }) => text).join('; ');
    throw new SpeakerError('daemon_refused', `BIRD at ${this.path} did not reconfigure: ${why}`, {
      isOfDaemon: true,
    });
  }

  /** A command that only reads; the connection is restricted to such commands. */
  #query(command: string): Promise<ReplyLine[]> {
    return this.#commands.run(() => converse(this.path, ['restrict', command], this.#deadline));
  }

  #write(command: string, deadline: number): Promise<ReplyLine[]> {
    return this.#commands.run(() => converse(this.path, [command], deadline));
  }
}

function textOf(lines: readonly ReplyLine[], code: number): string | undefined {
  return lines.find((line) => line.code === code)?.text;
}

/** Sends the commands one after the other on their own connection. @returns the answer to the last one */
function converse(path: string, commands: readonly string[], deadline: number): Promise<ReplyLine[]> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    const waiting = [...commands];
    let asked: string | null = null;
    let lines: ReplyLine[] = [];
    let rest = '';
    let code = 0;
    let received = 0;

    const finish = (end: ReplyLine[] | SpeakerError): void => {
      clearTimeout(timer);
      socket.destroy();
      if (end instanceof SpeakerError) reject(end);
      else resolve(end);
    };
    const fail = (what: string): void =>
      finish(new SpeakerError('speaker_unreachable', `BIRD at ${path} ${what}`));
    const what = (): string => (asked === null ? 'with its greeting' : `"${asked}"`);
    const timer = setTimeout(() => fail(`did not answer ${what()} within ${deadline / 1000} s`), deadline);

    const endAnswer = (last: ReplyLine): void => {
      if (asked === null && last.code !== GREETING)
        return fail(`greets with ${last.code} ${last.text}: is it BIRD?`);
      if (last.code >= 8000) {
        const words = lines.map(({ text }) => text).join('; ');
        return finish(new BirdRefusal(last.code, `BIRD answers "${asked}" with ${last.code} ${words}`));
      }
      const next = waiting.shift();
      if (next === undefined) return finish(lines);
      asked = next;
      lines = [];
      socket.write(`${next}\n`);
    };
    const takeLine = (line: string): void => {
      if (line.startsWith('+')) return;
      const repeats = line.startsWith(' ');
      if (!repeats) code = Number(line.slice(0, 4));
      if (!repeats && !/^\d{4}[- ]/.test(line))
        return fail(`says ${JSON.stringify(line.slice(0, 80))}: is it BIRD?`);
      const reply = { code, text: repeats ? line.slice(1) : line.slice(5) };
      lines.push(reply);
      if (!repeats && line[4] === ' ') endAnswer(reply);
    };

    socket.setEncoding('utf8');
    socket.on('error', (error: NodeJS.ErrnoException) => fail(explain(error)));
    socket.on('close', () => fail(`closed its control socket before the answer to ${what()} was complete`));
    socket.on('data', (chunk: string) => {
      received += chunk.length;
      if (received > LONGEST_ANSWER) return fail('answers without end: is it BIRD?');
      const parts = (rest + chunk).split('\n');
      rest = parts.pop()!;
      for (const line of parts) takeLine(line);
    });
  });
}

function explain(error: NodeJS.ErrnoException): string {
  switch (error.code) {
    case 'ENOENT':
      return 'has no control socket there: is it running, and does APP_ROUTER_SOCKET name the socket of its option -s?';
    case 'ECONNREFUSED':
      return 'is not running: nothing listens on its control socket';
    case 'EACCES':
      return 'may not be asked: give the user of this process the right to write to the control socket';
    default:
      return `can't be reached: ${error.message}`;
  }
}
