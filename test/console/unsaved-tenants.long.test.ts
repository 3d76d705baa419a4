/** Another key, or another tenant, takes away what is written only after a question; arrow keys look through tenants, and Enter goes there. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { isFocused, press, tabTo } from './keyboard.ts';
import { signIn } from './pages.ts';
import { Scene } from './scene.ts';
import { startEmptyWorld } from './world.ts';

describe.skipIf(requireDaemon('chromium-headless-shell') === null)('text that is not saved', () => {
  let scene: Scene<Awaited<ReturnType<typeof startEmptyWorld>>>;
  let moduleId: string;
  let otherKey: string;
  let line: string;
  let operator: { readonly id: string; readonly secret: string };

  beforeAll(async () => {
    scene = await Scene.open(await startEmptyWorld());
    const { service } = scene;
    ({ id: moduleId } = await service.post<{ id: string }>('/v1/modules', {
      ...{ name: 'ranges', type: 'IP_RANGES' },
    }));
    await service.post(`/v1/modules/${moduleId}/ip-range-entries`, { items: [{ cidr: '45.0.0.0/24' }] });
    // Before the one of the first tenant by its name.
    const { api_key } = await service.post<{ api_key: { secret: string } }>('/v1/tenants', {
      ...{ name: 'another', slug: 'another' },
    });
    otherKey = api_key.secret;
    operator = await service.post('/v1/api-keys', { name: 'of an operator', role: 'operator' });
    await scene.page.goto(scene.base);
    await signIn(scene.page, service.key);
  });
  afterAll(() => scene?.close());

  const editor = () => scene.page.getByRole('textbox', { name: 'Entries as CSV' });
  const question = () => scene.page.getByRole('dialog', { name: 'Not saved yet' });
  const tenants = () => scene.page.getByLabel('Tenant', { exact: true });
  const isStillThere = () => editor().getByText(line).waitFor();
  const write = async (cidr: string) => {
    line = `${cidr},,true,,`;
    await scene.go(`modules/${moduleId}?tab=text`);
    await tabTo(scene.page, editor());
    await scene.page.keyboard.press('Control+End');
    await scene.page.keyboard.type(line);
    await isStillThere();
  };
  const signInTo = async (key: string) => {
    await press(scene.page, scene.button('Another tenant'));
    await tabTo(scene.page, scene.page.getByLabel('API key'));
    await scene.page.keyboard.type(key);
    await scene.page.keyboard.press('Enter');
  };
  const stay = async () => {
    await waitFor(() => isFocused(question().getByRole('button', { name: 'Stay' })), { what: 'Stay' });
    await scene.page.keyboard.press('Enter');
    await question().waitFor({ state: 'detached' });
  };
  const isAtTheOverviewOf = async (name: string) => {
    const { page } = scene;
    await scene.heading('Overview').waitFor();
    expect(await tenants().locator(':checked').textContent()).toBe(name);
    expect(new URL(page.url()).pathname).toBe('/console/');
    await waitFor(() => isFocused(page.locator('#content')), { what: 'the focus on the page' });
    expect(await page.getByText('The resource does not exist').count()).toBe(0);
  };

  test('another key of the same tenant leaves it where it is', async () => {
    await write('45.0.2.0/24');
    await scene.page.getByText('1 new', { exact: true }).waitFor();
    await signInTo(operator.secret);
    await scene.page.getByText('of an operator · operator').waitFor();
    await isStillThere();
    expect(await scene.dialog().count()).toBe(0);
    await waitFor(() => isFocused(scene.button('Another tenant')), { what: 'the focus where it was' });
  });

  test('a key that may not save it says so, and one that may saves it', async () => {
    const { page, service } = scene;
    const viewer = await service.post<{ secret: string }>('/v1/api-keys', {
      ...{ name: 'of a viewer', role: 'viewer' },
    });
    await signInTo(viewer.secret);
    await page.getByText('Your key may not change lists').waitFor();
    await isStillThere();
    // Nor what would only be refused; what stood there stays, and the notice is a line above it.
    for (const name of ['Save', 'Preview']) expect(await scene.button(name).count()).toBe(0);
    await tabTo(page, editor());
    await page.keyboard.press('Control+Enter');
    const effect = page.getByRole('complementary', { name: 'What would change' });
    await effect.getByText('1 new', { exact: true }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    const notice = (await page.locator('.entries-text > .banner').boundingBox())!;
    const [text, beside] = [(await editor().boundingBox())!, (await effect.boundingBox())!];
    expect(notice.height).toBeLessThan(60);
    expect(notice.y + notice.height).toBeLessThan(text.y);
    expect(beside.x).toBeGreaterThan(text.x);
    await signInTo(operator.secret);
    await scene.button('Save').waitFor();
    await isStillThere();
    expect(await page.getByText('Your key may not change lists').count()).toBe(0);
  });

  test('the window that asks for a key has its way out in sight', async () => {
    await press(scene.page, scene.button('Another tenant'));
    await press(scene.page, scene.dialog().getByRole('button', { name: 'Cancel' }));
    await scene.dialog().waitFor({ state: 'detached' });
    await isStillThere();
  });

  test('a key of another tenant asks first, and who stays goes on', async () => {
    await signInTo(otherKey);
    await stay();
    await isStillThere();
    await press(scene.page, scene.button('Save'));
    await scene.page.getByText('Saved: 1 new, 0 changed, 0 deleted.').waitFor();
  });

  test('the choice of tenants changes nothing by an arrow key; Enter asks, and leads to the overview', async () => {
    const { page, service } = scene;
    const { name } = (await service.get<{ tenant: { name: string } }>('/v1/auth/session')).tenant;
    await write('45.0.4.0/24');
    // This tab learns of the other session when it is loaded at the latest.
    await tenants().waitFor();
    // A name is not cut: the choice is as wide as what is around it.
    expect((await tenants().boundingBox())!.width).toBeGreaterThan(150);
    await tabTo(page, tenants());
    await page.keyboard.press('ArrowUp');
    expect(await tenants().locator(':checked').textContent()).toBe('another');
    await scene.button('Switch').waitFor();
    await isStillThere();
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    // Who goes on without it stays where they are.
    await tabTo(page, scene.button('Sign out'));
    expect(await tenants().locator(':checked').textContent()).toBe(name);
    await page.keyboard.press('Escape');
    await scene.page.evaluate("document.querySelector('.skip').focus()");
    await tabTo(page, tenants());
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await stay();
    await isStillThere();
    await tabTo(page, tenants());
    await page.keyboard.press('ArrowUp');
    await press(page, scene.button('Switch'));
    await press(page, question().getByRole('button', { name: 'Leave without saving' }));
    await isAtTheOverviewOf('another');
    // And back, where nothing is lost and nobody is asked.
    await tabTo(page, tenants());
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await isAtTheOverviewOf(name);
  });

  test('where the session ends under it, the session of another tenant does not take its place', async () => {
    const { page, service } = scene;
    await write('45.0.6.0/24');
    await service.call('DELETE', `/v1/api-keys/${operator.id}`);
    const window = page.getByRole('dialog', { name: 'Sign in' });
    await window
      .getByText('Your session has ended: its API key was revoked. What you have written')
      .waitFor();
    // The key may do nothing now, which says nothing of what it could: the page is as it was.
    expect(await page.getByText('Your key may not change lists').count()).toBe(0);
    await page.locator('.entries-text-save').getByText('Save', { exact: true }).waitFor();
    await tabTo(page, window.getByLabel('API key'));
    await page.keyboard.type(otherKey.slice(0, 8));
    // Another tab that signs in or out has the session asked for once more; what is typed stays meanwhile.
    const asked = page.waitForResponse((response) => response.url().endsWith('/v1/auth/session'));
    await page.evaluate("new BroadcastChannel('prefixcast-session').postMessage('changed')");
    expect((await asked).status()).toBe(401);
    await page.keyboard.type(otherKey.slice(8));
    expect(await window.getByLabel('API key').inputValue()).toBe(otherKey);
    const cookies = await scene.context.cookies();
    await page.keyboard.press('Enter');
    // The field says whose key it is, and has the focus; nobody is signed in to that tenant.
    await window.getByText('This key is of the tenant another, and what you have written is of').waitFor();
    await waitFor(() => isFocused(window.getByLabel('API key')), { what: 'the focus on the key' });
    expect(await question().count()).toBe(0);
    expect(await scene.context.cookies()).toEqual(cookies);
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    // Whoever has no key of the tenant leaves after a question.
    await press(page, window.getByRole('button', { name: 'Leave without saving' }));
    await stay();
    await tabTo(page, window.getByLabel('API key'));
    await page.keyboard.press('Control+a');
    await page.keyboard.type(service.key);
    await page.keyboard.press('Enter');
    await window.waitFor({ state: 'detached' });
    await isStillThere();
    // Whoever goes on sees again what others do.
    await page.getByText('Live updates are interrupted').waitFor({ state: 'detached' });
    await service.post(`/v1/modules/${moduleId}/ip-range-entries`, { items: [{ cidr: '45.0.8.0/24' }] });
    await page.getByText('3 entries', { exact: true }).waitFor();
    await isStillThere();
  });

  test('no page complained', () => expect(scene.complaints).toEqual([]));
});
