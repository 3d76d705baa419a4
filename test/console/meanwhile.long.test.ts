/** What others do while somebody looks: what was deleted, added again or pruned is said, and no window stays above another page. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { isFocused, press, tabTo } from './keyboard.ts';
import { signIn } from './pages.ts';
import { Scene } from './scene.ts';
import { startEmptyWorld } from './world.ts';

interface Entry {
  readonly id: string;
  readonly cidr: string;
}

describe.skipIf(requireDaemon('chromium-headless-shell') === null)('what others do meanwhile', () => {
  let scene: Scene<Awaited<ReturnType<typeof startEmptyWorld>>>;
  let moduleId: string;

  beforeAll(async () => {
    scene = await Scene.open(await startEmptyWorld());
    const { service, page, base } = scene;
    ({ id: moduleId } = await service.post<{ id: string }>('/v1/modules', {
      ...{ name: 'ranges', type: 'IP_RANGES' },
    }));
    await add('45.0.0.0/24', '45.0.1.0/24', '45.0.2.0/24', '45.0.3.0/24', '45.0.4.0/24');
    await page.goto(base);
    await signIn(page, service.key);
  });
  afterAll(() => scene?.close());

  const path = () => `/v1/modules/${moduleId}/ip-range-entries`;
  const add = (...cidrs: string[]) => scene.service.post(path(), { items: cidrs.map((cidr) => ({ cidr })) });
  const entries = async () =>
    (await scene.service.get<{ items: Entry[] }>(`${path()}?sort=name`)).items.map(({ cidr }) => cidr);
  const remove = async (cidr: string) => {
    const { items } = await scene.service.get<{ items: Entry[] }>(path());
    await scene.service.call('DELETE', `${path()}/${items.find((one) => one.cidr === cidr)!.id}`);
  };
  const grid = () => scene.page.getByRole('grid', { name: 'Entries' });
  const keys = async (...pressed: string[]) => {
    for (const key of pressed) await scene.page.keyboard.press(key);
  };
  const goToEntries = async () => {
    await scene.visit(`modules/${moduleId}?order=name`);
    await tabTo(scene.page, grid());
  };

  test('whoever selects the first row goes on to the second', async () => {
    await goToEntries();
    await keys('x', 'j', 'x');
    await scene.page.getByText('2 selected', { exact: true }).waitFor();
    await keys('x', 'k', 'x');
    await scene.page.getByText('5 of 5 entries loaded').waitFor();
  });

  test('a window about several entries goes on with those that are left, and says so', async () => {
    const { page } = scene;
    await goToEntries();
    await keys('x', 'j', 'x', 'j', 'x', 'Delete');
    await page.getByRole('dialog', { name: 'Delete 3 entries' }).waitFor();
    await remove('45.0.1.0/24');
    const left = page.getByRole('dialog', { name: 'Delete 2 entries' });
    await left.getByText('1 more is not in this list any more').waitFor();
    await left.getByText('45.0.0.0/24, 45.0.2.0/24').waitFor();
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    await keys('Escape');
    await scene.dialog().waitFor({ state: 'detached' });
    await page.getByText('2 selected', { exact: true }).waitFor();
    await keys('Delete');
    await press(page, left.getByRole('button', { name: 'Delete' }));
    await page.getByText('2 entries were deleted.').waitFor();
    expect(await entries()).toEqual(['45.0.3.0/24', '45.0.4.0/24']);
  });

  test('an entry that somebody else has added again is not said to be as it was', async () => {
    const { page } = scene;
    await add('45.0.0.0/24');
    await page.getByText('3 of 3 entries loaded').waitFor();
    await keys('z');
    await page.getByText('1 entry is back. 1 had been added again').waitFor();
    expect(await page.getByText('It is back as it was.').count()).toBe(0);
    expect(await entries()).toEqual(['45.0.0.0/24', '45.0.2.0/24', '45.0.3.0/24', '45.0.4.0/24']);
  });

  test('a window that is opened by a key does not stay above another page', async () => {
    const { page } = scene;
    for (const [open, title] of [
      ['Control+k', 'Look up an address, or go to a page'],
      ['?', 'Keyboard'],
    ] as const) {
      await keys('g', 'm');
      await scene.heading('Modules').waitFor();
      await keys('g', 'p');
      await scene.heading('Peers').waitFor();
      await keys(open);
      await page.getByRole('dialog', { name: title }).waitFor();
      await page.evaluate('history.back()');
      await scene.heading('Modules').waitFor();
      await scene.dialog().waitFor({ state: 'detached' });
      await waitFor(() => isFocused(page.locator('#content')), { what: 'the focus on the page' });
    }
  });

  test('a revision that is pruned while its page is open is offered no more', async () => {
    const { page, service } = scene;
    const build = async (): Promise<number> => {
      await service.succeeded(await service.post('/v1/revisions'));
      return (await service.get<{ number: number }>('/v1/revisions/latest')).number;
    };
    const old = await build();
    await add('45.0.9.0/24');
    expect(await build()).toBeGreaterThan(old);
    const other = await scene.context.newPage();
    await other.goto(`${scene.base}compare/latest...${old}`);
    await other.getByText(/^Routes that differ/).waitFor();
    await scene.visit(`revisions/${old}`);
    await scene.button('Roll back to this').waitFor();
    const policy = await service.post<{ id: string }>('/v1/maintenance/policies', {
      ...{ name: 'all old ones', kind: 'revision_prune', enabled: false, parameters: { older_than_days: 0 } },
    });
    // The latest one is never pruned.
    await service.call('POST', `/v1/maintenance/policies/${policy.id}/run`);
    await page.getByText('The resource does not exist').waitFor();
    expect(await scene.button('Roll back to this').count()).toBe(0);
    await other.getByText('The resource does not exist').waitFor();
    expect(await other.getByRole('button', { name: /^Apply/ }).count()).toBe(0);
    await other.close();
  });

  test('no page complained', () => expect(scene.complaints).toEqual([]));
});
