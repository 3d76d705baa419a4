import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { ReadingTurns } from '../../../src/speakers/builtin/reading-turns.ts';
import { waitFor } from '../../daemons/wait.ts';

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** Sockets of `count` callers, nothing of which has been read yet. */
async function callers(count: number): Promise<{ from: Socket[]; accepted: Socket[] }> {
  const accepted: Socket[] = [];
  const server = createServer({ pauseOnConnect: true }, (socket) => accepted.push(socket));
  stops.push(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const from = Array.from({ length: count }, () =>
    connect((server.address() as AddressInfo).port, '127.0.0.1'),
  );
  for (const socket of from) stops.push(() => socket.destroy());
  await waitFor(() => accepted.length === count, { what: 'the calls' });
  return { from, accepted };
}

it('of many sockets with much to say, one is read in each turn of the event loop, and all of it in the end', async () => {
  const { from, accepted } = await callers(6);
  const much = Buffer.alloc(2 * 1024 * 1024, 7);
  for (const socket of from) socket.write(much);
  const turns = new ReadingTurns();
  const read = new Map<Socket, number>();
  let pieces = 0;
  for (const socket of accepted) {
    socket.on('data', (octets) => {
      turns.hasRead(socket, octets.length);
      pieces++;
      read.set(socket, (read.get(socket) ?? 0) + octets.length);
    });
    socket.resume();
  }
  // Each socket's first piece is read before anybody knows that it has much to say.
  await waitFor(() => pieces >= accepted.length, { what: 'the first pieces' });
  const ofTurns: number[] = [];
  const sumOf = (): number => [...read.values()].reduce((sum, octets) => sum + octets, 0);
  while (sumOf() < 6 * much.length) {
    const before = pieces;
    await nextTurn();
    ofTurns.push(pieces - before);
  }
  // A turn of this test and one of the sockets may meet in one round.
  expect(Math.max(...ofTurns)).toBeLessThanOrEqual(2);
  expect([...read.values()]).toEqual(accepted.map(() => much.length));
});

it('a socket that says little is read at once, however many say much', async () => {
  const { from, accepted } = await callers(2);
  const turns = new ReadingTurns();
  accepted[1]!.on('data', (octets) => turns.hasRead(accepted[1]!, octets.length)).resume();
  from[1]!.write(Buffer.alloc(19));
  await waitFor(() => accepted[1]!.bytesRead === 19, { what: 'the little message' });
  expect(accepted[1]!.isPaused()).toBe(false);
});
