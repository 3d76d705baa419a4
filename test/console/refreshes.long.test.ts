/** Several lists are refreshed at once, and one of them fails: the message says so, and the overview since when its prefixes are. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../daemons/programs.ts';
import { addCdnModule, refresh, serve } from '../e2e/casting.ts';
import { press } from './keyboard.ts';
import { signIn } from './pages.ts';
import { Scene } from './scene.ts';
import { startEmptyWorld } from './world.ts';

describe.skipIf(requireDaemon('chromium-headless-shell') === null)('several refreshes', () => {
  let scene: Scene<Awaited<ReturnType<typeof startEmptyWorld>>>;

  beforeAll(async () => {
    scene = await Scene.open(await startEmptyWorld());
    const { casting } = scene.world;
    for (const [community, path, prefix] of [
      ['64500:1', '/one', '45.0.0.0/24'],
      ['64500:2', '/other', '45.0.2.0/24'],
    ] as const) {
      casting.sources.set(path, serve(prefix));
      const { moduleId } = await addCdnModule(casting, community, { path });
      await refresh(casting, moduleId);
    }
    await scene.page.goto(scene.base);
    await signIn(scene.page, scene.service.key);
  });
  afterAll(() => scene?.close());

  test('are followed by their message until all have ended', async () => {
    const { page } = scene;
    await scene.go('sources');
    await press(page, scene.button('Refresh 2 modules'));
    await page.getByText('2 of 2 refreshes have ended, and none failed.').waitFor();
  });

  test('that do not all work say how many failed', async () => {
    const { page, world } = scene;
    world.casting.sources.delete('/other');
    await press(page, scene.button('Refresh 2 modules'));
    const message = page.locator('.toast').filter({ hasText: '2 of 2 refreshes have ended, 1 failed:' });
    await message.getByRole('link', { name: 'module 64500:2' }).waitFor();
    expect(await scene.violations()).toEqual([]);
  });

  test('lead to a line of the overview that says since when the prefixes are', async () => {
    const { page } = scene;
    await scene.go('');
    const line = page.locator('.attention li').filter({ hasText: 'module 64500:2' });
    await line.getByText(/404.*Last read well .*\.$/).waitFor();
  });

  test('no page complained', () => expect(scene.complaints).toEqual([]));
});
