/** What is written, by keys alone: it is saved with a question where that takes something away, and lost by nothing but an answer to one. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { isFocused, press, tabTo } from './keyboard.ts';
import { CIDRS, editorOf, openRanges, type Ranges, refreshModule, untilFocused } from './ranges-scene.ts';

interface Entries {
  readonly items: readonly { readonly id: string; readonly cidr: string }[];
}

describe.skipIf(requireDaemon('chromium-headless-shell') === null)('what is written', () => {
  let scene: Ranges['scene'];
  let moduleId: string;
  let otherId: string;
  beforeAll(async () => {
    ({ scene, moduleId, otherId } = await openRanges());
  });
  afterAll(() => scene?.close());

  const editor = () => editorOf(scene);
  const hasFocus = (selector: string) => untilFocused(scene, selector);
  const storedCidrs = async (): Promise<string[]> => {
    const { items } = await scene.service.get<Entries>(`/v1/modules/${moduleId}/ip-range-entries`);
    return items.map(({ cidr }) => cidr).sort();
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
    await page.getByText('0 changed ones are as before, 3 deleted ones are back.').waitFor();
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

  test('a save that is asked for while another one ends is made after it', async () => {
    const { page } = scene;
    const before = await storedCidrs();
    const [stored, mayGoOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await page.route('**/entries.csv*', async (route) => {
      if (route.request().method() === 'GET') return route.continue();
      const response = await route.fetch();
      stored.resolve();
      await mayGoOn.promise;
      return route.fulfill({ response });
    });
    await tabTo(page, editor());
    await page.keyboard.press('Control+End');
    await page.keyboard.type('45.0.24.0/24,,true,,\n');
    await page.keyboard.press('Control+s');
    await stored.promise;
    await page.keyboard.type('45.0.26.0/24,,true,,');
    await page.keyboard.press('Control+s');
    mayGoOn.resolve();
    await waitFor(async () => (await storedCidrs()).length === before.length + 2, {
      what: 'the second save',
    });
    await page.getByText('Saved: 1 new, 0 changed, 0 deleted.').nth(1).waitFor();
    await waitFor(() => scene.button('Save').isDisabled(), { what: 'nothing to be left to save' });
    await page.unrouteAll();
    const path = `/v1/modules/${moduleId}/ip-range-entries`;
    const { items } = await scene.service.get<Entries>(path);
    for (const { id, cidr } of items)
      if (!before.includes(cidr)) await scene.service.call('DELETE', `${path}/${id}`);
    await scene.go(`modules/${moduleId}?tab=text`);
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

  test('prefixes with a note are completed by the same button', async () => {
    const { page } = scene;
    await tabTo(page, editor());
    await page.keyboard.press('Control+End');
    await page.keyboard.insertText('45.0.12.0/24,the office\n45.0.14.0/24,"Bonn, DC2"\n45.0.16.0/24\n');
    await press(page, scene.button('Complete 3 lines with empty cells'));
    await page.getByText('3 new', { exact: true }).waitFor();
    await editor().getByText('45.0.14.0/24,"Bonn, DC2",,,', { exact: true }).waitFor();
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

  test('an edit that ends a rollback says so with figures, and holds of other lists are no matter of it', async () => {
    const { page, service } = scene;
    for (const id of [moduleId, otherId]) {
      await service.post(`/v1/modules/${id}/ip-range-entries`, {
        cidr: id === otherId ? '46.0.2.0/24' : '45.0.16.0/24',
      });
      await refreshModule(scene, id);
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

  test('a save that nobody answered is looked for once somebody does, and what became of it is said', async () => {
    const { page, world } = scene;
    await tabTo(page, editor());
    await page.keyboard.press('Control+End');
    await page.keyboard.type('45.0.22.0/24,,true,,');
    await page.getByText('1 new', { exact: true }).waitFor();
    await world.casting.service.stop();
    await page.keyboard.press('Control+s');
    await page.getByText('Nobody knows whether this was done').waitFor();
    await world.casting.restart();
    await page.getByText('The service is back, and nothing was saved').waitFor();
    await page.getByText('1 new', { exact: true }).waitFor();
    expect(await page.getByText('Nobody knows whether this was done').count()).toBe(0);
    await press(page, scene.button('Start again'));
  });

  test('no page complained', () => expect(scene.complaints).toEqual([]));
});
