/** Parts 7 and 8 of the specification, "Errors" and "Limits", on runtime logs and settings: the titles quote them. */
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createServer } from '../../src/http/server/server.ts';
import { startService, type Body, type TestService } from '../http/service.ts';

const FILES = '/v1/runtime-logs/files';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

test('"File routes of runtime logs return status 503 with error code `runtime_logs_unavailable` when the file API is not enabled."', async () => {
  const server = await createServer({ ...service.dependencies, logs: null, metrics: new Registry() });
  const headers = { authorization: `Bearer ${service.tenant.keys.operator}` };
  for (const [method, url] of [
    ['GET', FILES],
    ['GET', `${FILES}/a.log`],
    ['DELETE', `${FILES}/a.log`],
  ] as const) {
    const answer = await server.inject({ method, url, headers });
    expect(answer.statusCode).toBe(503);
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect(answer.json<Body>().code).toBe('runtime_logs_unavailable');
  }
  await server.close();
});

test('"Runtime log cleanup via `DELETE`, maximum file size: 512 MiB"', async () => {
  const { super_admin: key } = service.tenant.keys;
  const path = join(service.logs, 'large.log');
  writeFileSync(path, '');
  truncateSync(path, 512 * 1024 * 1024 + 1);
  expect((await service.call('DELETE', `${FILES}/large.log`, { key })).status).toBe(413);
  truncateSync(path, 512 * 1024 * 1024);
  expect((await service.call('DELETE', `${FILES}/large.log`, { key })).status).toBe(204);
});

test('known keys: "`revision_retention_minutes`, keys with prefix `runtime_logs_` (auto-cleanup policy: schedule and file size thresholds), arbitrary additional keys"', async () => {
  const { body } = await service.call('GET', '/v1/settings', { key: service.tenant.keys.viewer });
  const known = (body.known as Body[]).map(({ key }) => key);
  for (const key of [
    'revision_retention_minutes',
    'runtime_logs_auto_schedule',
    'runtime_logs_max_file_bytes',
  ])
    expect(known).toContain(key);
  const own = { 'site.Rack-7': { row: 1 } };
  expect((await service.call('PATCH', '/v1/settings', { body: own })).body.settings).toMatchObject(own);
});
