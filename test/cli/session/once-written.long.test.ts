/** A service that refuses all requests once a write is done: whoever reads that the service is to be tried again would send it once more. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useDesk } from '../desk/desk.ts';
import { typist, type Typed } from '../desk/typing.ts';

const desk = useDesk();

/** Passes requests on until it has passed on a write; what comes then is answered as by a service that is busy for long. */
let proxy: Server;
let isWritten = false;

async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (isWritten) {
    const problem = {
      code: 'busy',
      title: 'Busy',
      status: 503,
      detail: 'Requests that came before keep it busy.',
    };
    response.writeHead(503, { 'retry-after': '30', 'content-type': 'application/problem+json' });
    return void response.end(JSON.stringify(problem));
  }
  const { method = 'GET', url = '', headers } = request;
  const { authorization = '', 'content-type': type = 'application/json' } = headers;
  const parts: Buffer[] = [];
  for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
  const body = Buffer.concat(parts);
  const answer = await fetch(desk.casting.service.url + url, {
    ...{ method, headers: { authorization, 'content-type': type } },
    ...(body.length > 0 ? { body } : {}),
  });
  isWritten = method !== 'GET' && !url.includes('dry_run');
  response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
  response.end(await answer.text());
}

beforeAll(async () => {
  await desk.mustType('module create hosts --type IP_RANGES');
  proxy = createServer((request, response) => void pass(request, response));
  await new Promise<void>((listening) => proxy.listen(0, '127.0.0.1', listening));
});
afterAll(() => {
  proxy.closeAllConnections();
  proxy.close();
});

function typed(...words: string[]): Promise<Typed> {
  isWritten = false;
  const { port } = proxy.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return typist({ PREFIXCAST_URL: url, PREFIXCAST_KEY: desk.casting.service.key })(...words);
}

test.each([
  ['peer create edge1 --address 192.0.2.1 --asn 64496 --wait', 'peer list', 'edge1'],
  ['entry add hosts 6.0.0.1/32 --wait', 'entry list hosts', '6.0.0.1/32'],
  ['settings set bgp_restart_time 60 --wait', 'settings get bgp_restart_time', '60'],
  ['revision build --wait', 'job list', 'revision_build'],
])('%s', async (line, look, made) => {
  const { code, err } = await typed(...line.split(' '), '--timeout', '20');
  expect(code, err).toBe(6);
  expect(err).toMatch(
    /Requests that came before keep it busy\.\nWhat you asked for is done and need not be sent again; what follows from it goes on: prefixcast status shows whether routers have it\n$/,
  );
  expect(await desk.mustType(look)).toContain(made);
});

test('a write that is refused is to be tried again', async () => {
  isWritten = true;
  const { port } = proxy.address() as AddressInfo;
  const env = { PREFIXCAST_URL: `http://127.0.0.1:${port}`, PREFIXCAST_KEY: desk.casting.service.key };
  const { code, err } = await typist(env)('entry', 'add', 'hosts', '6.0.0.2/32', '--wait', '--timeout', '5');
  expect(code, err).toBe(75);
});
