/** Who signs in again under something that is not saved keeps it: a key that could not save it is refused, or what is said of it is true. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { isFocused, press, tabTo } from './keyboard.ts';
import { signIn } from './pages.ts';
import { Scene } from './scene.ts';
import { startEmptyWorld } from './world.ts';

interface Key {
  readonly id: string;
  readonly secret: string;
}

describe.skipIf(requireDaemon('chromium-headless-shell') === null)('a key that may do less', () => {
  let scene: Scene<Awaited<ReturnType<typeof startEmptyWorld>>>;
  let peerId: string;
  let operator: Key;
  let viewer: Key;

  beforeAll(async () => {
    scene = await Scene.open(await startEmptyWorld());
    const { service } = scene;
    ({ id: peerId } = await service.post<{ id: string }>('/v1/peers', {
      ...{ name: 'edge1', address: '192.0.2.1', remote_asn: 64_500, enabled: false },
    }));
    operator = await service.post<Key>('/v1/api-keys', { name: 'of an operator', role: 'operator' });
    viewer = await service.post<Key>('/v1/api-keys', { name: 'of a viewer', role: 'viewer' });
    await scene.page.goto(scene.base);
    await signIn(scene.page, operator.secret);
  });
  afterAll(() => scene?.close());

  test('a form keeps what is written, and the window says that the key may not save it', async () => {
    const { page, service } = scene;
    await scene.visit(`peers/${peerId}`);
    await press(page, scene.button('Edit'));
    const description = scene.dialog().getByLabel('Description', { exact: true });
    await tabTo(page, description);
    await page.keyboard.type('by hand');
    await service.call('DELETE', `/v1/api-keys/${operator.id}`);
    const asking = page.getByRole('dialog', { name: 'Sign in' });
    await asking.getByText('What you have written is still here').waitFor();
    const key = asking.getByLabel('API key');
    await tabTo(page, key);
    const cookies = await scene.context.cookies();
    await page.keyboard.type(viewer.secret);
    await page.keyboard.press('Enter');
    await asking
      .getByText('This key has the role viewer, which may not save what you have written.')
      .waitFor();
    await waitFor(() => isFocused(key), { what: 'the focus on the key' });
    expect(await scene.context.cookies()).toEqual(cookies);
    operator = await service.post<Key>('/v1/api-keys', { name: 'another', role: 'operator' });
    await page.keyboard.press('Control+a');
    await page.keyboard.type(operator.secret);
    await page.keyboard.press('Enter');
    await asking.waitFor({ state: 'detached' });
    expect(await description.inputValue()).toBe('by hand');
    await press(page, scene.dialog().getByRole('button', { name: 'Save' }));
    await page.getByText('by hand').waitFor();
  });

  test('settings with something that is not saved are not said to be as they are', async () => {
    const { page } = scene;
    await scene.visit('settings');
    const setting = page.getByLabel('guard_max_change_percent', { exact: true });
    await tabTo(page, setting);
    await page.keyboard.press('Control+a');
    await page.keyboard.type('77');
    await press(page, scene.button('Another tenant'));
    await tabTo(page, page.getByLabel('API key'));
    await page.keyboard.type(viewer.secret);
    await page.keyboard.press('Enter');
    await page.getByText('of a viewer · viewer').waitFor();
    await page.getByText('so what is written here cannot be saved with it').waitFor();
    expect(await page.getByText('it is shown as it is').count()).toBe(0);
    expect(await setting.inputValue()).toBe('77');
    await scene.go('settings');
    await page.getByText('it is shown as it is').waitFor();
    expect(await setting.inputValue()).toBe('30');
  });

  test('no page complained', () => expect(scene.complaints).toEqual([]));
});
