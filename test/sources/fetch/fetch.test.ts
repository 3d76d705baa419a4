import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type FetchOptions,
  type FetchRequest,
  SourceError,
  fetchSource,
} from '../../../src/sources/fetch/fetch.ts';
import {
  type Answer,
  type ListServer,
  reaching,
  serves,
  startListServer,
  startTcpServer,
} from '../lists/list-server.ts';

let server: ListServer;
beforeEach(async () => {
  server = await startListServer();
});
afterEach(() => server.close());

const BROKEN = expect.stringContaining('broke the connection off') as string;

const options: FetchOptions = { reach: reaching('127.0.0.1/32') };

function get(more: Partial<FetchRequest> = {}, how: Partial<FetchOptions> = {}) {
  return fetchSource(
    { url: `${server.origin}/list.txt`, headers: {}, etag: null, lastModified: null, ...more },
    { ...options, ...how },
  );
}

/** The error of a fetch that must fail. */
async function failure(fetching: Promise<unknown>): Promise<SourceError> {
  const error = await fetching.then(
    () => new Error('The fetch succeeded.'),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(SourceError);
  return error as SourceError;
}

describe('an answer', () => {
  it('comes with its body, its validators and where it was found', async () => {
    server.answer = serves('45.0.0.0/24\n', 'text/plain; charset=utf-8', {
      etag: 'W/"7"',
      'last-modified': 'Sat, 21 Nov 2026 04:00:00 GMT',
    });
    expect(await get()).toEqual({
      notModified: false,
      bytes: new Uint8Array(Buffer.from('45.0.0.0/24\n')),
      url: new URL('/list.txt', server.origin),
      httpStatus: 200,
      contentType: 'text/plain; charset=utf-8',
      etag: 'W/"7"',
      lastModified: 'Sat, 21 Nov 2026 04:00:00 GMT',
    });
  });

  it('has memory of its own, fit to be given away', async () => {
    server.answer = serves('45.0.0.0/24\n');
    const answer = await get();
    expect(answer).toMatchObject({ notModified: false, bytes: expect.any(Uint8Array) as Uint8Array });
    if (answer.notModified || !(answer.bytes instanceof Uint8Array)) return;
    expect(answer.bytes.buffer.byteLength).toBe(answer.bytes.length);
  });

  it('may be empty, which is for the reader to judge', async () => {
    server.answer = serves('');
    expect(await get()).toMatchObject({ bytes: new Uint8Array(0) });
  });

  it('reports its progress in decoded bytes', async () => {
    server.answer = serves('45.0.0.0/24\n'.repeat(50_000));
    const reported: number[] = [];
    await get({}, { onProgress: (bytes) => reported.push(bytes) });
    expect(reported.at(-1)).toBe(600_000);
    expect(reported).toEqual([...reported].sort((a, b) => a - b));
  });

  it('loses a validator that is too long or not plain', async () => {
    server.answer = serves('x', 'text/plain', { etag: `"${'e'.repeat(2000)}"`, 'last-modified': '\u00e9' });
    expect(await get()).toMatchObject({ etag: null, lastModified: null });
  });
});

describe('a request', () => {
  it('names the host, itself and what it can decode, and carries the headers of the source', async () => {
    server.answer = serves('x');
    await get({ headers: { Authorization: 'Bearer t', Accept: 'text/plain' } });
    expect(server.requests[0]!.headers).toMatchObject({
      host: `127.0.0.1:${server.port}`,
      'user-agent': 'prefixcast',
      'accept-encoding': 'gzip, br',
      accept: 'text/plain',
      authorization: 'Bearer t',
    });
    expect(server.requests[0]!.headers).not.toHaveProperty('if-none-match');
  });

  it('asks whether anything changed when it knows the last answer', async () => {
    server.answer = (_request, response) => response.writeHead(304).end();
    const lastModified = 'Sat, 21 Nov 2026 04:00:00 GMT';
    expect(await get({ etag: '"7"', lastModified })).toEqual({ notModified: true, httpStatus: 304 });
    expect(server.requests[0]!.headers).toMatchObject({
      'if-none-match': '"7"',
      'if-modified-since': lastModified,
    });
  });

  it.each([
    ['a header that we set', { Host: 'example.com' }, /"Host" is set by the service/],
    ['a name that is none', { 'a b': 'c' }, /"a b" has a character/],
    ['a line end in a value', { 'X-Key': 'secret\r\nX-Other: 1' }, /^The value of the header "X-Key"/],
  ])('is not made with %s', async (_what, headers, message) => {
    const error = await failure(get({ headers: headers }));
    expect(error).toMatchObject({
      code: 'source_bad_url',
      message: expect.stringMatching(message) as string,
    });
    expect(error.message).not.toContain('secret');
    expect(server.requests).toEqual([]);
  });
});

describe('a status', () => {
  it.each([
    [500, 'source_http_status', /answered HTTP 500\. The fault is at the source/],
    [404, 'source_http_status', /check the URL/],
    [403, 'source_http_status', /may want a token/],
    [429, 'source_http_status', /refresh less often\. It asks to wait 30 s/],
    [
      304,
      'source_http_status',
      /HTTP 304\. It says that its list has not changed, to a request that did not ask/,
    ],
    [302, 'source_http_status', /without a Location/],
    [206, 'source_http_status', /Only 200 brings a list/],
    [204, 'source_empty', /has no list to give/],
  ])('of %i is %s', async (status, code, message) => {
    server.answer = (_request, response) => response.writeHead(status, { 'retry-after': '30' }).end();
    expect(await failure(get())).toMatchObject({
      code,
      httpStatus: status,
      message: expect.stringMatching(message) as string,
    });
  });

  it('of failure is reported without reading the page that comes with it', async () => {
    server.answer = (_request, response) => {
      response.writeHead(500);
      response.write('x'.repeat(100_000)); // and never an end
    };
    expect(await failure(get())).toMatchObject({ code: 'source_http_status' });
    await server.deserted();
  });
});

describe('a connection', () => {
  const drip: Answer = (_request, response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write('4'), 50);
    response.on('close', () => clearInterval(timer));
  };
  const silent: Answer = () => undefined;
  const pausing: Answer = (_request, response) => response.writeHead(200).write('45.0.0.0/24\n');

  it.each([
    ['drips', drip, { totalMs: 700 }, /not read within 0\.7 s in all/],
    ['never answers', silent, { headersMs: 300 }, /did not answer within 0\.3 s/],
    ['pauses in its answer', pausing, { idleMs: 300 }, /paused for more than 0\.3 s/],
  ])('that %s ends in source_timeout', async (_what, answer, limits, message) => {
    server.answer = answer;
    const error = await failure(get({}, { limits }));
    expect(error).toMatchObject({
      code: 'source_timeout',
      message: expect.stringMatching(message) as string,
    });
    await server.deserted();
  });

  it('that drips its headers ends in source_timeout', async () => {
    const dripping = await startTcpServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const timer = setInterval(() => socket.write('x: y\r\n'), 50);
      socket.on('close', () => clearInterval(timer));
    });
    const url = `http://127.0.0.1:${dripping.port}/`;
    expect(await failure(get({ url }, { limits: { totalMs: 700 } }))).toMatchObject({
      code: 'source_timeout',
    });
    await dripping.close();
  });

  it.each([
    ['is reset before the answer', '', 'source_unreachable', /broke the connection off/],
    [
      'is reset in the answer',
      'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n45.0.',
      'source_unreachable',
      /broke/,
    ],
    [
      'is reset in a chunk',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n45',
      'source_unreachable',
      /broke/,
    ],
    ['speaks something else', 'SSH-2.0-OpenSSH_9.9\r\n', 'source_unreachable', /not HTTP/],
    [
      'has endless headers',
      `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(40_000)}`,
      'source_too_large',
      /headers of more/,
    ],
  ])('that %s ends in an error that says so', async (_what, words, code, message) => {
    const broken = await startTcpServer((socket) => {
      socket.once('data', () => socket.write(words, () => setTimeout(() => socket.resetAndDestroy(), 100)));
    });
    const error = await failure(get({ url: `http://127.0.0.1:${broken.port}/` }));
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) as string });
    await broken.close();
  });

  it('to a port where nobody listens is source_unreachable', async () => {
    const gone = await startTcpServer(() => undefined);
    await gone.close();
    expect(await failure(get({ url: `http://127.0.0.1:${gone.port}/` }))).toMatchObject({
      code: 'source_unreachable',
      message: expect.stringContaining('refused the connection') as string,
    });
  });

  it('by https to a server without TLS is source_unreachable', async () => {
    expect(await failure(get({ url: `https://127.0.0.1:${server.port}/` }))).toMatchObject({
      code: 'source_unreachable',
      message: expect.stringContaining('TLS') as string,
    });
  });

  it('by https names the host to the server, not the address it was judged by', async () => {
    const hello = Promise.withResolvers<Buffer>();
    const tls = await startTcpServer((socket) => {
      socket.once('data', (bytes) => {
        hello.resolve(bytes);
        socket.destroy();
      });
    });
    await failure(get({ url: `https://localhost:${tls.port}/` }));
    expect((await hello.promise).includes('localhost')).toBe(true);
    await tls.close();
  });
});

