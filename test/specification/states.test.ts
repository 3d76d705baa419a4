/** Part 3 of the specification, "States and transitions": the titles quote it. */
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type Body, type TestService } from '../http/service.ts';

const LOGS = '/v1/runtime-logs';

let service: TestService;
let key: string;
beforeAll(async () => {
  service = await startService();
  key = service.tenant.keys.super_admin;
});
afterAll(() => service.close());

const newestCleanup = async (): Promise<Body> =>
  ((await service.call('GET', `${LOGS}/cleanup-audit?limit=1`, { key })).body.items as Body[])[0]!;

test('`DELETE` on a runtime log file: "The file is truncated (default) or deleted, synchronously, and a cleanup audit record is written."', async () => {
  const path = join(service.logs, 'a.log');
  writeFileSync(path, 'line\n');
  await service.call('DELETE', `${LOGS}/files/a.log`, { key });
  expect(statSync(path).size).toBe(0);
  expect(await newestCleanup()).toMatchObject({ action: 'runtime_logs.truncate' });
  await service.call('DELETE', `${LOGS}/files/a.log?mode=delete`, { key });
  expect(existsSync(path)).toBe(false);
  expect(await newestCleanup()).toMatchObject({ action: 'runtime_logs.delete' });
});

test('`POST /v1/runtime-logs/auto-run`: "Cleanup runs immediately; with `dry_run=true` it only evaluates. The audit record has actor prefix `auto:scheduler`."', async () => {
  const path = join(service.logs, 'b.log');
  writeFileSync(path, 'line\n');
  await service.call('PATCH', '/v1/settings', { key, body: { runtime_logs_max_file_bytes: 1 } });
  const before = await newestCleanup();
  await service.call('POST', `${LOGS}/auto-run?dry_run=true`, { key });
  expect(statSync(path).size).toBe(5);
  expect(await newestCleanup()).toEqual(before);
  await service.call('POST', `${LOGS}/auto-run`, { key });
  expect(statSync(path).size).toBe(0);
  expect((await newestCleanup()).actor).toMatch(/^auto:scheduler/);
});

test('Run of a maintenance policy: "A job of type `maintenance_policy_run` is created; the audit record carries `policy_id`."', async () => {
  const policy = await service.make('/v1/maintenance/policies', { name: 'jobs', kind: 'job_prune' });
  const { body: job } = await service.call('POST', `/v1/maintenance/policies/${policy.id}/run`);
  expect(job.type).toBe('maintenance_policy_run');
  expect((await service.call('GET', `/v1/jobs/${String(job.id)}`)).status).toBe(200);
  const { body: log } = await service.call('GET', '/v1/audit?action=maintenance_policy.run');
  expect(log.items).toMatchObject([{ policy_id: policy.id }]);
});
