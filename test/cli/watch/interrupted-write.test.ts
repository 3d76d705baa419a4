/** Ctrl-C before the service has answered a write: nobody knows whether it is done, and the command says so. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testProgram } from '../../program.ts';

/** It takes every request with a body, and answers none of them. */
let server: Server;
beforeAll(async () => {
  server = createServer((request, answer) => {
    if (request.method !== 'GET') return;
    answer.writeHead(200, { 'content-type': 'application/json' }).end('{"items":[],"has_more":false}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function leave(...words: string[]): Promise<{ signal: unknown; err: string; path: string }> {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = {
    PATH: process.env.PATH,
    HOME: '/nonexistent',
    PREFIXCAST_URL: url,
    PREFIXCAST_KEY: 'pc_test',
  };
  const child = spawn(process.execPath, [testProgram(), ...words], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let err = '';
  child.stderr.setEncoding('utf8').on('data', (part: string) => (err += part));
  const ended = once(child, 'close');
  for (;;) {
    const [request] = (await once(server, 'request')) as [IncomingMessage];
    if (request.method === 'GET') continue;
    child.kill('SIGINT');
    const [, signal] = (await ended) as [unknown, unknown];
    return { signal, err, path: request.url! };
  }
}

test('a write that has no answer yet may have been carried out', async () => {
  expect(await leave('community', 'create', '64500:1', '--title', 'One')).toEqual({
    signal: 'SIGINT',
    path: '/v1/communities',
    err: 'Left before the service has answered: what you asked for may have been carried out all the same. Look before you send it again\n',
  });
});

test('what changes nothing is left without a word', async () => {
  const { signal, err, path } = await leave('community', 'create', '64500:1', '--title', 'One', '--dry-run');
  expect(path).toContain('dry_run=true');
  expect({ signal, err }).toEqual({ signal: 'SIGINT', err: '' });
});
