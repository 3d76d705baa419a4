/** Requests that no proper client sends, byte by byte over a socket: each gets a problem document and one quiet line of log. */
import { connect, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PROBLEMS, type ProblemCode } from '../../../src/api/problems/problem.ts';
import { startService, type TestService } from '../service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

interface Head {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Sends the bytes, and reads until the server closes or has been silent for a while. */
async function send(bytes: string): Promise<Head> {
  const { port } = service.server.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  socket.write(bytes, 'latin1');
  await new Promise<void>((resolve, reject) => {
    socket.setTimeout(1_500, resolve).once('close', resolve).once('error', reject);
  });
  socket.destroy();
  const [head = '', body = ''] = text.split('\r\n\r\n', 2);
  const [first = '', ...lines] = head.split('\r\n');
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  return { status: Number(first.split(' ')[1]), headers, body };
}

const HOST = 'Host: test\r\nConnection: close\r\n';
const LONG = 'x'.repeat(501);

const ODDITIES: readonly (readonly [what: string, bytes: string, status: number, code: string])[] = [
  ['QUERY of a path', `QUERY /v1/modules HTTP/1.1\r\n${HOST}\r\n`, 405, 'method_not_allowed'],
  ['QUERY of no path', `QUERY /x HTTP/1.1\r\n${HOST}\r\n`, 404, 'not_found'],
  ['a method that HTTP does not have', `FROB /v1/modules HTTP/1.1\r\n${HOST}\r\n`, 400, 'malformed_request'],
  ['PROPFIND', `PROPFIND /v1/modules HTTP/1.1\r\n${HOST}\r\n`, 405, 'method_not_allowed'],
  ['TRACE', `TRACE /v1/version HTTP/1.1\r\n${HOST}\r\n`, 405, 'method_not_allowed'],
  ['CONNECT', `CONNECT inside:22 HTTP/1.1\r\n${HOST}\r\n`, 405, 'method_not_allowed'],
  ['PUT', `PUT /v1/version HTTP/1.1\r\n${HOST}Content-Length: 2\r\n\r\n{}`, 405, 'method_not_allowed'],
  ['a member of 501 characters', `GET /v1/modules/${LONG} HTTP/1.1\r\n${HOST}\r\n`, 401, 'unauthenticated'],
  ['a path of 501 characters', `GET /${LONG} HTTP/1.1\r\n${HOST}\r\n`, 404, 'not_found'],
  ['no Host', 'GET /v1/version HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'malformed_request'],
  ['two Hosts', `GET /v1/version HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n`, 400, 'malformed_request'],
  ['an Expect', `POST /v1/modules HTTP/1.1\r\n${HOST}Expect: 200-maybe\r\n\r\n`, 417, 'expectation_failed'],
  ['HTTP/1.0 without Host', 'GET /v1/version HTTP/1.0\r\n\r\n', 200, ''],
  ['a URL as target', `GET http://test/v1/version HTTP/1.1\r\n${HOST}\r\n`, 200, ''],
  ['a target of no path', `GET v1/version HTTP/1.1\r\n${HOST}\r\n`, 400, 'malformed_request'],
  ['OPTIONS *', `OPTIONS * HTTP/1.1\r\n${HOST}\r\n`, 404, 'not_found'],
  ['%zz', `GET /v1/modules/%zz HTTP/1.1\r\n${HOST}\r\n`, 400, 'malformed_request'],
  ['%ff', `GET /v1/modules/%ff HTTP/1.1\r\n${HOST}\r\n`, 400, 'malformed_request'],
  ['%00', `GET /v1/modules/%00 HTTP/1.1\r\n${HOST}\r\n`, 401, 'unauthenticated'],
  ['%2f..', `GET /v1/modules/%2f.. HTTP/1.1\r\n${HOST}\r\n`, 401, 'unauthenticated'],
  ['a query that is not escaped well', `GET /v1/version?q=%zz HTTP/1.1\r\n${HOST}\r\n`, 200, ''],
  [
    'a header of 20 KiB',
    `GET /v1/version HTTP/1.1\r\n${HOST}X: ${'x'.repeat(20_480)}\r\n\r\n`,
    431,
    'headers_too_large',
  ],
  ['a target of 20 KiB', `GET /${'x'.repeat(20_480)} HTTP/1.1\r\n${HOST}\r\n`, 431, 'headers_too_large'],
  [
    'a length of no number',
    `POST /v1/modules HTTP/1.1\r\n${HOST}Content-Length: ten\r\n\r\n`,
    400,
    'malformed_request',
  ],
  [
    'two lengths',
    `POST /v1/modules HTTP/1.1\r\n${HOST}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} `,
    400,
    'malformed_request',
  ],
  [
    'a length and chunks',
    `POST /v1/modules HTTP/1.1\r\n${HOST}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    400,
    'malformed_request',
  ],
  [
    'a chunk of no size',
    `POST /v1/modules HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
    400,
    'malformed_request',
  ],
  ['a header with a NUL', `GET /v1/version HTTP/1.1\r\n${HOST}X: a\0b\r\n\r\n`, 400, 'malformed_request'],
  ['a folded header', `GET /v1/version HTTP/1.1\r\n${HOST}X: a\r\n b\r\n\r\n`, 400, 'malformed_request'],
  ['HTTP/3.7', `GET /v1/version HTTP/3.7\r\n${HOST}\r\n`, 400, 'malformed_request'],
  [
    'an upgrade',
    `GET /v1/version HTTP/1.1\r\nHost: test\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n`,
    200,
    '',
  ],
  ['an upgrade to HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 'malformed_request'],
  ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400, 'malformed_request'],
  ['BGP', `${'\xff'.repeat(16)}\x00\x1d\x01\x04\xfa\x00`, 400, 'malformed_request'],
];

test.each(ODDITIES)('%s', async (_what, bytes, status, code) => {
  const before = service.log.length;
  const { headers, body, ...answer } = await send(bytes);
  expect(answer).toEqual({ status });
  if (status >= 400) {
    expect(headers.get('content-type')).toBe('application/problem+json');
    const problem = JSON.parse(body) as Record<string, unknown>;
    expect(problem).toMatchObject({ status, code, title: PROBLEMS[code as ProblemCode].title });
    expect(problem.request_id).toBe(headers.get('x-request-id'));
    expect(headers.get('cache-control')).toBe('no-store');
  }
  expectQuiet(before);
});

/** One line at most, and none of a fault. */
function expectQuiet(before: number): void {
  const lines = service.log.slice(before).map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines.filter(({ level, err }) => Number(level) > 30 || err !== undefined)).toEqual([]);
  expect(lines.length).toBeLessThanOrEqual(1);
  // Nor the trace of one, under whatever name.
  expect(service.log.slice(before).filter((line) => /"stack"|\\n +at /.test(line))).toEqual([]);
}

test('a lookup without a Host is refused even where it would be answered from memory', async () => {
  const line = `GET /v1/lookup?q=192.0.2.1 HTTP/1.1\r\nAuthorization: Bearer ${service.tenant.keys.operator}\r\n`;
  const statuses = [];
  for (let time = 0; time < 3; time++) statuses.push((await send(`${line}${HOST}\r\n`)).status);
  expect(statuses).toEqual([200, 200, 200]);
  expect((await send(`${line}Connection: close\r\n\r\n`)).status).toBe(400);
  expect((await send(`${line}Expect: more\r\n${HOST}\r\n`)).status).toBe(417);
});

test('a member of 501 characters is refused to whoever has a key, as any other that names nothing', async () => {
  const key = service.tenant.keys.operator;
  for (const member of [LONG, `${LONG}/refresh`]) {
    const before = service.log.length;
    const line = `${member === LONG ? 'GET' : 'POST'} /v1/modules/${member} HTTP/1.1\r\n${HOST}`;
    const { status, headers, body } = await send(
      `${line}Authorization: Bearer ${key}\r\nContent-Length: 0\r\n\r\n`,
    );
    expect(status).toBe(404);
    expect(headers.get('content-type')).toBe('application/problem+json');
    expect(JSON.parse(body)).toMatchObject({ status: 404, code: 'not_found' });
    expectQuiet(before);
  }
});

test('100-continue is met', async () => {
  const line = `POST /v1/communities HTTP/1.1\r\n${HOST}Authorization: Bearer ${service.tenant.keys.operator}\r\n`;
  const length = 'Content-Type: application/json\r\nContent-Length: 2\r\nExpect: 100-continue\r\n';
  expect((await send(`${line}${length}\r\n{}`)).status).toBe(100);
});

test('a body that its sender gives up is no fault of the service', async () => {
  const before = service.log.length;
  const { port } = service.server.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  const key = service.tenant.keys.operator;
  const head = `POST /v1/communities HTTP/1.1\r\n${HOST}Authorization: Bearer ${key}\r\n`;
  socket.write(`${head}Content-Type: application/json\r\nContent-Length: 200\r\n\r\n{"community":`);
  await new Promise((resolve) => setTimeout(resolve, 200)); // until the body is being read
  socket.destroy();
  await new Promise((resolve) => setTimeout(resolve, 300)); // for a line that must not come
  expectQuiet(before);
});
