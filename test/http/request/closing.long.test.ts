import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { waitFor } from '../../daemons/wait.ts';
import { startService, type TestService } from '../service.ts';

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** A connection that the server has taken, and on which that was sent. */
async function hold(service: TestService, text: string): Promise<Socket> {
  const isTaken = new Promise<Socket>((resolve) => service.server.server.once('connection', resolve));
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => undefined);
  const there = await isTaken;
  socket.resume().write(text);
  await waitFor(() => there.bytesRead === text.length, { what: 'the text to arrive' });
  return socket;
}

describe('the service stops although somebody', () => {
  test.each([
    ['is connected and says nothing', ''],
    ['has sent half the head of a request', 'GET /v1/health HTTP/1.1\r\nHost: x'],
    [
      'has sent half the body of a request',
      'POST /v1/modules HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\nAuthorization: Bearer KEY\r\n\r\n{',
    ],
  ])('%s', async (_, text) => {
    const service = await startService();
    const socket = await hold(service, text.replace('KEY', service.tenant.keys.operator));
    const ended = once(socket, 'close');
    await service.close();
    await ended;
    expect(socket.destroyed).toBe(true);
  });
});
