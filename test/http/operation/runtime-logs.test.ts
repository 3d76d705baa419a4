import {
  appendFileSync,
  existsSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createServer } from '../../../src/http/server/server.ts';
import { waitFor } from '../../daemons/wait.ts';
import { newMetrics, startService, type Answered, type Body, type TestService } from '../service.ts';

const FILES = '/v1/runtime-logs/files';
const MEBIBYTE = 1024 * 1024;

let service: TestService;
/** Keys of super roles see and clean as the home tenant does. */
let admin: string;
const at = (name: string): string => join(service.logs, name);
const call = (method: string, path: string, key = admin, headers = {}): Promise<Answered> =>
  service.call(method, path, { key, headers });
beforeAll(async () => {
  service = await startService();
  admin = service.tenant.keys.super_admin;
});
afterAll(() => service.close());
beforeEach(() => {
  for (const name of ['a.log', 'b.log', 'c.log']) rmSync(at(name), { force: true });
});

/** When the file was written last, in whole milliseconds. */
const timeOf = (name: string): string => statSync(at(name), { bigint: true }).mtime.toISOString();

/** The newest record of a cleanup. */
async function newestRecord(): Promise<Body> {
  const { body } = await call('GET', '/v1/runtime-logs/cleanup-audit?limit=1');
  return (body.items as Body[])[0]!;
}

test('200: files by name with size and time, and which are over the threshold', async () => {
  writeFileSync(at('b.log'), 'x'.repeat(100));
  writeFileSync(at('a.log'), 'x');
  symlinkSync(at('a.log'), at('c.log'));
  await service.call('PATCH', '/v1/settings', { key: admin, body: { runtime_logs_max_file_bytes: 99 } });
  expect((await call('GET', FILES, service.tenant.keys.viewer)).body).toEqual({
    items: [
      {
        name: 'a.log',
        size: 1,
        modified_at: timeOf('a.log'),
        over_threshold: false,
      },
      {
        name: 'b.log',
        size: 100,
        modified_at: timeOf('b.log'),
        over_threshold: true,
      },
    ],
    ...{ next_cursor: null, has_more: false },
  });
  await service.call('PATCH', '/v1/settings', { key: admin, body: { runtime_logs_max_file_bytes: null } });
});

test('200: what was written after the last answer is in the next one', async () => {
  writeFileSync(at('a.log'), 'one\n');
  expect((await call('GET', `${FILES}/a.log`)).body.lines).toEqual(['one']);
  appendFileSync(at('a.log'), 'two\n');
  expect((await call('GET', `${FILES}/a.log`)).body).toMatchObject({
    ...{ name: 'a.log', size: 8, lines: ['one', 'two'], truncated: false },
  });
});

