/** What somebody meets who has nothing but keys: nothing is lost without a question, and the focus is always somewhere. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { isFocused, press, tabTo } from './keyboard.ts';
import { signIn } from './pages.ts';
import { Scene } from './scene.ts';
import { startEmptyWorld } from './world.ts';

const CIDRS = ['45.0.0.0/24', '45.0.2.0/24', '45.0.4.0/24', '45.0.6.0/24'];

interface Entries {
  readonly items: readonly { readonly cidr: string }[];
}

describe.skipIf(requireDaemon('chromium-headless-shell') === null)('keys alone', () => {
  let scene: Scene<Awaited<ReturnType<typeof startEmptyWorld>>>;
  let moduleId: string;

  beforeAll(async () => {
    scene = await Scene.open(await startEmptyWorld());
    const { service } = scene;
    const community = await service.post<{ id: string }>('/v1/communities', {
      ...{ community: '64500:1', title: 'ranges' },
    });
    moduleId = (
      await service.post<{ id: string }>('/v1/modules', {
        ...{ name: 'ranges', type: 'IP_RANGES', community_id: community.id },
      })
    ).id;
    const items = CIDRS.map((cidr) => ({ cidr }));
    await service.post(`/v1/modules/${moduleId}/ip-range-entries`, { items });
    await service.succeeded(await service.post(`/v1/modules/${moduleId}/refresh`));
    await scene.page.goto(scene.base);
    await signIn(scene.page, service.key);
  });
  afterAll(() => scene?.close());

  const storedCidrs = async (): Promise<string[]> => {
    const { items } = await scene.service.get<Entries>(`/v1/modules/${moduleId}/ip-range-entries`);
    return items.map(({ cidr }) => cidr).sort();
  };
  const editor = () => scene.page.getByRole('textbox', { name: 'Entries as CSV' });
  const hasFocus = async (selector: string) => {
    const target = scene.page.locator(selector);
    await waitFor(() => isFocused(target), { what: `the focus on ${selector}` });
  };
  const writeInstead = async (text: string) => {
    await tabTo(scene.page, editor());
    await scene.page.keyboard.press('Control+a');
    await scene.page.keyboard.insertText(text);
  };

  test('a save that deletes entries asks first, with what it would withdraw', async () => {
    const { page } = scene;
    await scene.go(`modules/${moduleId}?tab=text`);
    await writeInstead(`cidr\n${CIDRS[0]}\n`);
    await page.keyboard.press('Control+s');
    const dialog = scene.dialog();
    await dialog.getByText('3 deleted').waitFor();
    await dialog.getByText('−3 withdrawn').first().waitFor();
    await scene.focusIsOnCancel();
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await waitFor(() => isFocused(editor()), { what: 'the focus in the text' });
    expect(await storedCidrs()).toEqual(CIDRS);
  });

  test('what was deleted comes back by the key that says so, and the text with it', async () => {
    const { page } = scene;
    await page.keyboard.press('Control+s');
    await press(page, scene.dialog().getByRole('button', { name: 'Save' }));
    await page.getByText('Saved: 0 new, 0 changed, 3 deleted.').waitFor();
    expect(await storedCidrs()).toEqual(CIDRS.slice(0, 1));
    await hasFocus('.entries-text-plan');
    await page.keyboard.press('z');
    await page.getByText('It is back as it was.').waitFor();
    await editor().getByText(CIDRS[3]!).waitFor();
    expect(await storedCidrs()).toEqual(CIDRS);
    // The text is what is stored: nothing is left to save, nor to merge.
    expect(await scene.button('Save').isDisabled()).toBe(true);
    await page.keyboard.press('Control+s');
    await page.getByText('There is nothing to save.').waitFor();
  });

  test('a save that only adds is made at once, also while its preview is under way', async () => {
    const { page } = scene;
    await tabTo(page, editor());
    await page.keyboard.press('Control+End');
    await page.keyboard.type('45.0.8.0/24,,true,,');
    await page.keyboard.press('Control+Enter');
    await page.keyboard.press('Control+s');
    await page.getByText('Saved: 1 new, 0 changed, 0 deleted.').waitFor();
    expect(await storedCidrs()).toEqual([...CIDRS, '45.0.8.0/24']);
  });

  test('text that is not saved is not left without a question', async () => {
    const { page } = scene;
    await tabTo(page, editor());
    await page.keyboard.press('Control+End');
    await page.keyboard.type('45.0.10.0/24,,true,,');
    await page.keyboard.press('Tab');
    await page.keyboard.type('go');
    const dialog = page.getByRole('dialog', { name: 'Not saved yet' });
    await waitFor(() => isFocused(dialog.getByRole('button', { name: 'Stay' })), { what: 'Stay' });
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await editor().getByText('45.0.10.0/24').waitFor();
    // Another part of the page loses it as well.
    await press(page, page.getByRole('link', { name: 'Settings', exact: true }).last());
    await press(page, dialog.getByRole('button', { name: 'Leave without saving' }));
    await page.getByRole('button', { name: 'Delete the module' }).waitFor();
    expect(await storedCidrs()).toEqual([...CIDRS, '45.0.8.0/24']);
  });

  test('the help lists keys with Ctrl, says how it closes, and closes by its own key', async () => {
    const { page } = scene;
    await scene.go(`modules/${moduleId}?tab=text`);
    await editor().waitFor();
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keyboard' });
    for (const said of ['Ctrl-Enter', 'Ctrl-S', 'Esc']) await help.getByText(said, { exact: true }).waitFor();
    await help.getByRole('button', { name: 'Close' }).waitFor();
    await page.keyboard.press('?');
    await help.waitFor({ state: 'detached' });
    await hasFocus('main');
  });

  test('Tab leads to the skip link first, and from there into the page', async () => {
    const { page } = scene;
    for (const path of ['revisions', 'keys', 'modules']) {
      await scene.go(path);
      await page.keyboard.press('Tab');
      await hasFocus('.skip');
      await page.keyboard.press('Enter');
      await page.keyboard.press('Tab');
      expect(await page.locator('main :focus').count(), path).toBe(1);
    }
  });

  test('who goes to another page goes on there, wherever the focus was', async () => {
    const { page } = scene;
    const navigation = page.getByRole('navigation', { name: 'Pages' });
    await scene.go('revisions');
    await press(page, navigation.getByRole('link', { name: 'Jobs' }));
    await scene.heading('Jobs').waitFor();
    await hasFocus('main');
    await tabTo(page, navigation.getByRole('link', { name: 'Audit log' }));
    await page.keyboard.type('gm');
    await scene.heading('Modules').waitFor();
    await hasFocus('main');
    await page.keyboard.press('/');
    await waitFor(() => isFocused(page.getByRole('combobox')), { what: 'the palette' });
    await page.keyboard.type('ranges');
    await page.getByRole('option', { name: 'ranges' }).waitFor();
    await page.keyboard.press('Enter');
    await scene.heading(/^ranges/).waitFor();
    await hasFocus('main');
    await page.keyboard.press('n');
    await scene.dialog().waitFor();
    await page.keyboard.press('Escape');
    await scene.dialog().waitFor({ state: 'detached' });
    await hasFocus('main');
    await page.keyboard.type('gl');
    await hasFocus('.lookup-form input');
    await page.keyboard.type('45.0.0.1');
    await page.keyboard.press('Enter');
    await page.locator('.lookup-answer').getByText('45.0.0.1').waitFor();
    await hasFocus('main');
  });

  test('no page complained', () => expect(scene.complaints).toEqual([]));
});
