/** What a key may not do is not offered: neither a button, nor a field, nor a page. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../daemons/programs.ts';
import { isFocused, tabTo } from './keyboard.ts';
import { signIn } from './pages.ts';
import { Scene } from './scene.ts';
import { startEmptyWorld } from './world.ts';

describe.skipIf(requireDaemon('chromium-headless-shell') === null)('a viewer', () => {
  let scene: Scene<Awaited<ReturnType<typeof startEmptyWorld>>>;
  let moduleId: string;
  let speakerId: string;

  beforeAll(async () => {
    scene = await Scene.open(await startEmptyWorld());
    const { service } = scene;
    ({ id: moduleId } = await service.post<{ id: string }>('/v1/modules', {
      ...{ name: 'ranges', type: 'IP_RANGES' },
    }));
    await service.post(`/v1/modules/${moduleId}/ip-range-entries`, { cidr: '45.0.0.0/24' });
    ({ id: speakerId } = await service.post<{ id: string }>('/v1/speakers', {
      ...{ name: 'edge-7', mode: 'agent', daemon: 'bird', local_asn: 64_512 },
    }));
    const { secret } = await service.post<{ secret: string }>('/v1/api-keys', {
      ...{ name: 'eve', role: 'viewer' },
    });
    await scene.page.goto(scene.base);
    await signIn(scene.page, secret);
  });
  afterAll(() => scene?.close());

  const mayNot = () => scene.page.getByText('Your key may not change this: it is shown as it is.');

  test('sees settings that stay as they are, and why', async () => {
    await scene.go('settings');
    await mayNot().waitFor();
    expect(await scene.page.getByRole('checkbox', { name: 'guard_allow_default_route' }).isDisabled()).toBe(
      true,
    );
    expect(await scene.page.locator('form.settings :enabled').count()).toBe(0);
    expect(await scene.violations()).toEqual([]);
  });

  test('is offered neither a change of a module nor its deletion', async () => {
    await scene.go(`modules/${moduleId}?tab=settings`);
    await mayNot().waitFor();
    expect(await scene.page.getByLabel('Name', { exact: true }).isDisabled()).toBe(true);
    expect(await scene.button('Save').isVisible()).toBe(false);
    expect(await scene.button('Delete the module').count()).toBe(0);
    expect(await scene.violations()).toEqual([]);
  });

  test('reads the text of entries, which says that it is not to be written', async () => {
    const { page } = scene;
    await scene.go(`modules/${moduleId}?tab=text`);
    await page.getByText('Your key may not change lists: it can be read, searched').waitFor();
    expect(await page.getByText('Drop a CSV file here').count()).toBe(0);
    expect(await page.getByText('Open a file').isVisible()).toBe(false);
    expect(await page.getByLabel('The text', { exact: true }).isVisible()).toBe(false);
    expect(await scene.button('Save as a file').isVisible()).toBe(true);
  });

  test('is offered no exclusion of what a lookup finds', async () => {
    const { page, service } = scene;
    await service.succeeded(await service.post('/v1/revisions'));
    await scene.go('lookup?q=45.0.0.1');
    await page.locator('.lookup-answer .chain').getByText('ranges').first().waitFor();
    expect(await scene.button('Exclude it').count()).toBe(0);
    await page.keyboard.press('x');
    expect(await scene.dialog().count()).toBe(0);
  });

  test('is not led to a command that enrolls a node', async () => {
    const { page } = scene;
    for (const path of ['', 'lookup?q=45.0.0.1', 'sessions']) {
      await scene.go(path);
      await page.locator('main').getByRole('link', { name: 'edge-7' }).first().waitFor();
      expect(await page.getByText('Make the command that enrolls it').count()).toBe(0);
    }
    for (const path of ['nodes/new', `nodes/new?speaker=${speakerId}`]) {
      await scene.go(path);
      await page.getByText('Your key may not enroll nodes.').waitFor();
      expect(await page.getByRole('button', { name: /^Make/ }).count()).toBe(0);
    }
  });

  test('finds in the palette and behind `g` the pages that the navigation has', async () => {
    const { page } = scene;
    await scene.go('modules');
    for (const letter of ['k', 't', 'b']) {
      await page.keyboard.press('g');
      await page.keyboard.press(letter);
    }
    await page.keyboard.press('/');
    const field = scene.dialog().getByRole('combobox');
    await field.waitFor();
    expect(page.url()).toMatch(/\/modules$/);
    for (const name of ['API keys', 'Tenants', 'Webhooks', 'Freeze applies']) {
      await field.fill(name);
      await scene.dialog().getByText('Nothing has this name.').waitFor();
    }
    await field.fill('Audit');
    await scene
      .dialog()
      .getByRole('option', { name: /Audit log/ })
      .waitFor();
    await page.keyboard.press('Escape');
    await tabTo(page, page.getByRole('link', { name: 'Settings' }));
    expect(await isFocused(page.getByRole('link', { name: 'Settings' }))).toBe(true);
  });

  test('no page complained', () => expect(scene.complaints).toEqual([]));
});
