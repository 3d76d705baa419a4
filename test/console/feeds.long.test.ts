/** A feed that cannot be made says why, and what to do, where it is listed; its row follows what comes of it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { press } from './keyboard.ts';
import { signIn } from './pages.ts';
import { Scene } from './scene.ts';
import { startEmptyWorld } from './world.ts';

const CIDRS = ['61.0.0.0/24', '61.0.2.0/24', '61.0.4.0/24'];

describe.skipIf(requireDaemon('chromium-headless-shell') === null)('feeds', () => {
  let scene: Scene<Awaited<ReturnType<typeof startEmptyWorld>>>;
  let feed: { readonly id: string; readonly path: string; readonly token: string };

  const fetched = async (): Promise<number> => {
    const answer = await fetch(`${scene.service.url}${feed.path}?token=${feed.token}`);
    await answer.text();
    return answer.status;
  };
  const row = () => scene.page.getByRole('row').filter({ hasText: 'drop' });

  beforeAll(async () => {
    scene = await Scene.open(await startEmptyWorld());
    const { service } = scene;
    await service.call('PATCH', '/v1/settings', { auto_revision: null });
    const { id: community_id } = await service.post<{ id: string }>('/v1/communities', {
      ...{ community: '64500:7', title: 'ours' },
    });
    const { id } = await service.post<{ id: string }>('/v1/modules', {
      ...{ name: 'list', type: 'IP_RANGES', community_id },
    });
    await service.post(`/v1/modules/${id}/ip-range-entries`, { items: CIDRS.map((cidr) => ({ cidr })) });
    const applied = () => service.get<{ prefix_count: { ipv4: number } }>('/v1/revisions/applied');
    await waitFor(async () => (await applied().catch(() => null))?.prefix_count.ipv4 === CIDRS.length, {
      what: 'the revision to be applied',
    });
    feed = await service.post('/v1/feeds', { name: 'drop', max_prefixes: 2 });
    await scene.page.goto(scene.base);
    await signIn(scene.page, service.key);
  });
  afterAll(() => scene?.close());

  test('one that has too many prefixes says so, with the names of its form', async () => {
    const { page } = scene;
    await scene.go('feeds');
    await row().getByText('never', { exact: true }).first().waitFor();
    // A source is read; a feed is fetched.
    await row().getByText('not fetched yet', { exact: true }).waitFor();
    expect(await page.getByRole('columnheader', { name: 'Why not' }).count()).toBe(0);
    expect(await fetched()).toBe(503);
    await row().getByText('failed', { exact: true }).waitFor();
    await row()
      .getByText('The feed would have 3 IPv4 prefixes, and the limit “Prefixes of a family at most” is 2.')
      .waitFor();
    expect(await row().innerText()).not.toMatch(/max_prefixes|when_too_many/);
    expect(await scene.violations()).toEqual([]);
    expect(await scene.cutTables()).toEqual([]);
  });

  test('and its row changes by itself once it is made', async () => {
    const { page } = scene;
    await press(page, row().getByRole('button', { name: 'Edit' }));
    const limit = scene.dialog().getByLabel('Prefixes of a family at most');
    await limit.fill('3');
    await press(page, scene.dialog().getByRole('button', { name: 'Save' }));
    await scene.dialog().waitFor({ state: 'detached' });
    await waitFor(async () => (await fetched()) === 200, { what: 'the feed' });
    await row().getByText('ok', { exact: true }).waitFor();
    await row().getByText('ago').waitFor();
    expect(await page.getByRole('columnheader', { name: 'Why not' }).count()).toBe(0);
  });

  test('no page complained', () => expect(scene.complaints).toEqual([]));
});
