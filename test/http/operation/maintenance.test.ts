import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService, type Answered, type Body, type TestService } from '../service.ts';

const POLICIES = '/v1/maintenance/policies';
const RUNS_OF_LOGS = 'runtime_logs_cleanup';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const create = (body: object, key = service.tenant.keys.operator): Promise<Answered> =>
  service.call('POST', POLICIES, { key, body });

test('an ordinary day: made, read, changed, switched off and on, run, listed, removed', async () => {
  const made = await service.make(POLICIES, { name: 'Old jobs', kind: 'job_prune', schedule: '0 4 * * 0' });
  expect(made).toMatchObject({
    ...{ name: 'Old jobs', kind: 'job_prune', schedule: '0 4 * * 0', enabled: true, last_run: null },
    parameters: { older_than_days: 90, keep_last: 1_000 },
    next_run_at: expect.stringMatching(/T04:00:00\.000Z$/) as string,
  });
  expect(new Date(String(made.next_run_at)).getUTCDay()).toBe(0);
  const path = `${POLICIES}/${made.id}`;
  const change = async (body: object): Promise<Body> => {
    const { status, body: answer, text } = await service.call('PATCH', path, { body });
    expect(status, text).toBe(200);
    return answer;
  };
  expect(await change({ parameters: { keep_last: 5 } })).toMatchObject({
    ...{ parameters: { older_than_days: 90, keep_last: 5 }, next_run_at: made.next_run_at },
  });
  expect(await change({ enabled: false })).toMatchObject({ next_run_at: null });
  expect(await change({ enabled: true })).toMatchObject({ next_run_at: made.next_run_at });
  const due = '2026-01-02T03:04:05.000Z';
  await service.database.admin('UPDATE maintenance_policy SET next_run_at = $1 WHERE id = $2', [
    due,
    made.id,
  ]);
  // What is due stays due, whatever else changes.
  expect(await change({ name: 'Old jobs of all kinds' })).toMatchObject({ next_run_at: due });
  expect(await change({ schedule: null })).toMatchObject({ schedule: null, next_run_at: null });

  const effect = (await service.call('POST', `${path}/dry-run`)).body;
  expect(effect).toEqual({ kind: 'job_prune', dry_run: true, count: 0, bytes: 0, names: [] });
  const run = await service.call('POST', `${path}/run`);
  expect(run.body).toMatchObject({
    ...{ type: 'maintenance_policy_run', state: 'queued', requested_by: 'key:the operator' },
    resource: { type: 'maintenance_policy', id: made.id },
  });
  // One that waits is as good as another one.
  expect((await service.call('POST', `${path}/run`)).body.id).toBe(run.body.id);
  expect((await service.call('GET', `${path}/runs`)).body.items).toMatchObject([{ id: run.body.id }]);
  expect((await service.call('GET', path)).body.last_run).toMatchObject({
    job_id: run.body.id,
    state: 'queued',
  });
  const { body: reported } = await service.call('GET', `/v1/audit?policy_id=${made.id}`);
  expect((reported.items as Body[]).map(({ action }) => action)).toEqual([
    ...['maintenance_policy.run', 'maintenance_policy.run'],
    ...Array.from({ length: 5 }, () => 'maintenance_policy.change'),
    'maintenance_policy.create',
  ]);
  expect((await service.call('DELETE', path)).status).toBe(204);
  for (const under of ['', '/runs']) expect((await service.call('GET', `${path}${under}`)).status).toBe(404);
});

test.each([
  [{ schedule: '0 4 * *' }, '/schedule'],
  [{ schedule: '@daily' }, '/schedule'],
  [{ schedule: '0 0 31 2 *' }, '/schedule'],
  [{ parameters: { max_file_bytes: 1 } }, '/parameters/max_file_bytes'],
  [{ parameters: { older_than_days: null } }, '/parameters/older_than_days'],
  [{ kind: 'audit_prune', parameters: { older_than_days: 29 } }, '/parameters/older_than_days'],
  [{ parameters: { tables: ['x'] } }, '/parameters/tables'],
  [{ kind: 'everything' }, '/kind'],
])('422: %j is refused and reported by %s', async (members, pointer) => {
  const { status, body } = await create({ name: 'wrong', kind: 'job_prune', ...members });
  expect(status).toBe(422);
  expect(body.errors).toMatchObject([{ pointer }]);
});

test('409: a name that another policy has, in whatever case', async () => {
  await service.make(POLICIES, { name: 'Name', kind: 'job_prune' });
  for (const name of ['Name', 'NAME']) expect((await create({ name, kind: 'job_prune' })).status).toBe(409);
});

describe('kinds of the machine', () => {
  test('403: other tenants have no policy of them, neither by changes nor by runs', async () => {
    const { status, body } = await create({ name: 'logs', kind: RUNS_OF_LOGS });
    expect({ status, code: body.code }).toEqual({ status: 403, code: 'home_tenant_only' });
    const { super_admin: admin } = service.tenant.keys;
    const made = await service.make(POLICIES, { name: 'logs', kind: RUNS_OF_LOGS }, admin);
    const ask = (method: string, under: string, key?: string, body?: object) =>
      service.call(method, `${POLICIES}/${made.id}${under}`, {
        ...(key === undefined ? {} : { key }),
        ...(body === undefined ? {} : { body }),
      });
    for (const answer of [
      await ask('POST', '/run'),
      await ask('POST', '/dry-run'),
      await ask('PATCH', '', undefined, { enabled: false }),
    ])
      expect(answer.body.code).toBe('home_tenant_only');
    expect((await ask('POST', '/dry-run', admin)).status).toBe(200);
  });
});

test('409: the hundred and first, also when two requests bring it together', async () => {
  const { operator: key } = service.other.keys;
  for (let n = 0; n < 99; n++) await service.make(POLICIES, { name: `policy ${n}`, kind: 'job_prune' }, key);
  const both = await Promise.all([1, 2].map((n) => create({ name: `last ${n}`, kind: 'job_prune' }, key)));
  expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
  expect(both.map(({ body }) => body.code)).toContain('quota_exceeded');
});
