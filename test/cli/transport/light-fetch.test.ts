import { execFile } from 'node:child_process';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { lightFetch } from '../../../src/cli/transport/light-fetch.ts';
import { LightHeaders } from '../../../src/cli/transport/light-headers.ts';
import { LightRequest } from '../../../src/cli/transport/light-request.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Answers with what it was sent. */
const mirror: RequestListener = (request, response) => {
  void buffer(request).then((body) => {
    const { method, url, headers } = request;
    response.end(JSON.stringify({ method, url, headers, body: body.toString() }));
  });
};

interface Mirrored {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

test.each(['text of the line Zürich', Buffer.from('bytes')])(
  'a write arrives whole: method, path, headers and %j',
  async (body) => {
    const url = await serve(mirror);
    const headers = { 'Content-Type': 'text/csv', authorization: 'Bearer k' };
    const answer = await lightFetch(`${url}/v1/x?q=a%20b`, { method: 'PATCH', headers, body });
    expect(answer).toMatchObject({ status: 200, ok: true, url: `${url}/v1/x?q=a%20b` });
    const sent = (await answer.json()) as Mirrored;
    expect(sent).toMatchObject({ method: 'PATCH', url: '/v1/x?q=a%20b', body: body.toString() });
    expect(sent.headers).toMatchObject({
      ...{ 'content-type': 'text/csv', authorization: 'Bearer k' },
      'content-length': String(Buffer.byteLength(body)),
    });
  },
);

test('a request without a body says so, and a read says nothing', async () => {
  const url = await serve(mirror);
  const lengthOf = async (method: string): Promise<unknown> => {
    const answer = await lightFetch(url, { method });
    return ((await answer.json()) as Mirrored).headers['content-length'];
  };
  expect(await lengthOf('POST')).toBe('0');
  expect(await lengthOf('GET')).toBeUndefined();
});

test('an answer that nobody asked to be compressed is as it is, and one that is compressed is decoded', async () => {
  const text = 'a,b\n'.repeat(1000);
  const url = await serve((request, response) => {
    if (request.headers['accept-encoding'] !== 'gzip') return response.end(text);
    response.setHeader('content-encoding', 'gzip');
    return response.end(gzipSync(text));
  });
  expect(await (await lightFetch(url)).text()).toBe(text);
  const compressed = await lightFetch(url, { headers: { 'Accept-Encoding': 'gzip' } });
  expect(compressed.headers.get('Content-Encoding')).toBe('gzip');
  expect(await compressed.text()).toBe(text);
});

test('another answer than good has its status, and both it and its copy can be read', async () => {
  const url = await serve((_request, response) => response.writeHead(409).end('{"code":"conflict"}'));
  const answer = await lightFetch(url);
  expect([answer.status, answer.ok]).toEqual([409, false]);
  expect(await answer.clone().json()).toEqual({ code: 'conflict' });
  expect(await answer.text()).toBe('{"code":"conflict"}');
});

test('a body is read as it arrives', async () => {
  let finish = (): void => undefined;
  const url = await serve((_request, response) => {
    response.write('id: 1\n');
    finish = () => response.end('id: 2\n');
  });
  const reader = (await lightFetch(url)).body.getReader();
  const first = await reader.read();
  expect(Buffer.from(first.value!).toString()).toBe('id: 1\n');
  finish();
  const second = await reader.read();
  expect(Buffer.from(second.value!).toString()).toBe('id: 2\n');
  expect((await reader.read()).done).toBe(true);
});

describe('a redirect', () => {
  const redirecting = (status: number, place: (request: IncomingMessage) => string): Promise<string> =>
    serve((request, response) => {
      if (request.url === '/end') return mirror(request, response);
      return response.writeHead(status, { location: place(request) }).end();
    });

  test('of a read to another path is followed, with the key', async () => {
    const url = await redirecting(302, () => '/end');
    const answer = await lightFetch(`${url}/begin`, { headers: { authorization: 'Bearer k' } });
    expect(answer.url).toBe(`${url}/end`);
    expect(((await answer.json()) as Mirrored).headers.authorization).toBe('Bearer k');
  });

  test('to another origin is refused and named: the key never gets there', async () => {
    const keys: unknown[] = [];
    const other = await serve((request, response) => {
      keys.push(request.headers.authorization);
      response.end();
    });
    const url = await redirecting(301, () => `${other}/v1`);
    await expect(lightFetch(url, { headers: { authorization: 'Bearer k' } })).rejects.toThrow(
      `it redirects to ${other}: use that address, if it is the service's`,
    );
    expect(keys).toEqual([]);
  });

  test('of a write is refused', async () => {
    const url = await redirecting(302, () => '/end');
    await expect(lightFetch(`${url}/begin`, { method: 'POST', body: '{}' })).rejects.toThrow(
      'it redirects POST /begin to /end',
    );
  });

  test('that never ends is given up', async () => {
    const url = await redirecting(307, ({ url: path }) => `${path}x`);
    await expect(lightFetch(`${url}/a`)).rejects.toThrow('it redirects more than 5 times');
  });
});

describe('without an answer', () => {
  test('the error says why', async () => {
    const url = await serve(mirror);
    servers.pop()!.close();
    await expect(lightFetch(url)).rejects.toThrow(/^connect ECONNREFUSED 127\.0\.0\.1:\d+$/);
    await expect(lightFetch('http://localhost:1')).rejects.toThrow(/ECONNREFUSED .*:1/);
  });

  test('a connection that breaks in the middle of a body fails whoever reads it', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => response.destroy());
    });
    await expect((await lightFetch(url)).text()).rejects.toThrow('aborted');
  });

  test('a signal ends it with its own reason, before and while it waits', async () => {
    const url = await serve(() => undefined);
    const reason = new Error('enough');
    await expect(lightFetch(url, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const waiting = new AbortController();
    const answer = lightFetch(url, { signal: waiting.signal });
    void setTimeout(20).then(() => waiting.abort(reason));

    await expect(answer).rejects.toBe(reason);
  });
});

