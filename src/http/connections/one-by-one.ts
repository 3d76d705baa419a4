import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Waiting requests of a connection from which on nothing more is read of it. */
const ENOUGH = 100;
/** More than a piece that node reads can hold with a Host in each: what comes although nothing is read any more. */
const TOO_MANY = 4_000;

/** The requests of a connection that came while one of it is being answered. */
type Queue = [IncomingMessage, ServerResponse][];

/**
 * Serves the requests of a connection one after the other (RFC 9112, section 9.3.2). A client may send many without waiting for answers, and
 * node hands over all that it reads at once, before anything else runs: a few connections with hundreds of requests each would stop
 * the process for everybody. Each next request waits for a turn of the event loop, so that other connections come in between, and
 * what is left of a connection that has ended is not served.
 */
export function oneByOne(serve: RequestListener): RequestListener {
  const queues = new WeakMap<Socket, Queue>();

  const begin = (request: IncomingMessage, response: ServerResponse, queue: Queue): void => {
    const { socket } = request;
    response.once('close', () => {
      // Most connections have nothing that waits, and their next request need not be a turn later.
      if (queue.length === 0) queues.delete(socket);
      else setImmediate(() => next(socket, queue));
    });
    serve(request, response);
  };
  const next = (socket: Socket, queue: Queue): void => {
    if (socket.destroyed) return void queues.delete(socket);
    const [request, response] = queue.shift()!;
    if (queue.length === ENOUGH - 1) socket.resume();
    begin(request, response, queue);
  };
  return (request, response) => {
    const { socket } = request;
    const queue = queues.get(socket);
    if (queue === undefined) {
      const empty: Queue = [];
      queues.set(socket, empty);
      return begin(request, response, empty);
    }
    queue.push([request, response]);
    if (queue.length >= TOO_MANY) socket.destroy();
    else if (queue.length >= ENOUGH) socket.pause();
  };
}
