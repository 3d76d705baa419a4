/** Somebody in between: passes on what a node asks of the service, and changes what comes back as a test says. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Passing {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

export interface Proxy {
  readonly url: string;
  /** Changes an answer on its way to the node; what it returns is sent. */
  tamper: (path: string, answer: Passing) => Passing;
  /** Where requests go. */
  target: string;
  /** Paths that were asked for, in order. */
  readonly asked: string[];
  close(): Promise<void>;
}

export async function startProxy(target: string): Promise<Proxy> {
  const server = createServer((request, response) => {
    const path = request.url!;
    proxy.asked.push(path);
    pass(proxy.target + path, request)
      .then((answer) => {
        const { status, headers, body } = proxy.tamper(path, answer);
        response.sendDate = false;
        response.writeHead(status, headers).end(body);
      })
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy: Proxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tamper: (_path, answer) => answer,
    target,
    asked: [],
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}

async function pass(url: string, request: IncomingMessage): Promise<Passing> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const { authorization, 'content-type': type, 'if-none-match': tag } = request.headers;
  const answer = await fetch(url, {
    method: request.method!,
    headers: {
      ...(authorization === undefined ? {} : { authorization }),
      ...(type === undefined ? {} : { 'content-type': type }),
      ...(tag === undefined ? {} : { 'if-none-match': tag }),
    },
    ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
  });
  const headers: Record<string, string> = {};
  for (const name of ['content-type', 'date', 'etag', 'retry-after']) {
    const value = answer.headers.get(name);
    if (value !== null) headers[name] = value;
  }
  return { status: answer.status, headers, body: Buffer.from(await answer.arrayBuffer()) };
}

/** Of the paths of a node. */
export const isBundle = (path: string): boolean => path.includes('/bundle/');
export const isLatest = (path: string): boolean => path.includes('/revisions/latest');
