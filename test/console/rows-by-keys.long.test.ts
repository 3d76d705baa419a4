/** Rows by keys alone: Enter after `j` opens what the row is about, and does nothing to it; `f` goes into the search of every list. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { isFocused, press } from './keyboard.ts';
import { signIn } from './pages.ts';
import { Scene } from './scene.ts';
import { startEmptyWorld } from './world.ts';

describe.skipIf(requireDaemon('chromium-headless-shell') === null)('rows by keys', () => {
  let scene: Scene<Awaited<ReturnType<typeof startEmptyWorld>>>;

  beforeAll(async () => {
    scene = await Scene.open(await startEmptyWorld());
    const { service } = scene;
    await service.post('/v1/communities', { community: '64500:7', title: 'ours' });
    await service.post('/v1/modules', { name: 'ranges', type: 'IP_RANGES' });
    await service.post('/v1/feeds', { name: 'drop' });
    await service.post('/v1/doh-profiles', { name: 'own', url: 'https://198.51.100.9/dns-query' });
    await service.post('/v1/maintenance/policies', {
      name: 'old records',
      kind: 'audit_prune',
      enabled: false,
    });
    await service.post('/v1/firewall/rules', { name: 'block', cidrs: ['198.51.100.0/24'], enabled: false });
    await scene.page.goto(scene.base);
    await signIn(scene.page, service.key);
  });
  afterAll(() => scene?.close());

  test.each([
    ['communities', 'Communities', 'Change 64500:7'],
    ['feeds', 'Feeds', 'Change drop'],
    ['resolvers', 'Resolvers', 'Change own'],
    ['keys', 'API keys', 'Change bootstrap'],
    ['tenants', 'Tenants', 'Change Default'],
    ['maintenance', 'Maintenance', 'Change old records'],
    ['firewall', 'Rules', 'Change block'],
  ])('Enter opens the form of a row of /%s', async (path, table, title) => {
    const { page } = scene;
    await scene.go(path);
    await page.getByRole('table', { name: table, exact: true }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await scene.dialog().getByRole('heading', { name: title, exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await scene.dialog().waitFor({ state: 'detached' });
  });

  test('the form of an API key changes its name and its end, and not what it may do', async () => {
    const { page, service } = scene;
    const { id } = await service.post<{ id: string }>('/v1/api-keys', { name: 'zoe', role: 'viewer' });
    await scene.go('keys?find=zoe');
    await page.getByRole('row').filter({ hasText: 'zoe' }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    const name = scene.dialog().getByLabel('Name');
    await waitFor(() => isFocused(name), { what: 'the focus in the first field' });
    expect(await scene.dialog().getByLabel('Role').count()).toBe(0);
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    await page.keyboard.press('Control+A');
    await page.keyboard.type('zoa');
    await page.keyboard.press('Enter');
    await scene.dialog().waitFor({ state: 'detached' });
    const { items } = await service.get<{ items: { id: string; name: string }[] }>('/v1/api-keys');
    expect(items.find((key) => key.id === id)?.name).toBe('zoa');
  });

  test('a row that leads nowhere has the focus itself: no button of it is pressed by accident', async () => {
    const { page, service, world } = scene;
    const { secret } = await service.post<{ secret: string }>('/v1/api-keys', {
      name: 'reader',
      role: 'viewer',
    });
    const context = await world.browser.newContext({ viewport: { width: 1280, height: 844 } });
    const other = await context.newPage();
    await other.goto(`${scene.base}feeds`);
    await signIn(other, secret);
    const row = other.getByRole('row').filter({ hasText: 'drop' });
    await row.waitFor();
    await other.keyboard.press('j');
    await waitFor(() => isFocused(row), { what: 'the focus on the row' });
    await context.close();
    expect(await page.title()).not.toBe('');
  });

  test.each([
    ['audit', 'Search the log'],
    ['settings', 'Search the settings'],
    ['modules', 'Filter: Modules'],
  ])('f goes into the search of /%s, and the list of keys has it', async (path, label) => {
    const { page } = scene;
    await scene.go(path);
    await page.keyboard.press('?');
    const here = scene.dialog().locator('section').filter({ hasText: 'On this page' });
    await here.locator('kbd').getByText('f', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await scene.dialog().waitFor({ state: 'detached' });
    await page.keyboard.press('f');
    const field = page.getByLabel(label);
    await waitFor(() => isFocused(field), { what: `the focus in ${label}` });
  });

  test('what is typed after f in the audit log is searched for', async () => {
    const { page } = scene;
    await scene.go('audit');
    await page.keyboard.press('f');
    await page.keyboard.type('ours');
    await waitFor(() => page.url().includes('q=ours'), { what: 'the search in the address' });
    // Until the answer is there, the page shows what it had.
    await page.getByRole('row').filter({ hasText: 'feed.create' }).waitFor({ state: 'detached' });
    await page.getByRole('row').filter({ hasText: 'community.create' }).waitFor();
  });

  test('n enrolls a host on the tab of hosts', async () => {
    const { page } = scene;
    await scene.go('firewall?tab=clients');
    await scene.button('Enroll a host').waitFor();
    await page.keyboard.press('n');
    const copy = page.locator('.command .copy').first();
    await waitFor(() => isFocused(copy), { what: 'the focus on the command' });
    await press(page, page.getByRole('link', { name: 'Hosts' }));
  });

  test('no page complained', () => expect(scene.complaints).toEqual([]));
});
