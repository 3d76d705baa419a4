/** `Prefer: wait` at every route that accepts work: the answer comes when that has ended, and says how. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROUTES } from '../../../src/http/server/route-table.ts';
import type { TenantRoute } from '../../../src/http/route.ts';
import { finishJob, startJob } from '../../../src/store/jobs/job-runs.ts';
import { serves, startListServer, type ListServer } from '../../sources/lists/list-server.ts';
import { keyFor, makeFixtures, pathWith, requiredQuery } from '../fixtures.ts';
import { settingOf } from '../route-settings.ts';
import { makeTenant, startService, type TestService, type TestTenant } from '../service.ts';

let service: TestService;
let lists: ListServer;
beforeAll(async () => {
  service = await startService();
  lists = await startListServer();
  lists.answer = serves('8.8.8.0/24,DE\n');
});
afterAll(async () => {
  await lists.close();
  await service.close();
});

const accepting = ROUTES.filter((route): route is TenantRoute => route.status === 202).map((route) => ({
  name: `${route.method} ${route.path}`,
  route,
}));

async function openJobs({ id }: TestTenant): Promise<string[]> {
  const rows = await service.database.admin<{ id: string }>(
    "SELECT id FROM job WHERE tenant_id = $1 AND state IN ('queued', 'running')",
    [id],
  );
  return rows.map((row) => row.id);
}

/** As a worker does. */
async function end(tenant: TestTenant, jobId: string): Promise<void> {
  await service.database.db.inTenant(tenant.id, async (tx) => {
    await startJob(tx, jobId, randomUUID());
    await finishJob(tx, jobId, { state: 'succeeded', result: null, error: null });
  });
}

test('there are such routes', () => {
  expect(accepting.length).toBeGreaterThanOrEqual(10);
});

test.each(accepting)('$name', async ({ route }) => {
  const tenant = await makeTenant(service.database);
  const fixtures = await makeFixtures(service, tenant);
  const { ids, body = route.example, query } = await settingOf(route, { service, lists, tenant }, fixtures);
  // The one that is to be cancelled goes on until then; an equal one that waits already is taken for another.
  const spared = route.operation === 'cancelJob' ? await openJobs(tenant) : [];
  const path = pathWith(route.path, route.params, { ...fixtures, ...ids });
  let isAnswered = false;
  const asking = service
    .call(route.method, path + (query ?? requiredQuery(route.query)), {
      key: keyFor(route, tenant),
      ...(route.body === undefined ? {} : { body }),
      headers: { prefer: 'wait=60' },
    })
    .finally(() => (isAnswered = true));
  while (!isAnswered) {
    for (const id of await openJobs(tenant)) if (!spared.includes(id)) await end(tenant, id);
    await sleep(20); // as often as it looks for jobs
  }
  const answer = await asking;
  expect(answer.status, answer.text).toBe(200);
  expect(answer.headers.get('preference-applied')).toBe('wait=60');
  expect(answer.body).toMatchObject({
    state: expect.stringMatching(/^(succeeded|cancelled)$/) as string,
    finished_at: expect.any(String) as string,
  });
});
