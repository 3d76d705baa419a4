/** A freeze with its reason by keys alone. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { isFocused, press, tabTo } from './keyboard.ts';
import { signIn } from './pages.ts';
import { Scene } from './scene.ts';
import { startEmptyWorld } from './world.ts';

const REASON = 'DC2 is moved / all night';

describe.skipIf(requireDaemon('chromium-headless-shell') === null)('settings by keys', () => {
  let scene: Scene<Awaited<ReturnType<typeof startEmptyWorld>>>;

  beforeAll(async () => {
    scene = await Scene.open(await startEmptyWorld());
    await scene.page.goto(scene.base);
    await signIn(scene.page, scene.service.key);
  });
  afterAll(() => scene?.close());

  const box = () => scene.page.getByRole('checkbox', { name: 'deploy_freeze' });

  test('keys of the page work while a box has the focus', async () => {
    const { page } = scene;
    await scene.go('settings?q=deploy_freeze');
    await tabTo(page, box());
    await page.keyboard.press('?');
    await scene.dialog().getByText('Settings', { exact: false }).first().waitFor();
    await page.keyboard.press('Escape');
    await scene.dialog().waitFor({ state: 'detached' });
    await waitFor(() => isFocused(box()), { what: 'the focus on the box' });
  });

  test('behind the freeze is its reason', async () => {
    const { page } = scene;
    await page.keyboard.press(' ');
    await page.keyboard.press('Tab');
    await page.keyboard.type(REASON);
    expect(await page.getByRole('textbox', { name: 'deploy_freeze_reason' }).inputValue()).toBe(REASON);
    expect(await box().isChecked()).toBe(true);
    await press(page, scene.button('Preview and save'));
    await press(page, scene.dialog().getByRole('button', { name: 'Save' }));
    await scene.dialog().waitFor({ state: 'detached' });
  });

  test('no page complained', () => expect(scene.complaints).toEqual([]));
});
