/** A form that is sent takes no keys until there is an answer: what is stored is what was planned, and what the window about it showed. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Locator } from 'playwright-core';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { isFocused, press, tabTo } from './keyboard.ts';
import { openRanges, type Ranges } from './ranges-scene.ts';

describe.skipIf(requireDaemon('chromium-headless-shell') === null)('a form that is sent', () => {
  let scene: Ranges['scene'];
  let moduleId: string;
  beforeAll(async () => {
    ({ scene, moduleId } = await openRanges());
  });
  afterAll(() => scene?.close());

  const dialog = (name: string) => scene.page.getByRole('dialog', { name });
  const entries = () => `/v1/modules/${moduleId}/ip-range-entries`;
  const cidrs = async (): Promise<string[]> => {
    const { items } = await scene.service.get<{ items: { cidr: string }[] }>(entries());
    return items.map(({ cidr }) => cidr);
  };
  /** Keeps plans until they are let go, as a service that is busy does. */
  const holdPlans = async () => {
    const [asked, mayGoOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await scene.page.route('**/v1/revisions/plan', async (route) => {
      asked.resolve();
      await mayGoOn.promise;
      await route.continue();
    });
    return {
      asked: asked.promise,
      letGo() {
        // Further plans go on at once. Without the route, a script that comes meanwhile would wait for good.
        mayGoOn.resolve();
      },
    };
  };
  /** Presses Enter in a field, types on while its form is planned, and has the window that asks. */
  const sendAndTypeOn = async (field: Locator, more: string) => {
    const { page } = scene;
    const before = await field.inputValue();
    const plans = await holdPlans();
    await page.keyboard.press('Enter');
    await plans.asked;
    await page.keyboard.type(more);
    expect(await field.inputValue()).toBe(before);
    expect(await isFocused(field)).toBe(true);
    plans.letGo();
    await dialog('What would change').waitFor();
  };
  const confirm = async () => {
    const asking = dialog('What would change');
    await press(scene.page, asking.getByRole('button', { name: 'Save', exact: true }));
    await scene.dialog().first().waitFor({ state: 'detached' });
  };

  test('a new entry is the one that was planned, whatever was typed meanwhile', async () => {
    const { page, service } = scene;
    // With another community beside it, an entry changes more than it adds, and is asked about.
    const { items } = await service.get<{ items: { id: string }[] }>('/v1/communities');
    await service.call('PATCH', `/v1/communities/${items[0]!.id}`, { community: '64500:9' });
    await scene.go(`modules/${moduleId}`);
    await scene.button('Add an entry').waitFor();
    await page.keyboard.press('n');
    const prefix = dialog('New entry').getByLabel('Prefix or address');
    await waitFor(() => isFocused(prefix), { what: 'the focus on the prefix' });
    await page.keyboard.type('9.9.9.1');
    await sendAndTypeOn(prefix, '1');
    await dialog('What would change').getByText('9.9.9.1/32').first().waitFor();
    await confirm();
    expect((await cidrs()).filter((cidr) => cidr.startsWith('9.'))).toEqual(['9.9.9.1/32']);
  });

  test('so are the values of a form, its choices and its boxes, and it says that it takes none', async () => {
    const { page, service } = scene;
    const { id } = await service.post<{ id: string }>('/v1/peers', {
      ...{ name: 'edge', address: '192.0.2.1', remote_asn: 64_500, max_prefixes_out: 200 },
      when_too_many: 'fit',
    });
    await scene.go(`peers/${id}`);
    await press(page, scene.button('Edit'));
    const form = scene.dialog();
    const limit = form.getByLabel('Routes at most');
    await tabTo(page, limit);
    await page.keyboard.press('Control+a');
    await page.keyboard.type('3');
    const plans = await holdPlans();
    await page.keyboard.press('Enter');
    await plans.asked;
    await page.keyboard.type('00');
    const enabled = form.getByRole('checkbox', { name: 'Enabled' });
    await press(page, enabled, ' ');
    const choice = form.getByLabel('With more routes');
    await tabTo(page, choice);
    await page.keyboard.press('ArrowUp');
    expect(await limit.inputValue()).toBe('3');
    expect(await enabled.isChecked()).toBe(true);
    expect(await choice.inputValue()).toBe('fit');
    expect(await limit.getAttribute('readonly')).toBe('');
    expect(await enabled.getAttribute('aria-readonly')).toBe('true');
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    plans.letGo();
    const asking = dialog('What would change');
    await asking.getByText('Routes at most: 200 → 3').waitFor();
    await confirm();
    const stored = await service.get<object>(`/v1/peers/${id}`);
    expect(stored).toMatchObject({ enabled: true, max_prefixes_out: 3, when_too_many: 'fit' });
  });

  test('what is refused or not confirmed is changed again', async () => {
    const { page } = scene;
    await scene.go(`modules/${moduleId}`);
    await scene.button('Add an entry').waitFor();
    await page.keyboard.press('n');
    const prefix = dialog('New entry').getByLabel('Prefix or address');
    await waitFor(() => isFocused(prefix), { what: 'the focus on the prefix' });
    await page.keyboard.type('9.9.8.0/244');
    await page.keyboard.press('Enter');
    await dialog('New entry').locator('.field-error').waitFor();
    await page.keyboard.press('End');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Enter');
    const asking = dialog('What would change');
    await asking.waitFor();
    await page.keyboard.press('Escape');
    await asking.waitFor({ state: 'detached' });
    await tabTo(page, prefix);
    await page.keyboard.press('End');
    await page.keyboard.press('Backspace');
    await page.keyboard.type('5');
    await page.keyboard.press('Enter');
    await confirm();
    expect((await cidrs()).filter((cidr) => cidr.startsWith('9.9.8'))).toEqual(['9.9.8.0/25']);
  });

  /** Keeps writes there until they are let go. */
  const holdWrites = async (path: string, method: string) => {
    const [asked, mayGoOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await scene.page.route(path, async (route) => {
      if (route.request().method() !== method) return route.continue();
      asked.resolve();
      await mayGoOn.promise;
      await route.continue();
    });
    return { asked: asked.promise, letGo: () => mayGoOn.resolve() };
  };

  test('limits of a tenant that are being saved are read, and not written on', async () => {
    const { page, service } = scene;
    await service.post('/v1/tenants', { name: 'another', slug: 'another' });
    await scene.go('tenants');
    const row = page.getByRole('row').filter({ hasText: 'another' });
    await press(page, row.getByRole('button', { name: 'Limits' }));
    const prefixes = scene.dialog().getByRole('textbox', { name: 'Prefixes', exact: true });
    await prefixes.fill('198.51.100.0/24');
    await press(page, scene.dialog().getByRole('button', { name: 'Review 1 change' }));
    const held = await holdWrites('**/v1/tenants/*', 'PATCH');
    await press(page, scene.dialog().getByRole('button', { name: 'Save' }));
    await held.asked;
    await press(page, scene.dialog().getByRole('button', { name: 'Back' }));
    await tabTo(page, prefixes);
    await page.keyboard.press('Control+End');
    await page.keyboard.type('\n203.0.113.0/24');
    expect(await prefixes.inputValue()).toBe('198.51.100.0/24');
    expect(await prefixes.getAttribute('readonly')).toBe('');
    held.letGo();
    await scene.dialog().waitFor({ state: 'detached' });
    await page.unrouteAll({ behavior: 'wait' });
  });

  test('so is the first list, until the next step is there', async () => {
    const { page, service } = scene;
    for (const { id } of (await service.get<{ items: { id: string }[] }>('/v1/modules')).items)
      await service.call('DELETE', `/v1/modules/${id}`);
    await scene.go('welcome');
    await tabTo(page, page.getByRole('radio', { name: 'A published list' }));
    await page.keyboard.press('ArrowUp');
    const ranges = page.getByLabel('Prefixes or addresses');
    await tabTo(page, ranges);
    await page.keyboard.type('45.1.0.0/24');
    const held = await holdWrites('**/v1/changes', 'POST');
    await press(page, scene.button('Take this list'));
    await held.asked;
    await page.keyboard.press('Shift+Tab');
    await tabTo(page, ranges);
    await page.keyboard.type('\n45.2.0.0/24');
    expect(await ranges.inputValue()).toBe('45.1.0.0/24');
    expect(await page.getByLabel('Name').getAttribute('readonly')).toBe('');
    expect(await scene.violations()).toEqual([]);
    held.letGo();
    await page.getByText('Modules: ranges.').waitFor();
    expect(await ranges.count()).toBe(0);
    await page.unrouteAll({ behavior: 'wait' });
  });

  test('no page complained', () => expect(scene.complaints).toEqual([]));
});
