import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { RipestatSource } from '../../../src/sources/asn/ripestat.ts';
import { readRipestatAnswer } from '../../../src/sources/asn/ripestat-answer.ts';
import type { AsnQuestion } from '../../../src/sources/asn/source.ts';
import { askFor, type Asking, errorOf, prefixesOf } from './asking.ts';
import { NOW, ripestatAnswers, ripestatBody } from './servers.ts';
import { reaching, type ListServer, serves, startListServer } from '../lists/list-server.ts';
import { textsOf } from '../lists/prefix-texts.ts';

const REAL = join(import.meta.dirname, '../../../../shared/data/asn');
const RETRY = { attempts: 3, firstMs: 20, longestMs: 2_000 };

let server: ListServer;
beforeAll(async () => {
  server = await startListServer();
});
beforeEach(() => {
  server.requests.length = 0;
});
afterAll(() => server.close());

function source(): RipestatSource {
  const fetch = { reach: reaching('127.0.0.1/32') };
  return new RipestatSource({ url: `${server.origin}/data.json`, fetch, retry: RETRY });
}

const ask = (asns: readonly (number | AsnQuestion)[], options: Asking = {}, asked = source()) =>
  askFor(asked, asns, options);

test('only what is announced at the end of the query counts', async () => {
  const announced = {
    '45.0.0.0/24': [NOW],
    '45.0.1.0/24': ['2026-10-20T16:00:00'],
    '45.0.2.0/24': ['2026-10-12T00:00:00', NOW],
    '2600:80::/32': [NOW],
    '10.0.0.0/8': [NOW],
  };
  server.answer = ripestatAnswers(new Map([[3333, announced]]));
  const answer = (await ask([3333])).get(3333);
  expect(prefixesOf(answer)).toEqual(['45.0.0.0/24', '45.0.2.0/24', '2600:80::/32']);
  expect(answer).toMatchObject({ bogons: { count: 1 } });
  expect(server.requests[0]!.url).toBe('/data.json?resource=AS3333&sourceapp=prefixcast');
});

test('an AS that announces nothing has no prefix, which is no failure', async () => {
  server.answer = ripestatAnswers(new Map());
  expect(prefixesOf((await ask([64496])).get(64496))).toEqual([]);
});

test('what has not changed is reported by 304', async () => {
  server.answer = ripestatAnswers(new Map([[3333, { '45.0.0.0/24': [NOW] }]]));
  const first = (await ask([3333])).get(3333);
  const etag = first?.kind === 'found' ? first.etag : null;
  expect(etag).not.toBeNull();
  expect((await ask([{ asn: 3333, etag, lastModified: null }])).get(3333)).toEqual({ kind: 'unchanged' });
});

test.each([
  [
    'status error',
    ripestatBody(1, {}, { status: 'error', messages: [['error', 'No such AS']] }),
    'source_refused_query',
    'No such AS',
  ],
  ['no status', '{}', 'source_refused_query', 'null'],
  ['another AS', ripestatBody(2, { '45.0.0.0/24': [NOW] }), 'source_unparseable', 'AS1'],
  ['no JSON', '<html>', 'source_unparseable', 'JSON'],
  ['null', 'null', 'source_refused_query', 'status'],
  [
    'no prefixes',
    ripestatBody(1, {}, { data: { resource: 1, query_endtime: NOW } }),
    'source_unparseable',
    'timelines',
  ],
  [
    'odd prefixes',
    ripestatBody(1, {}, { data: { resource: 'AS1', query_endtime: NOW, prefixes: [null] } }),
    'source_unparseable',
    'timelines',
  ],
  ['unreadable prefixes', ripestatBody(1, { '45.0.0.0/33': [NOW] }), 'source_unparseable', '45.0.0.0/33'],
])('%s is a failure, reported once and not repeated', async (_, body, code, words) => {
  server.answer = serves(body, 'application/json');
  const error = errorOf((await ask([1])).get(1));
  expect(error).toMatchObject({ code });
  expect(error.message).toContain(words);
  expect(server.requests).toHaveLength(1);
});

