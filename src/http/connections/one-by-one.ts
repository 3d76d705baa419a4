import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Waiting requests of a connection from which on nothing more is read of it. */
const ENOUGH = 100;
/** More than a piece that node reads can hold with a Host in each: what comes although nothing is read any more. */
const TOO_MANY = 4_000;

/**
 * Serves the requests of a connection one after the other (RFC 9112, section 9.3.2). A client may send many without waiting for answers, and
 * node hands over all that it reads at once, before anything else runs: a few connections with hundreds of requests each would stop
 * the process for everybody. Each next request waits for a turn of the event loop, so that other connections come in between, and
 * what is left of a connection that has ended is not served.
 */
export function oneByOne(serve: RequestListener): RequestListener {
  const connections = new WeakMap<Socket, Connection>();
  return (request, response) => {
    const { socket } = request;
    let connection = connections.get(socket);
    if (connection === undefined) connections.set(socket, (connection = new Connection(socket, serve)));
    connection.take(request, response);
  };
}

/** Lives as long as its socket: most have many requests, and a new one for each would cost more than what it does. */
class Connection {
  readonly #socket: Socket;
  readonly #serve: RequestListener;
  /** Whether a request of it is being answered. */
  #isBusy = false;
  /** The requests that came meanwhile. */
  readonly #waiting: [IncomingMessage, ServerResponse][] = [];
  readonly #onAnswered = (): void => {
    // Most connections have nothing that waits, and their next request need not be a turn later.
    if (this.#waiting.length === 0) this.#isBusy = false;
    else setImmediate(() => this.#next());
  };

  constructor(socket: Socket, serve: RequestListener) {
    this.#socket = socket;
    this.#serve = serve;
  }

  take(request: IncomingMessage, response: ServerResponse): void {
    if (!this.#isBusy) {
      this.#isBusy = true;
      return this.#begin(request, response);
    }
    this.#waiting.push([request, response]);
    if (this.#waiting.length >= TOO_MANY) this.#socket.destroy();
    else if (this.#waiting.length >= ENOUGH) this.#socket.pause();
  }

  #begin(request: IncomingMessage, response: ServerResponse): void {
    // Node emits it once, however the answer ends.
    response.on('close', this.#onAnswered);
    this.#serve(request, response);
  }

  #next(): void {
    if (this.#socket.destroyed) return void (this.#waiting.length = 0);
    const [request, response] = this.#waiting.shift()!;
    if (this.#waiting.length === ENOUGH - 1) this.#socket.resume();
    this.#begin(request, response);
  }
}
