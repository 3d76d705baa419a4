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
  let otherId: string;

  const makeModule = async (name: string, cidrs: readonly string[]): Promise<string> => {
    const { service } = scene;
    const { items: communities } = await service.get<{ items: { id: string }[] }>('/v1/communities');
    const community_id = communities[0]?.id ?? (await makeCommunity());
    const { id } = await service.post<{ id: string }>('/v1/modules', {
      ...{ name, type: 'IP_RANGES', community_id },
    });
    const items = cidrs.map((cidr) => ({ cidr }));
    await service.post(`/v1/modules/${id}/ip-range-entries`, { items });
    await refresh(id);
    return id;
  };
  const makeCommunity = async (): Promise<string> => {
    const made = { community: '64500:1', title: 'ranges' };
    return (await scene.service.post<{ id: string }>('/v1/communities', made)).id;
  };
  const refresh = async (id: string) =>
    scene.service.succeeded(await scene.service.post(`/v1/modules/${id}/refresh`));

  beforeAll(async () => {
    scene = await Scene.open(await startEmptyWorld());
    const { service } = scene;
    moduleId = await makeModule('ranges', CIDRS);
    otherId = await makeModule('others', ['46.0.0.0/24']);
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

  test('prefixes alone are refused with what to write, and completed by a button', async () => {
    const { page } = scene;
    await tabTo(page, editor());
    await page.keyboard.press('Control+End');
    await page.keyboard.insertText('45.0.12.0/24\n45.0.14.0/24\n');
    await page.getByText('45.0.12.0/24,,,,', { exact: true }).waitFor();
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    await press(page, scene.button('Complete 2 lines with empty cells'));
    await page.getByText('2 new', { exact: true }).waitFor();
    await waitFor(() => isFocused(editor()), { what: 'the focus in the text' });
    await press(page, scene.button('Start again'));
    await page.getByText('The text is what is stored.').waitFor();
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

  test('what stands in a form is not left without a question: in settings, in a window, and in a module', async () => {
    const { page, service } = scene;
    const question = page.getByRole('dialog', { name: 'Not saved yet' });
    const stays = async () => {
      await waitFor(() => isFocused(question.getByRole('button', { name: 'Stay' })), { what: 'Stay' });
      await page.keyboard.press('Enter');
      await question.waitFor({ state: 'detached' });
    };
    await scene.go('settings?q=deploy_freeze');
    await press(page, page.getByRole('checkbox', { name: /deploy_freeze/ }), 'Space');
    // What somebody else changes meanwhile takes nothing of it away.
    await service.call('PATCH', '/v1/settings', { removed_retention_days: 77 });
    await tabTo(page, page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Jobs' }));
    await page.keyboard.press('Enter');
    await stays();
    await page.getByText('1 change is not saved').waitFor();
    await press(page, scene.button('Discard'));
    await page.keyboard.type('gm');
    await scene.heading('Modules').waitFor();
    // A window: Escape asks, Cancel says what it does.
    await press(page, scene.button('New module'));
    const form = page.getByRole('dialog', { name: 'New module' });
    await tabTo(page, form.getByLabel('Name', { exact: true }));
    await page.keyboard.type('half of it');
    await page.keyboard.press('Escape');
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    await stays();
    expect(await form.getByLabel('Name', { exact: true }).inputValue()).toBe('half of it');
    await press(page, form.getByRole('button', { name: 'Cancel' }));
    await form.waitFor({ state: 'detached' });
    // A form that stays on its page has nothing unsaved once it is saved.
    await scene.go(`modules/${otherId}?tab=settings`);
    const description = page.getByLabel('Description');
    await tabTo(page, description);
    await page.keyboard.type('said');
    await press(page, scene.button('Save'));
    await page.getByText('Saved.', { exact: true }).waitFor();
    await tabTo(page, description);
    await page.keyboard.type(', and more');
    await press(page, page.getByRole('link', { name: 'Entries', exact: true }));
    await stays();
    expect(await description.inputValue()).toBe('said, and more');
    // The word of the first time goes by itself, at a time that nobody chose.
    await page.getByText('Saved.', { exact: true }).waitFor({ state: 'detached' });
    await press(page, scene.button('Save'));
    await page.getByText('Saved.', { exact: true }).waitFor();
    await press(page, page.getByRole('link', { name: 'Entries', exact: true }));
    await page.getByRole('grid').waitFor();
    expect(await service.get(`/v1/modules/${otherId}`)).toMatchObject({ description: 'said, and more' });
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
    await page.getByRole('option', { name: 'ranges module' }).waitFor();
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

  test('what an action takes away leaves the focus where it was', async () => {
    const { page } = scene;
    await scene.go('audit');
    await tabTo(page, page.getByRole('search').getByRole('searchbox'));
    await page.keyboard.type('module');
    await page.keyboard.press('Enter');
    await page.waitForURL(/q=module/);
    await waitFor(async () => (await page.locator('main:focus, main :focus').count()) === 1, {
      what: 'the focus in the page',
    });
    await scene.go(`modules/${otherId}?tab=text`);
    await tabTo(page, editor());
    await page.keyboard.press('Control+End');
    await page.keyboard.type('46.0.1.0/24,,true,,');
    await press(page, scene.button('Save'));
    await page.getByText('Saved: 1 new').waitFor();
    await hasFocus('.entries-text-save');
  });

  test('what is typed while the page of a lookup is on its way is looked up', async () => {
    const { page } = scene;
    const come = Promise.withResolvers<void>();
    await page.route('**/LookupPage-*.js', async (route) => {
      await come.promise;
      await route.continue();
    });
    await scene.go('revisions');
    await page.keyboard.type('gl45.0.0.1');
    await page.keyboard.press('Enter');
    come.resolve();
    await page.locator('.lookup-answer').getByText('45.0.0.1').waitFor();
    await page.unroute('**/LookupPage-*.js');
  });

  test('what is copied is said, and its button is called by what it is', async () => {
    const { page } = scene;
    await scene.context.grantPermissions(['clipboard-write']);
    await press(page, scene.button('Copy 45.0.0.1'));
    await page.getByRole('status').getByText('Copied', { exact: true }).waitFor();
    await scene.go('keys');
    await press(page, scene.button('New key'));
    await tabTo(page, scene.dialog().getByLabel('Name'));
    await page.keyboard.type('night');
    await press(page, scene.dialog().getByRole('button', { name: 'Create' }));
    await scene.button('Copy the secret').waitFor();
    expect(await page.getByRole('button', { name: /pc_/ }).count()).toBe(0);
    await press(page, scene.dialog().getByRole('checkbox'), 'Space');
    await press(page, scene.dialog().getByRole('button', { name: 'Close' }));
  });

  test('rows of a table are walked by j and k, and lead on by Enter', async () => {
    const { page } = scene;
    await scene.go('modules');
    const focused = page.locator('main td a:focus');
    await page.keyboard.press('j');
    const first = await focused.textContent();
    await page.keyboard.press('j');
    const second = await focused.textContent();
    expect([first, second].sort()).toEqual(['others', 'ranges']);
    await page.keyboard.press('k');
    expect(await focused.textContent()).toBe(first);
    await page.keyboard.press('Enter');
    await scene.heading(new RegExp(`^${first!}`)).waitFor();
  });

  test('a map that a key opens has the focus', async () => {
    const { page } = scene;
    await scene.go('compare/1...latest');
    await page.keyboard.press('m');
    const map = page.getByRole('application');
    await waitFor(() => isFocused(map), { what: 'the focus in the map' });
    await scene.go('revisions/latest');
    await page.keyboard.press('m');
    await waitFor(() => isFocused(map), { what: 'the focus in the map of a revision' });
  });

  test('the menu of a narrow window is closed by Escape', async () => {
    const { page } = scene;
    await page.setViewportSize({ width: 390, height: 844 });
    const menu = scene.button('Menu');
    await press(page, menu);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Escape');
    expect(await menu.getAttribute('aria-expanded')).toBe('false');
    expect(await isFocused(menu)).toBe(true);
    await page.setViewportSize({ width: 1280, height: 844 });
  });

  test('an edit that ends a rollback says so with figures, and holds of other lists are no matter of it', async () => {
    const { page, service } = scene;
    for (const id of [moduleId, otherId]) {
      await service.post(`/v1/modules/${id}/ip-range-entries`, {
        cidr: id === otherId ? '46.0.2.0/24' : '45.0.16.0/24',
      });
      await refresh(id);
    }
    await service.post('/v1/revisions/2/rollback');
    await scene.go(`modules/${moduleId}?tab=text`);
    await tabTo(page, editor());
    await page.keyboard.press('Control+End');
    await page.keyboard.type('45.0.18.0/24,,true,,');
    await page.keyboard.press('Control+s');
    const dialog = scene.dialog();
    const ended = dialog.getByText('This ends the rollback of ranges');
    await ended.getByText('+2 announced').waitFor();
    await dialog.getByText('Held before, and still held then: others').waitFor();
    expect(await dialog.getByText('These modules would be held').count()).toBe(0);
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    await page.keyboard.press('Escape');
    await press(page, scene.button('Start again'));
  });

  test('a preview that nobody answered comes by itself once somebody does', async () => {
    const { page, world } = scene;
    await tabTo(page, editor());
    await page.keyboard.press('Control+End');
    await world.casting.service.stop();
    await page.keyboard.type('45.0.20.0/24,,true,,');
    await page.getByRole('alert').getByText('The service cannot be reached').waitFor();
    await world.casting.restart();
    await page.getByText('1 new', { exact: true }).waitFor();
    await press(page, scene.button('Start again'));
  });

  test('no page complained', () => expect(scene.complaints).toEqual([]));
});
