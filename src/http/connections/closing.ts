/**
 * Lets the server end. Node waits for every connection that is not idle, which to it is one that never sent a byte too (as
 * browsers open them beforehand), and looks no more at how long a request takes: anybody could hold up an orderly stop for ever.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** What requests have to end in, when the server closes. */
const TIMEOUT_MILLISECONDS = 10_000;

/** Makes `close` cut off idle connections at once, and those whose request is not done in time. */
export function endConnectionsInTime(instance: FastifyInstance): void {
  const server: Server = instance.server;
  const connections = new Set<Socket>();
  let deadline: NodeJS.Timeout | undefined;
  server.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  instance.addHook('preClose', () => {
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
    deadline = setTimeout(() => server.closeAllConnections(), TIMEOUT_MILLISECONDS);
    return Promise.resolve();
  });
  instance.addHook('onClose', () => {
    clearTimeout(deadline);
    return Promise.resolve();
  });
}
