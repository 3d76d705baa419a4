/** What a dry run says would be announced and withdrawn, held against what then happens. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../service.ts';
import { build, dry, makeList } from './dry-runs.ts';

let service: TestService;
let list: string;
beforeAll(async () => {
  service = await startService();
  list = await makeList(service);
});
afterAll(() => service?.close());

test('a range that is added is announced, with its community, before anybody has it', async () => {
  const effect = await dry(service, 'POST', list, { cidr: '8.8.8.0/24' });
  expect(effect).toMatchObject({
    revision: { state: 'ready', prefix_count: { ipv4: 1, ipv6: 0 }, findings: [] },
    summary: { announced: 1, withdrawn: 0, changed: 0 },
    items: [{ prefix: '8.8.8.0/24', change: 'announced', communities_after: [{ community: '65000:7' }] }],
    has_more: false,
  });
  expect((await service.call('GET', '/v1/revisions')).body.items).toEqual([]);
  expect((await service.call('GET', list)).body.items).toEqual([]);
});

test('an entry with several communities is announced with all of them, in place of that of its module', async () => {
  const ids: string[] = [];
  for (const community of ['65000:71', 'blackhole'])
    ids.push((await service.make('/v1/communities', { community, title: community })).id);
  const { items } = await dry(service, 'POST', list, {
    items: [{ cidr: '8.8.9.0/24', community_ids: ids }, { cidr: '9.9.9.0/24' }],
  });
  expect(
    items.map(({ prefix, communities_after: after }) => [prefix, after?.map(({ community }) => community)]),
  ).toEqual([
    ['8.8.9.0/24', ['65000:71', 'blackhole']],
    ['9.9.9.0/24', ['65000:7']],
  ]);
});

test('what is deleted is withdrawn, relative to the latest revision', async () => {
  const { id } = await service.make(list, { cidr: '8.8.8.0/24' });
  await service.make(list, { cidr: '9.9.9.0/24' });
  await build(service);
  expect((await service.call('GET', '/v1/revisions')).body.items).toHaveLength(1);
  const effect = await dry(service, 'DELETE', `${list}/${id}`);
  expect(effect.summary).toEqual({ announced: 0, withdrawn: 1, changed: 0 });
  expect(effect.items).toMatchObject([{ prefix: '8.8.8.0/24', change: 'withdrawn' }]);
  expect(effect.other_changes).toBe(0);
});

test('a guardrail that would be broken is reported', async () => {
  const effect = await dry(service, 'POST', list, { cidr: '32.0.0.0/3' });
  expect(effect.applied_by_itself).toBe(false);
  const held = effect.revision!.quarantined.flatMap(({ findings }) => findings);
  const codes = [...effect.revision!.findings, ...held].map(({ code }) => code);
  expect(codes).toContain('prefix_too_short');
});

test('what announces nothing has no effect', async () => {
  expect(await dry(service, 'POST', '/v1/api-keys', { name: 'k', role: 'viewer' })).toMatchObject({
    revision: null,
    summary: { announced: 0, withdrawn: 0, changed: 0 },
    speakers: [],
  });
});
