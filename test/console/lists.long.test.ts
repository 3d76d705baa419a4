/** Lists that are longer than a page: what is filtered and sorted is the list, and not what was read of it; and who hears them knows the columns. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { press, tabTo } from './keyboard.ts';
import { signIn } from './pages.ts';
import { Scene } from './scene.ts';
import { startEmptyWorld } from './world.ts';

/** More than the first page of a list has. */
const MANY = 130;

describe.skipIf(requireDaemon('chromium-headless-shell') === null)('long lists', () => {
  let scene: Scene<Awaited<ReturnType<typeof startEmptyWorld>>>;
  let firstId: string;
  let oftenId: string;

  const makeModule = async (name: string, cidrs: readonly string[]): Promise<string> => {
    const { service } = scene;
    const { id } = await service.post<{ id: string }>('/v1/modules', { name, type: 'IP_RANGES' });
    await service.post(`/v1/modules/${id}/ip-range-entries`, { items: cidrs.map((cidr) => ({ cidr })) });
    return id;
  };
  const rows = (list: string) => scene.page.getByRole('table', { name: list }).locator('tbody tr:not(.gap)');
  const more = () => scene.button('Show more');

  beforeAll(async () => {
    scene = await Scene.open(await startEmptyWorld());
    const { service } = scene;
    await service.call('PATCH', '/v1/settings', { auto_revision: null });
    firstId = await makeModule('first', ['45.0.0.0/24']);
    await service.succeeded(await service.post(`/v1/modules/${firstId}/refresh`));
    oftenId = await makeModule('often', ['46.0.0.0/24', '46.0.2.0/24', '46.1.0.0/24']);
    // Refreshes of different lists share a revision.
    const { answers } = await service.post<{ answers: { body: { id: string } }[] }>('/v1/changes', {
      changes: Array.from({ length: MANY }, (_, at) => ({
        ...{ method: 'POST', path: '/v1/modules' },
        body: { name: `one of many ${at}`, type: 'IP_RANGES' },
      })),
    });
    const jobs: { id: string }[] = [];
    for (const { id } of answers.map(({ body }) => body))
      jobs.push(await service.post(`/v1/modules/${id}/refresh`));
    for (const job of jobs) await service.succeeded(job);
    await service.post(`/v1/modules/${oftenId}/ip-range-entries`, { items: [{ cidr: '46.3.0.0/24' }] });
    await service.succeeded(await service.post(`/v1/modules/${oftenId}/refresh`));
    await scene.page.goto(scene.base);
    await signIn(scene.page, service.key);
  });
  afterAll(() => scene?.close());

  test('a filter finds what is older than the rows that were read', async () => {
    const { page } = scene;
    await scene.go('jobs');
    await more().waitFor();
    await tabTo(page, page.getByLabel('Filter: Jobs'));
    await page.keyboard.type('first');
    await rows('Jobs').first().waitFor();
    await more().waitFor({ state: 'detached' });
    await waitFor(async () => (await page.getByText('The rest of the list').count()) === 0, {
      what: 'all to be read',
    });
    const found = await rows('Jobs').count();
    expect(found).toBeGreaterThan(0);
    expect(await rows('Jobs').filter({ hasText: 'first' }).count()).toBe(found);
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
  });

  test('the oldest come first from the service, without reading all that is between', async () => {
    const { page, service } = scene;
    const { items } = await service.get<{ items: { action: string }[] }>('/v1/audit?sort=at&limit=1');
    for (const [path, list, heading, oldest] of [
      ['audit', 'Audit log', 'When', items[0]!.action],
      ['jobs', 'Jobs', 'Queued', 'first'],
      ['revisions', 'Revisions', 'Revision', '1'],
    ] as const) {
      await scene.go(path);
      await rows(list).first().waitFor();
      const isLong = (await more().count()) > 0;
      expect(isLong || list === 'Revisions', list).toBe(true);
      await press(page, page.getByRole('table', { name: list }).getByRole('button', { name: heading }));
      await rows(list).first().filter({ hasText: oldest }).waitFor();
      expect((await more().count()) > 0, list).toBe(isLong);
      // The address says it.
      await page.reload();
      await rows(list).first().filter({ hasText: oldest }).waitFor();
    }
  });

  test('by what the service does not sort, the list is read whole first', async () => {
    const { page, service } = scene;
    const { items } = await service.get<{ items: unknown[] }>('/v1/jobs?limit=500');
    await scene.go('jobs');
    await more().waitFor();
    const table = page.getByRole('table', { name: 'Jobs' });
    await press(page, table.getByRole('button', { name: 'About' }));
    await more().waitFor({ state: 'detached' });
    expect(await table.getAttribute('aria-rowcount')).toBe(String(items.length + 1));
  });

  test('what a filter does not cover is said', async () => {
    const { page } = scene;
    await page.route('**/v1/jobs?*cursor=*', (route) =>
      route.fulfill({
        ...{ status: 503, contentType: 'application/problem+json', headers: { 'retry-after': '30' } },
        body: JSON.stringify({ title: 'Unavailable', status: 503, code: 'unavailable', detail: 'Away.' }),
      }),
    );
    await scene.go('jobs?find=nothing%20of%20this');
    await page.getByText('There are more than the 100 rows that are filtered and sorted here.').waitFor();
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    await page.unroute('**/v1/jobs?*cursor=*');
    await press(page, more());
    await more().waitFor({ state: 'detached' });
  });

  test('grids of entries and of differences have columns for who hears them, and rows that are counted', async () => {
    const { page } = scene;
    const grid = page.getByRole('grid');
    const columns = () => grid.getByRole('columnheader').allInnerTexts();
    await scene.go(`modules/${oftenId}`);
    await grid.getByRole('row').nth(3).waitFor();
    expect(await columns()).toEqual(['Prefix or address', 'State', 'Communities, end and note']);
    expect(await grid.getAttribute('aria-rowcount')).toBe('5');
    await scene.go(`modules/${oftenId}?q=46.0.`);
    await page.getByText('2 entries have this').waitFor();
    expect(await grid.getAttribute('aria-rowcount')).toBe('3');
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    await scene.go('compare/1...latest');
    await grid.getByRole('row').nth(1).waitFor();
    expect(await columns()).toEqual(['Change', 'Route', 'Communities']);
    expect(Number(await grid.getAttribute('aria-rowcount'))).toBe(await grid.getByRole('row').count());
    expect(await grid.getByRole('row').nth(1).getAttribute('aria-rowindex')).toBe('2');
    expect(await scene.violations()).toEqual([]);
  });

  test('no page complained', () => expect(scene.complaints).toEqual([]));
});
