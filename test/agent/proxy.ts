/** Somebody in between: passes on what a node asks of the service, and changes what comes back as a test says. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent, request as send } from 'undici';

export interface Passing {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

export interface Proxy {
  readonly url: string;
  /** Changes an answer on its way to the node; what it returns is sent, and where it throws the line breaks. */
  tamper: (path: string, answer: Passing) => Passing | Promise<Passing>;
  /** Where requests go. */
  target: string;
  /** Paths that were asked for, in order. */
  readonly asked: string[];
  /** Why it broke lines that no test asked it to break, with the time of day: the node learns only that they broke. */
  readonly broken: string[];
  close(): Promise<void>;
}

export async function startProxy(target: string, address = '127.0.0.1'): Promise<Proxy> {
  // Connections of its own: those of `fetch` belong to every file of this process.
  const dispatcher = new Agent();
  const server = createServer((request, response) => {
    const path = request.url!;
    proxy.asked.push(path);
    pass(proxy.target + path, request, dispatcher)
      .then(async (answer) => {
        const { status, headers, body } = await proxy.tamper(path, answer);
        response.sendDate = false;
        response.writeHead(status, headers).end(body);
      })
      .catch((error: Error) => {
        const { cause = error } = error;
        proxy.broken.push(`${new Date().toISOString()} ${path}: ${String(cause)}`);
        response.destroy();
      });
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  const proxy: Proxy = {
    url: `http://${address}:${(server.address() as AddressInfo).port}`,
    tamper: (_path, answer) => answer,
    target,
    asked: [],
    broken: [],
    async close() {
      server.closeAllConnections();
      await dispatcher.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}

async function pass(url: string, request: IncomingMessage, dispatcher: Agent): Promise<Passing> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const { authorization, 'content-type': type, 'if-none-match': tag } = request.headers;
  const answer = await send(url, {
    dispatcher,
    method: request.method as 'GET',
    headers: {
      ...(authorization === undefined ? {} : { authorization }),
      ...(type === undefined ? {} : { 'content-type': type }),
      ...(tag === undefined ? {} : { 'if-none-match': tag }),
    },
    ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
  });
  const headers: Record<string, string> = {};
  for (const name of ['content-type', 'date', 'etag', 'retry-after']) {
    const value = answer.headers[name];
    if (value !== undefined) headers[name] = String(value);
  }
  return { status: answer.statusCode, headers, body: Buffer.from(await answer.body.arrayBuffer()) };
}

/** A bundle with one bit turned in its routes, which are last in it. */
export const withBitTurned = (answer: Passing): Passing =>
  altered(answer, (body) => {
    const at = body.length - 1024 - 512;
    body[at] = body[at]! ^ 1;
    return body;
  });

/** A bundle that breaks off in the middle. */
export const cutOff = (answer: Passing): Passing =>
  altered(answer, (body) => body.subarray(0, body.length / 2));

export function altered(answer: Passing, change: (body: Buffer) => Buffer): Passing {
  return { ...answer, body: change(Buffer.from(answer.body)) };
}

/** Of the paths of a node. */
export const isBundle = (path: string): boolean => path.includes('/bundle/');
export const isLatest = (path: string): boolean => path.includes('/revisions/latest');