test('headers are found in any case, joined, sorted, and never break a line', () => {
  const headers = new LightHeaders({ 'X-B': ' 2 ', 'x-a': '1' });
  headers.append('X-A', '3');
  expect([...headers]).toEqual([
    ['x-a', '1, 3'],
    ['x-b', '2'],
  ]);
  headers.delete('x-A');
  expect([headers.has('X-A'), headers.get('X-A'), headers.get('X-b')]).toEqual([false, null, '2']);
  expect(() => headers.set('x-c', 'a\r\nx-d: b')).toThrow(/Invalid character/);
  expect(() => headers.set('x c', 'a')).toThrow(/must be a valid HTTP token/);
});

test('the copy of a request is the request', () => {
  const request = new LightRequest('http://127.0.0.1/a', { method: 'POST', body: 'x', headers: { a: 'b' } });
  const copy = request.clone();
  copy.headers.set('a', 'c');
  expect(copy).toMatchObject({ url: 'http://127.0.0.1/a', method: 'POST', body: 'x' });
  expect(request.headers.get('a')).toBe('b');
});

test.each(['a known length', 'an unknown one'])(
  'an answer of %s that nobody reads keeps no process from ending',
  async (length) => {
    const url = await serve((_request, response) => {
      if (length === 'a known length') response.setHeader('content-length', 100_000);
      response.write('x'.repeat(50_000), () => {
        if (length === 'a known length') response.end('x'.repeat(50_000));
      });
    });
    const module = join(import.meta.dirname, '../../../src/cli/transport/light-fetch.ts');
    const program = `import { lightFetch } from ${JSON.stringify(module)}; console.log((await lightFetch(${JSON.stringify(url)})).status);`;
    const { promise, resolve } = Promise.withResolvers<string>();
    execFile(process.execPath, ['--input-type=module', '-e', program], { timeout: 30_000 }, (error, out) =>
      resolve(error === null ? out : error.message),
    );
    expect(await promise).toBe('200\n');
  },
);

test('the next request takes the connection of one whose answer nobody has read', async () => {
  const ports = new Set<number | undefined>();
  const url = await serve((request, response) => {
    ports.add(request.socket.remotePort);
    response.end('x'.repeat(10_000));
  });
  for (let i = 0; i < 5; i++) {
    await lightFetch(url, { method: 'POST' });
    await setTimeout(20); // until the connection is free again
  }
  expect(ports.size).toBe(1);
});
