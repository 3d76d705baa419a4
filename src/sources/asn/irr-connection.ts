import { type Socket, connect } from 'node:net';
import { type IrrReply, IrrReplyReader } from './irr-replies.ts';
import { SourceError } from '../source-error.ts';

export interface IrrPlace {
  readonly host: string;
  readonly port: number;
}

/** In milliseconds. */
export interface IrrTimes {
  readonly connectMs: number;
  /** From when a query is the first in the pipeline to the end of its reply. */
  readonly replyMs: number;
  /** An idle connection is closed after this time. */
  readonly idleMs: number;
}

interface Waiting {
  readonly resolve: (reply: IrrReply) => void;
  readonly reject: (error: Error) => void;
}

/** A persistent connection to an IRRd server. Queries are pipelined; replies arrive in the order of the queries. */
export class IrrConnection {
  readonly #socket: Socket;
  readonly #place: string;
  readonly #times: IrrTimes;
  readonly #reader = new IrrReplyReader();
  readonly #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;
  #fault: Error | null = null;

  constructor({ host, port }: IrrPlace, times: IrrTimes) {
    this.#place = `${host}:${port}`;
    this.#times = times;
    this.#socket = connect({ host, port, noDelay: true });
    this.#socket.on('data', (chunk) => this.#receive(chunk));
    this.#socket.on('error', (error) => this.#end(this.#broken(error.message)));
    this.#socket.on('close', () => this.#end(this.#broken('the server closed it')));
    this.#socket.once('connect', () => this.#watch());
    this.#timer = setTimeout(
      () => this.#end(this.#tooSlow('accept a connection', times.connectMs)),
      times.connectMs,
    );
  }

  get isOpen(): boolean {
    return this.#fault === null;
  }

  /** Announces many commands on one connection, and the client's name. */
  async greet(): Promise<void> {
    this.#socket.write('!!\n');
    const reply = await this.query('!nprefixcast');
    if (reply.kind === 'refused') throw this.#end(this.#broken(reply.message));
  }

  /** @throws SourceError when the connection breaks before the reply */
  query(text: string): Promise<IrrReply> {
    if (this.#fault !== null) return Promise.reject(this.#fault);
    const { promise, resolve, reject } = Promise.withResolvers<IrrReply>();
    this.#waiting.push({ resolve, reject });
    this.#socket.ref().write(`${text}\n`);
    if (this.#waiting.length === 1 && !this.#socket.connecting) this.#watch();
    return promise;
  }

  /** Closes the connection; pending queries fail. */
  close(): void {
    if (this.#fault === null && this.#socket.writable) this.#socket.write('!q\n');
    this.#end(this.#broken('it was closed'));
  }

  #receive(chunk: Buffer): void {
    if (this.#fault !== null) return;
    try {
      for (const reply of this.#reader.push(chunk)) {
        const query = this.#waiting.shift();
        if (query === undefined) throw this.#broken('the server answers what was not asked');
        query.resolve(reply);
        this.#watch();
      }
    } catch (error) {
      const { code, message } = error as SourceError;
      this.#end(new SourceError(code, `${this.#place} ${message}`, { cause: error }));
    }
  }

  /** Sets the deadline of the next event, and lets the process exit while nothing is pending. */
  #watch(): void {
    clearTimeout(this.#timer);
    const { replyMs, idleMs } = this.#times;
    if (this.#waiting.length > 0)
      this.#timer = setTimeout(() => this.#end(this.#tooSlow('answer', replyMs)), replyMs);
    else {
      this.#socket.unref();
      this.#timer = setTimeout(() => this.close(), idleMs).unref();
    }
  }

  #end(fault: Error): Error {
    if (this.#fault !== null) return this.#fault;
    this.#fault = fault;
    clearTimeout(this.#timer);
    this.#socket.destroySoon();
    for (const { reject } of this.#waiting.splice(0)) reject(fault);
    return fault;
  }

  #broken(why: string): SourceError {
    return new SourceError('source_unreachable', `${this.#place}: the connection failed, ${why}.`);
  }

  #tooSlow(what: string, ms: number): SourceError {
    return new SourceError('source_timeout', `${this.#place} did not ${what} within ${ms / 1000} s.`);
  }
}
