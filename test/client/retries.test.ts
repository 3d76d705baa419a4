/** What the client does with a service that is not well: a small one that answers as it is set to. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { ApiProblem, PrefixcastClient } from '../../client/src/index.ts';
import type { RetryPolicy } from '../../client/src/retrying-fetch.ts';

interface Reply {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body: unknown;
}

const seen: { request: IncomingMessage; body: string; at: number }[] = [];
let answers: (Reply | 'cut')[] = [];
let server: Server;
let client: PrefixcastClient;

function refusal(status: number, code: string, headers: Record<string, string> = {}): Reply {
  return { status, headers, body: { code, status, detail: `It is ${code}`, title: code, request_id: 'r' } };
}
const GOOD = { status: 200, body: { name: 'prefixcast' } };

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      seen.push({ request, body, at: performance.now() });
      const answer = answers.shift()!;
      if (answer === 'cut') return request.socket.destroy();
      response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
      return response.end(JSON.stringify(answer.body));
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  client = new PrefixcastClient({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    key: 'pc_test',
    retries: { attempts: 3 },
  });
});
afterAll(() => server.close());
beforeEach(() => seen.splice(0));

const create = (): Promise<unknown> =>
  client.post('/v1/modules', { body: { name: 'one', type: 'IP_RANGES' } });

test('a write that is refused for the moment is sent again, with the same key and body', async () => {
  answers = [refusal(503, 'busy'), 'cut', GOOD];
  await expect(create()).resolves.toMatchObject({ name: 'prefixcast' });
  expect(new Set(seen.map(({ request }) => request.headers['idempotency-key'])).size).toBe(1);
  expect(seen[0]!.request.headers['idempotency-key']).toMatch(/^[0-9a-f-]{36}$/);
  expect(seen.map(({ body }) => body)).toEqual(Array(3).fill('{"name":"one","type":"IP_RANGES"}'));
});

test('Retry-After is respected', async () => {
  answers = [refusal(429, 'rate_limited', { 'retry-after': '1' }), GOOD];
  await client.get('/v1/version');
  expect(seen[1]!.at - seen[0]!.at).toBeGreaterThanOrEqual(990);
});

test('a service that wants a long pause is not waited for', async () => {
  answers = [refusal(503, 'shutting_down', { 'retry-after': '600' })];
  await expect(client.get('/v1/version')).rejects.toMatchObject({
    code: 'shutting_down',
    retryAfterSeconds: 600,
  });
  expect(seen).toHaveLength(1);
});

test.each([
  [409, 'conflict'],
  [503, 'runtime_logs_unavailable'],
])('what is refused permanently is not sent again: %i %s', async (status, code) => {
  answers = [refusal(status, code)];
  await expect(create()).rejects.toMatchObject({ code, status });
  expect(seen).toHaveLength(1);
});

test('a repetition that comes before the first one has ended waits for its answer', async () => {
  answers = [refusal(409, 'idempotency_in_progress'), GOOD];
  await create();
  expect(seen).toHaveLength(2);
});

test('the last refusal is the answer', async () => {
  answers = [refusal(503, 'busy'), refusal(503, 'busy'), refusal(503, 'database_unavailable')];
  await expect(create()).rejects.toMatchObject({ code: 'database_unavailable' });
});

test('a page of a proxy is reported as such', async () => {
  answers = [{ status: 404, body: 'nothing here' }];
  const problem: unknown = await client.get('/v1/version').catch((error: unknown) => error);
  expect(problem).toBeInstanceOf(ApiProblem);
  expect(problem).toMatchObject({ code: 'unexpected_answer', status: 404 });
});

test('a read has no Idempotency-Key, and the key of the caller as its credential', async () => {
  answers = [GOOD];
  await client.get('/v1/version');
  expect(seen[0]!.request.headers).not.toHaveProperty('idempotency-key');
  expect(seen[0]!.request.headers.authorization).toBe('Bearer pc_test');
});

const retrying = (options: Partial<RetryPolicy>, baseUrl = client.baseUrl): PrefixcastClient =>
  new PrefixcastClient({ baseUrl, key: 'pc_test', retries: { attempts: 2, ...options } });
const createWith = (one: PrefixcastClient): Promise<unknown> =>
  one.post('/v1/modules', { body: { name: 'one', type: 'IP_RANGES' } });

test('a service that is away is asked for as long as an outage may last, however many attempts that takes', async () => {
  const patient = retrying({ outageSeconds: () => 60 });
  answers = ['cut', refusal(503, 'shutting_down'), 'cut', refusal(503, 'database_unavailable'), GOOD];
  await expect(createWith(patient)).resolves.toMatchObject({ name: 'prefixcast' });
  expect(new Set(seen.map(({ request }) => request.headers['idempotency-key'])).size).toBe(1);
  seen.splice(0);
  answers = ['cut', 'cut', GOOD];
  await expect(createWith(retrying({ outageSeconds: () => 0 }))).rejects.toMatchObject({
    code: 'unreachable',
  });
  expect(seen).toHaveLength(2);
  // One that refuses is not away.
  seen.splice(0);
  answers = [refusal(429, 'rate_limited'), refusal(429, 'rate_limited'), GOOD];
  await expect(createWith(patient)).rejects.toMatchObject({ code: 'rate_limited' });
});

const MAY_BE_DONE = /got no answer may have been carried out all the same/;

test('a first request that was cut off keeps its key for a while, and is waited for like a service that is away', async () => {
  const pending = refusal(409, 'idempotency_in_progress');
  answers = ['cut', pending, pending, pending, GOOD];
  await expect(createWith(retrying({ outageSeconds: () => 60 }))).resolves.toMatchObject({
    name: 'prefixcast',
  });
  answers = ['cut', pending, pending];
  await expect(createWith(retrying({}))).rejects.toThrow(MAY_BE_DONE);
});

test('who gives a write up learns whether it may have been done', async () => {
  answers = ['cut', refusal(503, 'shutting_down')];
  await expect(createWith(retrying({}))).rejects.toMatchObject({
    code: 'shutting_down',
    detail: expect.stringMatching(MAY_BE_DONE) as string,
  });
  answers = [refusal(503, 'shutting_down'), { status: 504, body: 'a proxy' }];
  await expect(createWith(retrying({}))).rejects.toThrow(MAY_BE_DONE);
  answers = [refusal(503, 'shutting_down'), refusal(503, 'shutting_down')];
  await expect(createWith(retrying({}))).rejects.toThrow('It is shutting_down');
  // A port that nothing listens at: what was refused was not sent.
  const free = createServer();
  await new Promise<void>((listening) => free.listen(0, '127.0.0.1', listening));
  const { port } = free.address() as AddressInfo;
  await new Promise((closed) => free.close(closed));
  const nobody = retrying({}, `http://127.0.0.1:${port}`);
  await expect(createWith(nobody)).rejects.toThrow(/ECONNREFUSED.*\. Nothing was changed\.$/);
  await expect(nobody.get('/v1/version')).rejects.toThrow(/ECONNREFUSED[^.]*\d(?:\.\d+){3}:\d+$/);
});
