/** A tenant whose lists no router is to have is neither well nor unwell, and a session that is down says when it is tried next. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../daemons/programs.ts';
import { press } from './keyboard.ts';
import { openRanges, type Ranges } from './ranges-scene.ts';

/** Of documentation: nobody answers there. */
const NOWHERE = { address: '127.9.9.9', port: 1, remote_asn: 64_500 };

describe.skipIf(requireDaemon('chromium-headless-shell') === null)('a tenant without a router', () => {
  let scene: Ranges['scene'];
  beforeAll(async () => {
    ({ scene } = await openRanges());
  });
  afterAll(() => scene?.close());

  const attention = () => scene.page.locator('.attention');

  test('is not called as it should be, and leads to the next step', async () => {
    const { page } = scene;
    await scene.go('');
    await attention().getByRole('heading', { name: 'No router has these lists' }).waitFor();
    expect(await page.getByText('All is announced as it should be').count()).toBe(0);
    // No colour says that all is well, or that something is not.
    expect(await attention().getAttribute('class')).toBe('attention is-idle');
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    await press(page, attention().getByRole('link', { name: 'Add a router' }));
    await scene.heading('Peers').waitFor();
    await scene.button('New peer').first().waitFor();
  });

  test('has no green word among the tenants either', async () => {
    const { page, service } = scene;
    await scene.go('tenants');
    const state = page.getByRole('row').locator('.badge').getByText('active', { exact: true });
    await state.first().waitFor();
    expect(await state.first().getAttribute('class')).toBe('badge plain');
    await service.post('/v1/peers', { name: 'edge', ...NOWHERE });
    await page.reload();
    await page.locator('.badge.good').getByText('active', { exact: true }).waitFor();
    await scene.go('');
    await attention().getByText('Session down', { exact: true }).waitFor();
    expect(await page.getByText('No router has these lists').count()).toBe(0);
  });

  test('a session that is down says when it is tried next, on the board and on the page of the peer', async () => {
    const { page, service } = scene;
    const { items } = await service.get<{ items: { id: string }[] }>('/v1/peers');
    for (const path of ['sessions', `peers/${items[0]!.id}`]) {
      await scene.go(path);
      const table = page.getByRole('table', { name: 'Sessions' });
      await table.getByRole('columnheader', { name: 'Next try' }).waitFor();
      const next = table.locator('tbody time').getByText(/^(?:in \d+ (?:sec|min)|now)/);
      await next.first().waitFor();
      expect(await next.first().getAttribute('title')).toMatch(/\d{4}.*\d:\d\d/);
      expect(await scene.cutTables()).toEqual([]);
      expect(await scene.violations()).toEqual([]);
      await page.setViewportSize({ width: 1280, height: 844 });
    }
  });

  test('no page complained', () => expect(scene.complaints).toEqual([]));
});
