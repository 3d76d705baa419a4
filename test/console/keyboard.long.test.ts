/** What somebody meets who has nothing but keys: the focus is always somewhere, and all of it is within reach. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { isFocused, press, tabTo } from './keyboard.ts';
import { editorOf, openRanges, type Ranges, untilFocused } from './ranges-scene.ts';

describe.skipIf(requireDaemon('chromium-headless-shell') === null)('keys alone', () => {
  let scene: Ranges['scene'];
  let moduleId: string;
  let otherId: string;
  beforeAll(async () => {
    ({ scene, moduleId, otherId } = await openRanges());
  });
  afterAll(() => scene?.close());

  const editor = () => editorOf(scene);
  const hasFocus = (selector: string) => untilFocused(scene, selector);

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

  test('a filter is left for its list by Escape once it is empty, by Enter and by an arrow', async () => {
    const { page } = scene;
    const grid = page.getByRole('grid', { name: 'Entries' });
    const filter = page.getByRole('searchbox');
    await scene.go(`modules/${moduleId}`);
    await grid.waitFor();
    await page.keyboard.type('f45.0.4');
    await page.waitForURL(/q=45\.0\.4/);
    await grid.getByText('45.0.2.0/24').waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    expect(await filter.inputValue()).toBe('');
    // At once, before the list has all of it again.
    await page.keyboard.press('Escape');
    await grid.getByText('45.0.2.0/24').waitFor();
    await waitFor(() => isFocused(grid), { what: 'the focus in the list' });
    for (const key of ['Enter', 'ArrowDown']) {
      await page.keyboard.press('f');
      await waitFor(() => isFocused(filter), { what: 'the focus in the filter' });
      await page.keyboard.press(key);
      await waitFor(() => isFocused(grid), { what: `the focus in the list after ${key}` });
    }
    await page.keyboard.type('gm');
    await page.getByRole('table', { name: 'Modules' }).getByRole('link', { name: 'ranges' }).waitFor();
    await page.keyboard.type('fothers');
    await page
      .getByRole('table', { name: 'Modules' })
      .getByRole('link', { name: 'ranges' })
      .waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await scene.heading(/^others/).waitFor();
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

  test('no page complained', () => expect(scene.complaints).toEqual([]));
});
