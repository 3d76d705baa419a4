/** Part 4 of the specification, "Runtime logs": the titles quote it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RUNTIME_LOG_NAME_PATTERN } from '../../src/api/operation/runtime-logs.ts';
import { createServer } from '../../src/http/server/server.ts';
import { newMetrics, startService, type Answered, type Body, type TestService } from '../http/service.ts';

const LOGS = '/v1/runtime-logs';

let service: TestService;
let admin: string;
beforeAll(async () => {
  service = await startService();
  admin = service.tenant.keys.super_admin;
  writeFileSync(join(service.logs, 'a.log'), 'one\ntwo\nthree\n');
  writeFileSync(join(service.logs, 'a.txt'), 'text\n');
  mkdirSync(join(service.logs, 'directory.log'));
});
afterAll(() => service.close());

const call = (method: string, path: string, key = admin): Promise<Answered> =>
  service.call(method, LOGS + path, { key });

describe('Runtime logs', () => {
  test('GET `/v1/runtime-logs/files`, viewer+: "list `*.log` files: name, size, modification time"', async () => {
    expect((await call('GET', '/files', service.tenant.keys.viewer)).body.items).toMatchObject([
      { name: 'a.log', size: 14, modified_at: expect.stringMatching(/Z$/) as string },
    ]);
  });

  test('GET `/v1/runtime-logs/files/{filename}`, viewer+: "tail of a file; query `lines`, `bytes`, `grep`"', async () => {
    const linesOf = async (query: string): Promise<unknown> =>
      (await call('GET', `/files/a.log${query}`)).body.lines;
    expect(await linesOf('')).toEqual(['one', 'two', 'three']);
    expect(await linesOf('?lines=1')).toEqual(['three']);
    expect(await linesOf('?bytes=10')).toEqual(['two', 'three']);
    expect(await linesOf('?grep=o')).toEqual(['one', 'two']);
    expect((await call('GET', '/files/a.log', service.tenant.keys.viewer)).status).toBe(200);
  });

  test('DELETE, operator+: "synchronous cleanup; query `mode` with values `truncate` (default) or `delete`"', async () => {
    expect((await call('DELETE', '/files/a.log?mode=shred')).status).toBe(422);
    expect((await call('DELETE', '/files/a.log', service.tenant.keys.viewer)).body.code).toBe('forbidden');
  });

  test('GET `/v1/runtime-logs/cleanup-audit`, viewer+: "paginated cleanup audit (`cursor`, `limit`); works without the log volume"', async () => {
    const server = await createServer({ ...service.dependencies, logs: null, metrics: newMetrics() });
    for (let n = 0; n < 3; n++) await call('POST', '/auto-run');
    const read = async (query: string): Promise<Body> => {
      const url = `${LOGS}/cleanup-audit?${query}`;
      const headers = { authorization: `Bearer ${service.tenant.keys.viewer}` };
      return (await server.inject({ method: 'GET', url, headers })).json<Body>();
    };
    const first = await read('limit=2');
    expect(first.items).toHaveLength(2);
    const second = await read(`limit=2&cursor=${String(first.next_cursor)}`);
    expect(second).toMatchObject({ items: [{ action: 'runtime_logs.clean' }], next_cursor: null });
    await server.close();
  });

  test('GET `/v1/runtime-logs/auto-estimate`, operator+: "files above the threshold set in tenant settings"', async () => {
    const set = (value: number | null) =>
      service.call('PATCH', '/v1/settings', { key: admin, body: { runtime_logs_max_file_bytes: value } });
    await set(13);
    expect((await call('GET', '/auto-estimate')).body.files).toMatchObject([{ name: 'a.log', size: 14 }]);
    await set(14);
    expect((await call('GET', '/auto-estimate')).body.files).toEqual([]);
    await set(null);
    expect((await call('GET', '/auto-estimate', service.tenant.keys.viewer)).body.code).toBe('forbidden');
  });

  test('POST `/v1/runtime-logs/auto-run`, operator+: "immediate run; query `dry_run=true` evaluates only"', async () => {
    expect((await call('POST', '/auto-run?dry_run=true')).body.dry_run).toBe(true);
    expect((await call('POST', '/auto-run')).body.dry_run).toBe(false);
    expect((await call('POST', '/auto-run', service.tenant.keys.viewer)).body.code).toBe('forbidden');
  });

  test('"`{filename}` is a bare file name matching `^[a-z0-9][a-z0-9_.-]*\\\\.log$`."', async () => {
    expect(RUNTIME_LOG_NAME_PATTERN).toBe(String.raw`^[a-z0-9][a-z0-9_.-]*\.log$`);
    for (const name of ['a.txt', 'A.log', '_a.log', 'a.logx', 'directory.log', 'b%2Fa.log'])
      expect((await call('GET', `/files/${name}`)).status, name).toBe(404);
  });
});
