/** Stands between commands and the service, and notes what they ask: each operation, by its name in the description of the API. */
import { createServer, request as send } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { ROUTES } from '../../../src/http/server/route-table.ts';

const OPERATIONS = ROUTES.map(({ method, path, operation }) => ({
  operation,
  method,
  // A literal segment is no parameter.
  pattern: new RegExp(`^${path.replaceAll('.', String.raw`\.`).replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  parameters: path.split('{').length,
})).sort((a, b) => a.parameters - b.parameters);

export interface Recorder {
  readonly url: string;
  /** Operations that were asked since the last call. */
  take(): readonly string[];
  close(): Promise<void>;
}

export async function recorder(service: string): Promise<Recorder> {
  let asked: string[] = [];
  const server = createServer((incoming, answer) => {
    const { method, url = '', headers } = incoming;
    const path = url.replace(/\?.*$/, '');
    const found = OPERATIONS.find((one) => one.method === method && one.pattern.test(path));
    asked.push(found?.operation ?? `${method} ${path}`);
    const outgoing = send(service + url, { method, headers }, (response) => {
      answer.writeHead(response.statusCode!, response.headers);
      response.pipe(answer);
    });
    outgoing.on('error', () => answer.destroy());
    answer.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    take() {
      const taken = asked;
      asked = [];
      return taken;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
