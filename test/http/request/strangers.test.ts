/** Requests without a key: however many come at once, one is answered at a time, and tenants come in between. */
import { createConnection, type Socket } from 'node:net';
import Fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { admitStrangers } from '../../../src/http/admission/strangers.ts';
import { sendProblem } from '../../../src/http/problem-answer.ts';
import type { Route } from '../../../src/http/route.ts';
import { startService, type TestService } from '../service.ts';

let service: TestService;
const sockets: Socket[] = [];
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await service.close();
});

/** Asks, and takes none of the answer until it is told to. */
async function ask(path: string): Promise<Socket> {
  const socket = createConnection(Number(new URL(service.url).port), '127.0.0.1');
  sockets.push(socket);
  await new Promise((resolve) => socket.once('connect', resolve));
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  return socket;
}

async function readAll(socket: Socket): Promise<string> {
  let text = '';
  for await (const piece of socket) text += String(piece);
  return text;
}

describe('a flood of requests without a key', () => {
  test('is answered as a whole, with the same bytes, while tenants and health come in between', async () => {
    const flood = await Promise.all(Array.from({ length: 50 }, () => ask('/v1/openapi.json')));
    const answers = flood.map(readAll);
    const others = Array.from({ length: 10 }, () => service.call('GET', '/v1/modules'));
    expect((await service.call('GET', '/v1/health', { key: null })).status).toBe(200);
    for (const { status } of await Promise.all(others)) expect(status).toBe(200);
    const bodies = new Set((await Promise.all(answers)).map((text) => text.split('\r\n\r\n')[1]));
    expect(bodies.size).toBe(1);
    expect([...bodies][0]).toContain('"openapi":"3.1');
  });

  test('of which too many wait is refused, in words that name no tenant', async () => {
    const server = Fastify();
    admitStrangers(server);
    const end = Promise.withResolvers<void>();
    server.get('/slow', async () => {
      await end.promise;
      return 'answered';
    });
    server.setErrorHandler((error, request, reply) => sendProblem(error, request, reply));
    const health = { permission: 'public', path: '/v1/health' } as Route;
    server.get('/v1/health', { config: { route: health } }, () => 'alive');
    const answers = Array.from({ length: 1_100 }, () => server.inject('/slow'));
    const refused = await Promise.any(
      answers.map(async (answer) => {
        const { statusCode, body } = await answer;
        if (statusCode !== 429) throw new Error(body);
        return JSON.parse(body) as { detail: string };
      }),
    );
    expect(refused.detail).toMatch(/^Too many requests without a key come from this network/);
    // Whoever asks whether the process is alive waits for none of them.
    expect((await server.inject('/v1/health')).body).toBe('alive');
    end.resolve();
    const statuses = (await Promise.all(answers)).map(({ statusCode }) => statusCode);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(1_000);
    await server.close();
  });
});
