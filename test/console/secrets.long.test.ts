/** A secret that is shown once stays until somebody says that it is stored: when the page is left, and when the session ends. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { isFocused, press, tabTo } from './keyboard.ts';
import { signIn } from './pages.ts';
import { Scene } from './scene.ts';
import { startEmptyWorld } from './world.ts';

describe.skipIf(requireDaemon('chromium-headless-shell') === null)('a secret that is shown once', () => {
  let scene: Scene<Awaited<ReturnType<typeof startEmptyWorld>>>;
  let own: { readonly id: string; readonly secret: string };

  beforeAll(async () => {
    scene = await Scene.open(await startEmptyWorld());
    own = await scene.service.post('/v1/api-keys', { name: 'mine', role: 'operator' });
    await scene.page.goto(scene.base);
    await signIn(scene.page, own.secret);
    for (const [key, title] of [
      ['m', 'Modules'],
      ['k', 'API keys'],
    ] as const) {
      await scene.page.keyboard.press('g');
      await scene.page.keyboard.press(key);
      await scene.heading(title).waitFor();
    }
  });
  afterAll(() => scene?.close());

  const window = (name: string) => scene.page.getByRole('dialog', { name: `The secret of ${name}` });
  const secretIn = async (name: string) =>
    (await window(name).locator('.command code').first().textContent())!;
  const question = () => scene.page.getByRole('dialog', { name: 'Not saved yet' });
  const create = async (name: string) => {
    await press(scene.page, scene.button('New key'));
    const field = scene.dialog().getByLabel('Name');
    await waitFor(() => isFocused(field), { what: 'the focus on the name' });
    await scene.page.keyboard.type(name);
    await scene.page.keyboard.press('Enter');
    await window(name).waitFor();
  };
  const store = async (name: string) => {
    await press(scene.page, window(name).getByRole('checkbox'), ' ');
    await press(scene.page, window(name).getByRole('button', { name: 'Close' }));
    await window(name).waitFor({ state: 'detached' });
  };
  const works = async (secret: string) =>
    (await fetch(`${scene.service.url}/v1/auth/session`, { headers: { authorization: `Bearer ${secret}` } }))
      .status;

  test('nobody is offered a key that may do more than their own', async () => {
    const { page } = scene;
    await press(page, scene.button('New key'));
    const roles = scene.dialog().getByLabel('Role').locator('option');
    expect((await roles.allTextContents()).map((role) => role.split(':')[0])).toEqual([
      ...['viewer', 'operator', 'node', 'firewall'],
    ]);
    await press(page, scene.dialog().getByRole('button', { name: 'Cancel' }));
    await scene.dialog().waitFor({ state: 'detached' });
    // Nor the end of one, which is refused.
    expect(
      await page
        .getByRole('row', { name: /super_admin/ })
        .getByRole('button')
        .count(),
    ).toBe(0);
  });

  test('who goes back, or elsewhere by the palette, is asked', async () => {
    const { page } = scene;
    await create('one');
    const secret = await secretIn('one');
    await page.keyboard.press('Escape');
    expect(await question().count()).toBe(0);
    await page.evaluate('history.back()');
    await question().getByText('The secret is lost when you leave').waitFor();
    await waitFor(() => isFocused(question().getByRole('button', { name: 'Stay' })), { what: 'Stay' });
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    await page.keyboard.press('Enter');
    await question().waitFor({ state: 'detached' });
    expect(await secretIn('one')).toBe(secret);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('overview');
    await page.getByRole('option', { name: 'Overview' }).first().waitFor();
    await page.keyboard.press('Enter');
    await waitFor(() => isFocused(question().getByRole('button', { name: 'Stay' })), { what: 'Stay' });
    await page.keyboard.press('Enter');
    await question().waitFor({ state: 'detached' });
    expect(await secretIn('one')).toBe(secret);
    // What it was opened from is gone with the palette: the focus is not behind the window.
    await waitFor(() => isFocused(window('one')), { what: 'the focus on the window' });
    await store('one');
    await scene.heading('API keys').waitFor();
  });

  test('it is there again after the session has ended under it', async () => {
    const { page, service } = scene;
    await create('two');
    const secret = await secretIn('two');
    await service.call('DELETE', `/v1/api-keys/${own.id}`);
    own = await service.post('/v1/api-keys', { name: 'mine again', role: 'operator' });
    const asking = page.getByRole('dialog', { name: 'Sign in' });
    await asking.getByText('Your session has ended: its API key was revoked.').waitFor();
    await tabTo(page, asking.getByLabel('API key'));
    await page.keyboard.type(own.secret);
    await page.keyboard.press('Enter');
    await asking.waitFor({ state: 'detached' });
    expect(await secretIn('two')).toBe(secret);
    await store('two');
  });

  test('who rotates the key of the session sees the new secret, and goes on', async () => {
    const { page, service } = scene;
    const row = page.getByRole('row', { name: /mine again/ });
    await row.getByText('this session').waitFor();
    await press(page, row.getByRole('button', { name: 'Revoke' }));
    await scene.dialog().getByText('this session ends, too').waitFor();
    await scene.dialog().getByText('It was used last').waitFor();
    await scene.dialog().getByText('It cannot be taken back').waitFor();
    await press(page, scene.dialog().getByRole('button', { name: 'Cancel' }));
    await press(page, row.getByRole('button', { name: 'Rotate' }));
    await scene.dialog().getByText('this session goes on with the new secret').waitFor();
    await press(page, scene.dialog().getByRole('button', { name: 'Rotate' }));
    await window('mine again').waitFor();
    const secret = await secretIn('mine again');
    expect(await works(own.secret)).toBe(401);
    expect(await works(secret)).toBe(200);
    // Nor does anybody have to sign in, and what others do is seen.
    await service.post('/v1/api-keys', { name: 'by somebody else', role: 'viewer' });
    await page.getByRole('row', { name: /by somebody else/, includeHidden: true }).waitFor();
    expect(await scene.dialog().count()).toBe(1);
    await store('mine again');
    await page.getByText('Live updates are interrupted').waitFor({ state: 'detached' });
    await page.getByText('mine again · operator').waitFor();
  });

  test('no page complained', () => expect(scene.complaints).toEqual([]));
});
