/** Feeds that draw on modules: what these contributed to the revision that is applied, and no more. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { measureEffect } from '../../../src/control/previews/effect.ts';
import type { TestService } from '../service.ts';
import { FeedScene } from './feed-scene.ts';

let scene: FeedScene;
let service: TestService;
let drop: string;
let allow: string;
beforeAll(async () => {
  scene = await FeedScene.start();
  ({ service } = scene);
  drop = await newModule('drop', { community_id: scene.community }, [
    '9.1.0.0/24',
    '9.2.0.0/24',
    '2a00:1::/32',
  ]);
  allow = await newModule('allow', { community_id: scene.other }, ['9.1.1.0/24', '9.7.0.0/24']);
  await newModule('never', { purpose: 'exclude' }, ['9.2.0.128/25']);
});
afterAll(() => service.close());

async function newModule(name: string, more: object, cidrs: readonly string[]): Promise<string> {
  const { id } = await service.make('/v1/modules', { name, type: 'IP_RANGES', ...more });
  const items = cidrs.map((cidr) => ({ cidr }));
  const { status, text } = await service.call('POST', `/v1/modules/${id}/ip-range-entries`, {
    body: { items },
  });
  expect(status, text).toBe(201);
  return id;
}

/** Builds the revision of what was edited, as the job does, and has it applied. */
async function applyAll(): Promise<void> {
  const { tenant, database, dependencies } = service;
  const context = { queue: dependencies.queue, secrets: dependencies.secrets, actor: 'key:the operator' };
  await database.db.inTenant(tenant.id, (tx) => measureEffect(tx, context, () => Promise.resolve()));
  const { body } = await service.call('GET', '/v1/revisions/latest');
  await database.admin(
    'UPDATE speaker SET applied_revision_id = $2, applied_at = clock_timestamp() WHERE id = $1',
    [scene.speaker, body.id],
  );
}

test('one has its own prefixes, without what others take out of them, and those of another as well when both are named', async () => {
  await applyAll();
  const one = await scene.newFeed({ module_ids: [drop] });
  const both = await scene.newFeed({ module_ids: [drop, allow] });
  const mixed = await scene.newFeed({ module_ids: [drop], community_ids: [scene.other], families: ['ipv4'] });
  await scene.expectLines(one, ['9.1.0.0/24', '9.2.0.0/25', '2a00:1::/32']);
  await scene.expectLines(both, ['9.1.0.0/23', '9.2.0.0/25', '9.7.0.0/24', '2a00:1::/32']);
  await scene.expectLines(mixed, ['9.1.0.0/23', '9.2.0.0/25', '9.7.0.0/24']);
});

test('what is added to its module comes with the revision that is applied, and not before', async () => {
  const feed = await scene.newFeed({ module_ids: [allow] });
  await scene.expectLines(feed, ['9.1.1.0/24', '9.7.0.0/24']);
  await service.make(`/v1/modules/${allow}/ip-range-entries`, { cidr: '9.9.9.0/24' });
  expect(String((await scene.fetchFeed(feed.name, feed.token)).bytes)).toBe('9.1.1.0/24\n9.7.0.0/24\n');
  await applyAll();
  await scene.expectLines(feed, ['9.1.1.0/24', '9.7.0.0/24', '9.9.9.0/24']);
});

test('a module that is disabled leaves it empty; one that nobody has is refused, and so is deleting one that is in use', async () => {
  const feed = await scene.newFeed({ module_ids: [allow] });
  await scene.expectLines(feed, ['9.1.1.0/24', '9.7.0.0/24', '9.9.9.0/24']);
  await service.call('PATCH', `/v1/modules/${allow}`, { body: { enabled: false } });
  await applyAll();
  await scene.expectLines(feed, []);
  const nobody = { name: 'nobodys', module_ids: ['0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77'] };
  expect(await service.call('POST', '/v1/feeds', { body: nobody })).toMatchObject({
    ...{ status: 422, body: { errors: [{ pointer: '/module_ids/0' }] } },
  });
  expect(await service.call('DELETE', `/v1/modules/${allow}`)).toMatchObject({
    ...{ status: 409, body: { code: 'in_use' } },
  });
});