test('200: the last lines that contain every text, as JSON and as text', async () => {
  writeFileSync(at('a.log'), Array.from({ length: 1_000 }, (_, n) => `line ${n} [${n % 10}]`).join('\n'));
  const query = `lines=2&grep=${encodeURIComponent('[7]')}&grep=line%209`;
  const { body } = await call('GET', `${FILES}/a.log?${query}`);
  expect(body).toMatchObject({ lines: ['line 987 [7]', 'line 997 [7]'], truncated: true });
  const text = await call('GET', `${FILES}/a.log?${query}`, admin, { accept: 'text/plain' });
  expect(text.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(text.text).toBe('line 987 [7]\nline 997 [7]\n');
});

test('a text of a megabyte to look for is refused before anything is read', async () => {
  writeFileSync(at('a.log'), 'one\n');
  const answer = await fetch(`${service.url}${FILES}/a.log?grep=${'x'.repeat(MEBIBYTE)}`, {
    headers: { authorization: `Bearer ${admin}` },
  });
  expect(answer.status).toBe(431);
});

test.each(['lines=0', 'lines=10001', 'bytes=4194305', 'grep=', 'level=loud', 'since=yesterday', 'follow=1'])(
  '422: %s',
  async (query) => {
    writeFileSync(at('a.log'), 'one\n');
    const { status, body } = await call('GET', `${FILES}/a.log?${query}`);
    expect({ status, code: body.code }).toEqual({ status: 422, code: 'validation_failed' });
    expect(body.errors).toMatchObject([
      { pointer: expect.stringMatching(`^\\?${query.split('=')[0]}`) as string },
    ]);
  },
);

test('404: links, and names outside of the pattern, also for DELETE', async () => {
  writeFileSync(at('a.log'), 'one\n');
  symlinkSync(at('a.log'), at('c.log'));
  for (const name of ['c.log', 'A.log', '..%2Fa.log', 'a.log%00', 'a.txt', 'none.log', '%2Fa.log'])
    for (const method of ['GET', 'DELETE'])
      expect((await call(method, `${FILES}/${name}`)).status, `${method} ${name}`).toBe(404);
  expect(readFileSync(at('a.log'), 'utf8')).toBe('one\n');
});

describe('another tenant than home', () => {
  test('sees the lines that carry its own id, and nothing else', async () => {
    const { tenant, other } = service;
    const lines = [tenant.id, other.id].map((id) =>
      JSON.stringify({ level: 30, tenant_id: id, msg: other.id }),
    );
    writeFileSync(at('a.log'), `${lines.join('\n')}\nplain ${other.id}\n`);
    expect((await call('GET', `${FILES}/a.log`, other.keys.operator)).body.lines).toEqual([lines[1]]);
    expect((await call('GET', `${FILES}/a.log`, other.keys.super_viewer)).body.lines).toHaveLength(3);
    const text = await call('GET', `${FILES}/a.log`, tenant.keys.viewer, { accept: 'text/plain' });
    expect(text.text).toBe(`${lines[0]!}\n`);
  });

  test('403: cleans nothing', async () => {
    writeFileSync(at('a.log'), 'one\n');
    const key = service.other.keys.operator;
    for (const [method, path] of [
      ['DELETE', `${FILES}/a.log`],
      ['DELETE', `${FILES}/none.log`],
      ['GET', '/v1/runtime-logs/auto-estimate'],
      ['POST', '/v1/runtime-logs/auto-run'],
      ['POST', '/v1/runtime-logs/auto-run?dry_run=true'],
    ] as const) {
      const { status, body } = await call(method, path, key);
      expect({ status, code: body.code }).toEqual({ status: 403, code: 'home_tenant_only' });
    }
    expect(readFileSync(at('a.log'), 'utf8')).toBe('one\n');
  });
});

describe('DELETE', () => {
  test('204: empties the file, and its writer goes on; the record reports its size before', async () => {
    writeFileSync(at('a.log'), 'one\n');
    expect((await call('DELETE', `${FILES}/a.log`)).status).toBe(204);
    appendFileSync(at('a.log'), 'two\n');
    expect(readFileSync(at('a.log'), 'utf8')).toBe('two\n');
    expect(await newestRecord()).toMatchObject({
      ...{ action: 'runtime_logs.truncate', actor: 'key:the super_admin', severity: 'notice' },
      resource: { type: 'runtime_logs', id: 'a.log', name: 'a.log' },
      changes: { before: { size: 4 } },
      request_id: expect.any(String) as string,
    });
  });

  test('204: mode=delete removes it', async () => {
    writeFileSync(at('a.log'), 'one\n');
    expect((await call('DELETE', `${FILES}/a.log?mode=delete`)).status).toBe(204);
    expect(existsSync(at('a.log'))).toBe(false);
    expect(await newestRecord()).toMatchObject({
      action: 'runtime_logs.delete',
      changes: { before: { size: 4 } },
    });
    expect((await call('DELETE', `${FILES}/a.log`)).status).toBe(404);
  });

  test('413: more than 512 MiB, and no record; exactly as many are cleaned', async () => {
    const before = await newestRecord();
    writeFileSync(at('a.log'), '');
    truncateSync(at('a.log'), 512 * MEBIBYTE + 1);
    for (const mode of ['truncate', 'delete']) {
      const { status, body } = await call('DELETE', `${FILES}/a.log?mode=${mode}`);
      expect({ status, code: body.code }).toEqual({ status: 413, code: 'runtime_log_too_large' });
    }
    expect(await newestRecord()).toEqual(before);
    truncateSync(at('a.log'), 512 * MEBIBYTE);
    expect((await call('DELETE', `${FILES}/a.log`)).status).toBe(204);
    expect(statSync(at('a.log')).size).toBe(0);
  });
});

describe('the automatic cleanup', () => {
  const set = (body: object): Promise<Answered> =>
    service.call('PATCH', '/v1/settings', { key: admin, body });

  test('files that are too large, then the oldest while the rest is too much; a dry run says the same and does nothing', async () => {
    await set({ runtime_logs_max_file_bytes: 1_000, runtime_logs_max_total_bytes: 900 });
    for (const [name, size, time] of [
      ['a.log', 600, 2_000],
      ['b.log', 2_000, 3_000],
      ['c.log', 500, 1_000],
    ] as const) {
      writeFileSync(at(name), 'x'.repeat(size));
      utimesSync(at(name), time, time);
    }
    const expected = {
      ...{
        mode: 'truncate',
        max_file_bytes: 1_000,
        max_total_bytes: 900,
        total_bytes: 3_100,
        freed_bytes: 2_500,
      },
      files: [
        { name: 'b.log', size: 2_000, modified_at: '1970-01-01T00:50:00.000Z', reason: 'max_file_bytes' },
        { name: 'c.log', size: 500, modified_at: '1970-01-01T00:16:40.000Z', reason: 'max_total_bytes' },
      ],
      failed: [],
    };
    const estimate = await call('GET', '/v1/runtime-logs/auto-estimate');
    expect(estimate.body).toEqual({ dry_run: true, ...expected });
    const before = await newestRecord();
    expect((await call('POST', '/v1/runtime-logs/auto-run?dry_run=true')).body).toEqual(estimate.body);
    expect(await newestRecord()).toEqual(before);
    expect(statSync(at('b.log')).size).toBe(2_000);

    expect((await call('POST', '/v1/runtime-logs/auto-run')).body).toEqual({ dry_run: false, ...expected });
    expect(['a.log', 'b.log', 'c.log'].map((name) => statSync(at(name)).size)).toEqual([600, 0, 0]);
    expect(await newestRecord()).toMatchObject({
      ...{ action: 'runtime_logs.clean', actor: 'auto:scheduler' },
      changes: {
        after: {
          ...{ requested_by: 'key:the super_admin', cleaned: 2, freed_bytes: 2_500 },
          files: [
            { name: 'b.log', size_before: 2_000 },
            { name: 'c.log', size_before: 500 },
          ],
        },
      },
    });
  });

  test('what is larger than 512 MiB is cleaned too, by deletion where the settings say so', async () => {
    await set({ runtime_logs_max_file_bytes: 1_000, runtime_logs_auto_mode: 'delete' });
    writeFileSync(at('a.log'), '');
    truncateSync(at('a.log'), 3 * 1024 * MEBIBYTE);
    expect((await call('POST', '/v1/runtime-logs/auto-run')).body).toMatchObject({
      freed_bytes: 3 * 1024 * MEBIBYTE,
      failed: [],
    });
    expect(existsSync(at('a.log'))).toBe(false);
    await set({ runtime_logs_auto_mode: null });
  });
});

describe('follow=true', () => {
  /** Reads a stream until it is aborted. */
  function follow(name: string, query = '', key = admin) {
    const end = new AbortController();
    const seen: string[] = [];
    const ended = fetch(`${service.url}${FILES}/${name}?follow=true${query}`, {
      headers: { authorization: `Bearer ${key}` },
      signal: end.signal,
    })
      .then(async (answer) => {
        expect(answer.headers.get('content-type')).toBe('text/event-stream');
        let text = '';
        for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
          text += chunk;
          const events = text.split('\n\n');
          text = events.pop()!;
          for (const event of events) seen.push(event.replace(/^event: line\ndata: /, ''));
        }
      })
      .catch(() => undefined);
    const has = (what: string): Promise<unknown> =>
      waitFor(() => seen.some((event) => event.includes(what)), { what });
    return { seen, has, ended, end: () => end.abort() };
  }

  test('the tail, then what is new, through truncation and rotation', async () => {
    writeFileSync(at('a.log'), 'one\ntwo\nthree\n');
    const stream = follow('a.log', '&lines=2');
    await stream.has('three');
    appendFileSync(at('a.log'), 'four\n');
    await stream.has('four');
    await call('DELETE', `${FILES}/a.log`);
    await stream.has('truncated');
    appendFileSync(at('a.log'), 'five\n');
    await stream.has('five');
    await call('DELETE', `${FILES}/a.log?mode=delete`);
    writeFileSync(at('a.log'), 'six\n');
    await stream.has('six');
    stream.end();
    await stream.ended;
    expect(stream.seen.filter((event) => !event.startsWith(':'))).toEqual([
      'retry: 2000',
      ...['two', 'three', 'four'].map((line) => JSON.stringify({ line })),
      'event: truncated\ndata: {}',
      JSON.stringify({ line: 'five' }),
      'event: rotated\ndata: {}',
      JSON.stringify({ line: 'six' }),
    ]);
  });

  test('filters hold for what is new as well, and other tenants see their own lines', async () => {
    const { other } = service;
    writeFileSync(at('a.log'), '');
    const stream = follow('a.log', '&level=warn', other.keys.viewer);
    await stream.has('retry');
    for (const level of [30, 40])
      for (const id of [service.tenant.id, other.id])
        appendFileSync(at('a.log'), `${JSON.stringify({ level, tenant_id: id, n: `${level}` })}\n`);
    await stream.has('40');
    stream.end();
    await stream.ended;
    const lines = stream.seen.filter((event) => event.startsWith('{'));
    expect(lines).toEqual([
      JSON.stringify({ line: JSON.stringify({ level: 40, tenant_id: other.id, n: '40' }) }),
    ]);
  });

  test('404 and 429 before the stream begins', async () => {
    expect((await call('GET', `${FILES}/none.log?follow=true`)).status).toBe(404);
    writeFileSync(at('a.log'), 'one\n');
    const streams = Array.from({ length: 8 }, () => follow('a.log'));
    await Promise.all(streams.map(({ has }) => has('one')));
    const { status, body } = await call('GET', `${FILES}/a.log?follow=true`);
    expect({ status, code: body.code }).toEqual({ status: 429, code: 'rate_limited' });
    for (const stream of streams) stream.end();
    await Promise.all(streams.map(({ ended }) => ended));
  });
});

