/** A message in the corner of a page stays as long as the work that it is about, and says how that ended. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../daemons/programs.ts';
import { addCdnModule, serve } from '../e2e/casting.ts';
import { press, tabTo } from './keyboard.ts';
import { signIn } from './pages.ts';
import { Scene } from './scene.ts';
import { startEmptyWorld } from './world.ts';

const LIST = serve('45.0.0.0/24');

describe.skipIf(requireDaemon('chromium-headless-shell') === null)('the message about a refresh', () => {
  let scene: Scene<Awaited<ReturnType<typeof startEmptyWorld>>>;
  let moduleId: string;
  const isRead = Promise.withResolvers<void>();

  beforeAll(async () => {
    scene = await Scene.open(await startEmptyWorld());
    const { casting } = scene.world;
    casting.sources.set('/list', (request, response) => {
      void isRead.promise.then(() => LIST(request, response));
    });
    ({ moduleId } = await addCdnModule(casting, '64500:1', { path: '/list' }));
    await scene.page.goto(scene.base);
    await signIn(scene.page, scene.service.key);
  });
  afterAll(() => scene?.close());

  const messages = () => scene.page.locator('.toast').filter({ hasText: 'Its job' });

  test('stays while it goes on, when others have gone', async () => {
    const { page } = scene;
    await scene.go(`modules/${moduleId}?tab=settings`);
    await press(page, scene.button('Refresh'));
    await messages().getByText('in progress', { exact: true }).waitFor();
    await tabTo(page, page.getByLabel('Description'));
    await page.keyboard.type('slow');
    await press(page, scene.button('Save'));
    const saved = page.locator('.toast').getByText('Saved.', { exact: true });
    await saved.waitFor();
    await saved.waitFor({ state: 'detached' });
    expect(await messages().getByText('in progress', { exact: true }).count()).toBe(1);
  });

  test('gives its place to that of the next refresh of the module', async () => {
    const { page } = scene;
    const first = await messages().getByRole('link').getAttribute('href');
    await press(page, scene.button('Refresh'));
    await messages().getByText('The refresh is queued.').or(messages().getByText('in progress')).waitFor();
    await page.locator(`.toast a[href="${first}"]`).waitFor({ state: 'detached' });
    expect(await messages().count()).toBe(1);
  });

  test('says how it ended, and goes then', async () => {
    isRead.resolve();
    await messages().getByText('done', { exact: true }).waitFor();
    expect(await scene.violations()).toEqual([]);
    await messages().waitFor({ state: 'detached' });
  });

  test('no page complained', () => expect(scene.complaints).toEqual([]));
});
