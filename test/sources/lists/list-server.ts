import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { parsePrefix, type Prefix } from '../../../src/core/prefix.ts';
import type { Reach } from '../../../src/core/reach.ts';

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A real HTTP server on loopback that answers as the test says and remembers what it was asked. */
export interface ListServer {
  readonly port: number;
  /** `http://127.0.0.1:port` */
  readonly origin: string;
  readonly requests: IncomingMessage[];
  answer: Answer;
  /** Resolves when no client is connected. */
  deserted(): Promise<void>;
  close(): Promise<void>;
}

export async function startListServer(address = '127.0.0.1'): Promise<ListServer> {
  const requests: IncomingMessage[] = [];
  const server = createHttpServer((request, response) => {
    requests.push(request);
    started.answer(request, response);
  });
  const sockets = track(server);
  const port = await listen(server, address);
  const started: ListServer = {
    port,
    origin: `http://${address}:${port}`,
    requests,
    answer: (_request, response) => response.writeHead(404).end(),
    deserted: async () => {
      await Promise.all(
        [...sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve))),
      );
    },
    close: () => closeAll(server, sockets),
  };
  return started;
}

/** A server below HTTP: says and does whatever `talk` does with the connection. */
export async function startTcpServer(
  talk: (socket: Socket) => void,
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const server = createTcpServer(talk);
  const sockets = track(server);
  return { port: await listen(server, '127.0.0.1'), close: () => closeAll(server, sockets) };
}

/** Answers 200 with the body. */
export function serves(
  body: string | Uint8Array,
  contentType = 'text/plain',
  headers: Record<string, string> = {},
): Answer {
  return (_request, response) =>
    response.writeHead(200, { 'content-type': contentType, ...headers }).end(body);
}

export function redirects(location: string, status = 302): Answer {
  return (_request, response) => response.writeHead(status, { location }).end();
}

/** What `APP_FETCH_ALLOW` would hold. */
/** Reaches these beside what is public; nothing is the service's own. */
export function reaching(...texts: string[]): Reach {
  return { allow: allowing(...texts), own: [] };
}

export function allowing(...texts: string[]): Prefix[] {
  return texts.map((text) => {
    const parsed = parsePrefix(text);
    if (!parsed.ok) throw new Error(parsed.reason);
    return parsed.value;
  });
}

function track(server: Server): Set<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
  });
  return sockets;
}

async function listen(server: Server, address: string): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, address, resolve);
  });
  return (server.address() as AddressInfo).port;
}

async function closeAll(server: Server, sockets: Set<Socket>): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  for (const socket of sockets) socket.destroy();
  await closed;
}