test('429 and 5xx are tried again, not before the time that the server asks for', async () => {
  const at: number[] = [];
  server.answer = (request, response) => {
    at.push(performance.now());
    if (at.length === 1) response.writeHead(429, { 'retry-after': '1' }).end();
    else if (at.length === 2) response.writeHead(503).end();
    else ripestatAnswers(new Map([[1, { '45.0.0.0/24': [NOW] }]]))(request, response);
  };
  expect(prefixesOf((await ask([1])).get(1))).toEqual(['45.0.0.0/24']);
  expect(at).toHaveLength(3);
  expect(at[1]! - at[0]!).toBeGreaterThanOrEqual(990);
});

test('a server that asks for more patience than there is, is left alone', async () => {
  server.answer = (_, response) => response.writeHead(429, { 'retry-after': '3600' }).end();
  expect(errorOf((await ask([1])).get(1))).toMatchObject({ code: 'source_http_status', httpStatus: 429 });
  expect(server.requests).toHaveLength(1);
});

test('never more than 8 requests are under way, however many ask at once', async () => {
  let open = 0;
  let most = 0;
  server.answer = (request, response) => {
    most = Math.max(most, ++open);
    setTimeout(() => {
      open--;
      ripestatAnswers(new Map())(request, response);
    }, 10);
  };
  const shared = source();
  const many = (from: number) => Array.from({ length: 30 }, (_, index) => from + index);
  const [some, others] = await Promise.all([ask(many(100), {}, shared), ask(many(200), {}, shared)]);
  expect([some.size, others.size]).toEqual([30, 30]);
  expect(most).toBe(8);
});

test('one AS that fails does not keep others from their prefixes', async () => {
  const good = ripestatAnswers(new Map([[2, { '45.0.0.0/24': [NOW] }]]));
  server.answer = (request, response) =>
    request.url!.includes('AS1&') ? void response.writeHead(404).end() : good(request, response);
  const answers = await ask([1, 2]);
  expect(errorOf(answers.get(1)).code).toBe('source_http_status');
  expect(prefixesOf(answers.get(2))).toEqual(['45.0.0.0/24']);
});

test('a source that is out of order is not asked for thousands of ASes', async () => {
  server.answer = (_, response) => response.writeHead(500).end();
  const asns = Array.from({ length: 500 }, (_, index) => index + 1);
  const answers = await ask(asns);
  expect(answers.size).toBe(500);
  for (const answer of answers.values()) expect(answer.kind).toBe('failed');
  expect(server.requests.length).toBeLessThanOrEqual((16 + 8) * RETRY.attempts);
});

test('a cancelled job ends the asking', async () => {
  const cancel = new AbortController();
  server.answer = () => cancel.abort(new Error('cancelled'));
  await expect(ask([1, 2, 3], { signal: cancel.signal })).rejects.toThrow('cancelled');
  await server.deserted();
});

test('an answer too large for the event loop is read in a thread', async () => {
  const announced = Object.fromEntries(
    Array.from({ length: 5_000 }, (_, index) => [`45.${index >> 8}.${index & 255}.0/24`, [NOW]]),
  );
  server.answer = ripestatAnswers(new Map([[1, announced]]));
  expect(prefixesOf((await ask([1])).get(1))).toEqual(Object.keys(announced));
});

const present = existsSync(REAL);
if (!present) {
  const what = `the real answers are not at ${REAL}`;
  if (process.env.CI) throw new Error(`In CI nothing is skipped: ${what}`);
  console.warn(`\n*** SKIPPED: real answers of RIPEstat: ${what} ***\n`);
}

describe.skipIf(!present)('real answers', () => {
  test.each([
    [211858, ['45.67.82.0/24', '2a10:c704::/32']],
    [219092, ['209.135.151.0/24', '2a0c:9a40:8a70::/48', '2001:678:1378::/48']],
  ])('AS%s', (asn, prefixes) => {
    const body = readFileSync(join(REAL, `ripestat-AS${asn}.json`));
    const read = readRipestatAnswer(body, asn, 'drop');
    expect(read.ok && textsOf(read.prefixes)).toEqual(prefixes);
  });
});
