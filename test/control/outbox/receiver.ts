/** A receiver for tests: a real HTTP server that takes what it is sent, or does not, as the test says. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  readonly record: Readonly<Record<string, unknown>> & { readonly id: string; readonly action: string };
}

/** A status, or what no good server does. */
export type Reaction = number | 'reset' | 'silence' | 'reset after taking' | 'flood' | Unfinished;

/** A status with a body that never ends. */
interface Unfinished {
  readonly unfinished: number;
}

export interface Receiver {
  readonly url: string;
  readonly port: number;
  /** What it was asked to take, whatever it made of it. */
  readonly requests: readonly Received[];
  /** What it took, repetitions included. */
  readonly taken: readonly Received[];
  react: (received: Received, count: number) => Reaction;
  /** How long it takes before it answers. */
  delayMs: number;
  close(): Promise<void>;
}

export async function startReceiver(port = 0): Promise<Receiver> {
  const requests: Received[] = [];
  const taken: Received[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      const record = JSON.parse(text) as Received['record'];
      const received = { url: request.url!, headers: request.headers, text, record };
      requests.push(received);
      const reaction = receiver.react(received, requests.length);
      const status = typeof reaction === 'object' ? reaction.unfinished : reaction;
      if (status === 'reset after taking' || (typeof status === 'number' && status < 300))
        taken.push(received);
      if (receiver.delayMs === 0) answer(response, reaction);
      else setTimeout(() => answer(response, reaction), receiver.delayMs);
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.address() as AddressInfo;
  const receiver: Receiver = {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    requests,
    taken,
    react: () => 202,
    delayMs: 0,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}

function answer(response: ServerResponse, reaction: Reaction): void {
  if (reaction === 'silence') return;
  if (typeof reaction === 'number') response.writeHead(reaction).end('said by the receiver');
  else if (typeof reaction === 'object')
    response.writeHead(reaction.unfinished).write('said by the receiver, and ');
  else if (reaction === 'flood') flood(response);
  else response.destroy();
}

/** An answer without an end. */
function flood(response: ServerResponse): void {
  response.writeHead(500);
  const more = (): void => {
    while (!response.destroyed && response.write(Buffer.alloc(65_536, 'x'))) continue;
  };
  response.on('drain', more);
  more();
}

/** The ids of records in the order in which each came first. */
export function firstArrivals(received: readonly Received[]): string[] {
  return [...new Set(received.map(({ record }) => record.id))];
}
