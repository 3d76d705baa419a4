/** A freeze with its reason by keys alone, and who finds it in the audit log. */
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
  const search = () => scene.page.getByRole('searchbox', { name: 'Search the log' });

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

  test('the audit log finds it by the name of the setting, while one types', async () => {
    const { page } = scene;
    await scene.go('audit');
    await tabTo(page, search());
    await page.keyboard.type('deploy_freeze');
    const row = page.getByRole('row').filter({ hasText: 'settings.change' });
    await row.getByText('deploy_freeze, deploy_freeze_reason').waitFor();
    await waitFor(() => Promise.resolve(page.url().includes('q=deploy_freeze')), { what: 'the address' });
    expect(await isFocused(search())).toBe(true);
    // Had it lost the focus, these would lead to another page.
    await page.keyboard.type('gh');
    await page.getByText('Nothing was found').waitFor();
    await page.getByText('and not at values such as a reason').waitFor();
    expect(await search().inputValue()).toBe('deploy_freezegh');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Backspace');
    await row.waitFor();
    // Enter goes on to the list, as from the filter of every table, where letters are keys again.
    await page.keyboard.press('Enter');
    await page.keyboard.press('j');
    await waitFor(async () => !(await isFocused(search())), { what: 'the focus in the list' });
    expect(await search().inputValue()).toBe('deploy_freeze');
    expect(page.url()).toContain('q=deploy_freeze');
    expect(await scene.violations()).toEqual([]);
  });

  test('its record has a row for each setting, in words', async () => {
    const { page } = scene;
    await press(page, page.getByRole('row').getByRole('button', { name: 'Show' }).first());
    const rowOf = (name: string) =>
      scene
        .dialog()
        .getByRole('row')
        .filter({ has: page.getByText(name, { exact: true }) });
    expect(await rowOf('deploy_freeze').textContent()).toMatch(/no.*yes/);
    expect(await rowOf('deploy_freeze_reason').textContent()).toContain(REASON);
    expect(await scene.dialog().getByText('{').count()).toBe(0);
    expect(await scene.violations()).toEqual([]);
  });

  test('a guardrail below what is announced is saved with what it will hold in sight', async () => {
    const { page, service } = scene;
    const { id } = await service.post<{ id: string }>('/v1/modules', { name: 'ours', type: 'IP_RANGES' });
    await service.post(`/v1/modules/${id}/ip-range-entries`, {
      items: ['61.0.0.0/24', '61.0.2.0/24'].map((cidr) => ({ cidr })),
    });
    await service.succeeded(await service.post('/v1/revisions'));
    await scene.go('settings?q=guard_max_prefixes');
    await tabTo(page, page.getByRole('spinbutton', { name: 'guard_max_prefixes' }));
    await page.keyboard.press('Control+a');
    await page.keyboard.type('1');
    await press(page, scene.button('Preview and save'));
    const dialog = scene.dialog();
    await dialog
      .getByText('What is announced stays, and whatever changes it next is held, be it an edit or a refresh:')
      .waitFor();
    await dialog.getByText('max_prefixes_exceeded').waitFor();
    await dialog.getByText('The revision has 2 prefixes, and').waitFor();
    await scene.focusIsOnCancel();
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await press(page, scene.button('Discard'));
  });

  test('without auto_revision, nothing is said to come by itself', async () => {
    const { page, service } = scene;
    const { id } = await service.post<{ id: string }>('/v1/communities', {
      ...{ community: '64500:7', title: 'ours' },
    });
    const preview = async (words: string): Promise<void> => {
      await scene.go('settings?q=default_community_id');
      await tabTo(page, page.getByRole('combobox', { name: 'default_community_id' }));
      await page.keyboard.type('64500:7');
      await press(page, scene.button('Preview and save'));
      await scene.dialog().getByText(words).waitFor();
      await page.keyboard.press('Escape');
      await scene.dialog().waitFor({ state: 'detached' });
      await press(page, scene.button('Discard'));
    };
    await preview('It would not come by itself (auto_revision is off)');
    await service.call('PATCH', '/v1/settings', { auto_revision: null, deploy_freeze: false });
    await preview('It would be applied by itself.');
    await service.call('DELETE', `/v1/communities/${id}`);
    await service.call('PATCH', '/v1/settings', { auto_revision: false });
  });

  test('no page complained', () => expect(scene.complaints).toEqual([]));
});
