// Requests that a client sends over one connection without waiting for answers.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { waitFor } from '../../daemons/wait.ts';
import { startService, type TestService } from '../service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** A connection, and the ids of the requests that were answered on it. */
function client(): { socket: Socket; answered: () => string[] } {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  sockets.push(socket);
  let text = '';
  socket.on('error', () => undefined).on('data', (bytes) => (text += bytes.toString()));
  return { socket, answered: () => [...text.matchAll(/^x-request-id: (\S+)/gim)].map(([, id]) => id!) };
}

const request = (path: string, id: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${id}\r\n\r\n`;
const ids = (count: number): string[] => Array.from({ length: count }, (_, index) => `request-${index}`);

it('each is answered, in their order, however many they are', async () => {
  const { socket, answered } = client();
  const expected = ids(3_000);
  socket.write(expected.map((id) => request('/v1/health', id)).join(''));
  await waitFor(() => answered().length === expected.length, { what: 'the answers' });
  expect(answered()).toEqual(expected);
});

it('requests of others come in between', async () => {
  const [many, one] = [client(), client()];
  await once(one.socket, 'connect');
  many.socket.write(
    ids(1_000)
      .map((id) => request('/v1/nowhere', id))
      .join(''),
  );
  await once(service.server.server, 'request');
  one.socket.write(request('/v1/health', 'of-somebody-else'));
  await waitFor(() => one.answered().length === 1, { what: 'the answer to somebody else' });
  expect(many.answered().length).toBeLessThan(1_000);
});

it('of a connection that ends, what is left is not served', async () => {
  const { socket } = client();
  const there = once(service.server.server, 'connection') as Promise<[Socket]>;
  const left = Array.from({ length: 1_000 }, (_, index) => request('/v1/nowhere', `left-${index}`));
  socket.write(left.join(''));
  const [end] = await there;
  await once(socket, 'data');
  socket.destroy();
  if (!end.destroyed) await once(end, 'close');
  const served = (): number => service.log.filter((line) => line.includes('"request_id":"left-')).length;
  const before = served();
  // Whatever was under way has ended when a request that came later is answered.
  await service.call('GET', '/v1/modules');
  await service.call('GET', '/v1/modules');
  expect(served()).toBeLessThanOrEqual(before + 1);
  expect(served()).toBeLessThan(1_000);
});