describe('a body that ends with its connection', () => {
  it.each(['is closed', 'is reset'])('is whole only when that is closed: it %s', async (end) => {
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
    server.answer = ({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n45.0.0.0/24\n');
      void arrived.then(() => (end === 'is closed' ? socket.end() : socket.resetAndDestroy()));
    };
    const fetching = get({}, { onProgress: () => arrive() });
    if (end === 'is closed') expect(await fetching).toMatchObject({ httpStatus: 200 });
    else expect(await failure(fetching)).toMatchObject({ code: 'source_unreachable', message: BROKEN });
  });
});

describe('cancelling', () => {
  it('before the start asks nothing', async () => {
    const reason = new Error('cancelled');
    await expect(get({}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(server.requests).toEqual([]);
  });

  it.each([
    ['for headers', false],
    ['for the body', true],
  ])('while waiting %s fails with its reason and closes the connection', async (_what, sendHeaders) => {
    const asked = Promise.withResolvers<void>();
    server.answer = (_request, response) => {
      if (sendHeaders) response.writeHead(200).write('45.0.0.0/24\n');
      asked.resolve();
    };
    const controller = new AbortController();
    const reason = new Error('cancelled');
    const fetching = expect(get({}, { signal: controller.signal })).rejects.toBe(reason);
    await asked.promise;
    if (sendHeaders) await sleep(50); // until the headers are there
    controller.abort(reason);
    await fetching;
    await server.deserted();
  });
});

describe('a message', () => {
  it('says where, and keeps query and headers to itself', async () => {
    server.answer = (_request, response) => response.writeHead(500).end();
    const url = `${server.origin}/list.txt?token=s3cret`;
    const { message } = await failure(get({ url, headers: { 'X-Key': 'k3y' } }));
    expect(message).toContain(`${server.origin}/list.txt?…`);
    expect(message).not.toMatch(/s3cret|k3y/);
  });
});