test('503: a process without log files serves none of them, but reports what was cleaned', async () => {
  const server = await createServer({ ...service.dependencies, logs: null, metrics: newMetrics() });
  const ask = async (method: 'GET' | 'POST' | 'DELETE', path: string, key = admin) => {
    const answer = await server.inject({ method, url: path, headers: { authorization: `Bearer ${key}` } });
    const { code } = answer.json<Body>();
    return { status: answer.statusCode, code };
  };
  const { viewer, operator } = service.tenant.keys;
  const unavailable = { status: 503, code: 'runtime_logs_unavailable' };
  expect(await ask('GET', FILES, viewer)).toEqual(unavailable);
  expect(await ask('GET', `${FILES}/app-all.log`, viewer)).toEqual(unavailable);
  expect(await ask('DELETE', `${FILES}/app-all.log`, operator)).toEqual(unavailable);
  expect(await ask('GET', '/v1/runtime-logs/auto-estimate', operator)).toEqual(unavailable);
  expect(await ask('POST', '/v1/runtime-logs/auto-run', operator)).toEqual(unavailable);
  expect((await ask('GET', '/v1/runtime-logs/cleanup-audit', viewer)).status).toBe(200);
  // A state that everybody may meet raises no alert.
  expect(service.log.filter((line) => line.includes('"level":50'))).toEqual([]);
  await server.close();
});
