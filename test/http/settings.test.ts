import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from './service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

test('200: a setting that nobody set has its default, and every setting is described', async () => {
  const { keys } = service.tenant;
  const { body } = await service.call('GET', '/v1/settings', { key: keys.viewer });
  expect(body.settings).toEqual({
    default_community_id: null,
    auto_apply: true,
    guard_bogons: 'drop',
    guard_no_export: true,
    revision_retention_minutes: 43_200,
  });
  const known = body.known as { key: string; description: string }[];
  expect(known.map(({ key }) => key)).toEqual(Object.keys(body.settings as object));
});

test('200: null puts a setting back to its default, and other tenants see nothing of it', async () => {
  const { tenant: one, other } = service;
  const change = (body: object) => service.call('PATCH', '/v1/settings', { key: one.keys.operator, body });
  expect((await change({ guard_bogons: 'allow', auto_apply: false })).body.settings).toMatchObject({
    guard_bogons: 'allow',
    auto_apply: false,
  });
  expect((await change({ guard_bogons: null })).body.settings).toMatchObject({
    guard_bogons: 'drop',
    auto_apply: false,
  });
  const seen = await service.call('GET', '/v1/settings', { key: other.keys.operator });
  expect(seen.body.settings).toMatchObject({ auto_apply: true });
});

test.each([
  [{ guard_bogons: 'sometimes' }, '/guard_bogons'],
  [{ auto_apply: 'yes' }, '/auto_apply'],
  [{ revision_retention_minutes: 0 }, '/revision_retention_minutes'],
  [{ guard_bogon: 'drop' }, '/guard_bogon'],
  [{ default_community_id: '01900000-0000-7000-8000-000000000000' }, '/default_community_id'],
])('422: %j is refused and told by %s', async (body, pointer) => {
  const { keys } = service.tenant;
  const answer = await service.call('PATCH', '/v1/settings', { key: keys.operator, body });
  expect(answer.status).toBe(422);
  expect(answer.body.errors).toMatchObject([{ pointer }]);
});
