/** Flows 8 and 9: the entries of a module, one by one, as text, and from a file. */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { waitFor } from '../daemons/wait.ts';
import { isFocused, press, tabTo } from './keyboard.ts';
import type { Scene } from './scene.ts';
import { COMMUNITY, SOURCE_MODULE } from './world.ts';

/** Entries that no page should have to hold as elements. */
const MANY = 2_000;
const MOST_ROWS = 120;
const TABLE_ROWS = 150;

interface Entries {
  readonly items: readonly { readonly cidr: string; readonly enabled: boolean }[];
}

export function entriesFlows(sceneOf: () => Scene): void {
  const entriesOf = async (moduleId: string): Promise<Entries['items']> =>
    (await sceneOf().service.get<Entries>(`/v1/modules/${moduleId}/ip-range-entries`)).items;
  const editorOf = (scene: Scene) => scene.page.getByRole('textbox', { name: 'Entries as CSV' });

  test('flow 8: an entry is planned before it is added, and what is wrong is said at its field', async () => {
    const scene = sceneOf();
    const { page, world } = scene;
    await scene.go(`modules/${world.hostileId}`);
    await page.keyboard.press('n');
    const dialog = scene.dialog();
    await tabTo(page, dialog.getByLabel('Prefix or address'));
    await page.keyboard.type('47.1.0.1/24');
    await press(page, dialog.getByRole('button', { name: 'Preview' }));
    await dialog.locator('.field-error').getByText('host bits').waitFor();
    await tabTo(page, dialog.getByLabel('Prefix or address'));
    await page.keyboard.press('Control+A');
    await page.keyboard.type('47.1.0.0/24');
    await press(page, dialog.getByRole('button', { name: 'Preview' }));
    await dialog.getByText('+1 announced').first().waitFor();
    await dialog.locator('.plan-routes').getByText('47.1.0.0/24').waitFor();
    expect(await scene.violations()).toEqual([]);
    await page.keyboard.press('Tab');
    await press(page, dialog.getByRole('button', { name: 'Save' }));
    await page.getByRole('grid').getByText('47.1.0.0/24').waitFor();
  });

  test('flow 8: entries are turned off and deleted by keys, each with its plan', async () => {
    const scene = sceneOf();
    const { page, world } = scene;
    const grid = page.getByRole('grid');
    await tabTo(page, grid);
    await page.keyboard.press('End');
    await page.keyboard.press(' ');
    await press(page, scene.button('Turn off'));
    await scene.focusIsOnCancel();
    await press(page, scene.dialog().getByRole('button', { name: 'Turn off' }));
    await grid.getByText('off', { exact: true }).waitFor();
    await tabTo(page, grid);
    await page.keyboard.press('End');
    await page.keyboard.press('Delete');
    await press(page, scene.dialog().getByRole('button', { name: 'Delete' }));
    await scene.dialog().waitFor({ state: 'detached' });
    await grid.getByText('47.1.0.0/24').waitFor({ state: 'detached' });
    // Somebody else deletes another one: what is undone is mine.
    const theirs = '47.2.0.0/24';
    const base = `/v1/modules/${world.hostileId}/ip-range-entries`;
    await scene.service.post(base, { cidr: theirs });
    await scene.service.call('DELETE', base, { filter: { q: theirs } });
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).waitFor();
    await page.keyboard.press('z');
    await grid.getByText('47.1.0.0/24').waitFor();
    await page.getByText('It is back as it was.').waitFor();
    expect(await grid.getByText(theirs).count()).toBe(0);
    await tabTo(page, grid);
    await page.keyboard.press('End');
    await page.keyboard.press('Delete');
    await press(page, scene.dialog().getByRole('button', { name: 'Delete' }));
    await scene.dialog().waitFor({ state: 'detached' });
    await grid.getByText('47.1.0.0/24').waitFor({ state: 'detached' });
    expect((await entriesOf(world.hostileId)).map(({ cidr }) => cidr)).toEqual(['46.1.0.0/16']);
  });

  test('flow 8: as text, rejects have their line, and the plan stands beside', async () => {
    const scene = sceneOf();
    const { page, world } = scene;
    await press(page, page.getByRole('link', { name: 'As text' }));
    const editor = editorOf(scene);
    await tabTo(page, editor);
    await page.keyboard.press('Control+End');
    await page.keyboard.type('48.1.0.0/24,by hand,true,,\n48.1.1.1/24,,true,,\n');
    const fault = page.getByRole('button', { name: 'Line 4' });
    await fault.waitFor();
    await page.locator('.line-faults').getByText('host bits').waitFor();
    expect(await scene.violations()).toEqual([]);
    await press(page, fault);
    // The editor has the focus, in that line.
    await page.keyboard.press('Shift+End');
    await page.keyboard.type('48.1.1.0/24,,true,,');
    await page.keyboard.press('Control+Enter');
    await page.getByText('2 new').waitFor();
    await page.locator('.plan-routes').getByText('48.1.0.0/23').waitFor();
    // Somebody else adds one meanwhile: a save keeps it.
    await scene.service.post(`/v1/modules/${world.hostileId}/ip-range-entries`, { cidr: '49.1.0.0/24' });
    await page.keyboard.press('Control+s');
    await page.getByText('The list has changed since you began').waitFor();
    // It says who, when and what, as far as the reader may see the audit log.
    const who = page.getByRole('list', { name: 'Who changed them' });
    await who.getByText('key:bootstrap').waitFor();
    await who.getByRole('link', { name: 'What was changed' }).waitFor();
    expect(await scene.violations()).toEqual([]);
    await editor.getByText('49.1.0.0/24').waitFor();
    await tabTo(page, editor);
    await page.keyboard.press('Control+s');
    await page.getByText('Saved: 2 new, 0 changed, 0 deleted.').waitFor();
    expect((await entriesOf(world.hostileId)).map(({ cidr }) => cidr)).toEqual(
      expect.arrayContaining(['46.1.0.0/16', '48.1.0.0/24', '48.1.1.0/24', '49.1.0.0/24']),
    );
  });

  test('flow 9: a file is looked at before it is imported', async () => {
    const scene = sceneOf();
    const { page, world } = scene;
    await scene.go(`modules/${world.hostileId}?tab=text`);
    const file = (text: string) => ({ name: 'more.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
    const input = page.locator('input[type=file]');
    await input.setInputFiles(file(`cidr,community\n50.1.0.0/24,1:2:3:4\n50.1.1.0/24,${COMMUNITY}\n`));
    await page.getByRole('button', { name: 'Line 2' }).waitFor();
    await input.setInputFiles(file(`cidr,community\n50.1.0.0/24,\n50.1.1.0/24,${COMMUNITY}\n`));
    await page.getByText('2 new').waitFor();
    await page.locator('.plan-routes').getByText('50.1.1.0/24').waitFor();
    await press(page, scene.button('Save'));
    await page.getByText('Saved: 2 new').waitFor();
    expect(await entriesOf(world.hostileId)).toHaveLength(6);
  });

  test('flow 8: however many there are, a screen of them is in the page', async () => {
    const scene = sceneOf();
    const { page, service } = scene;
    const cidrs = Array.from({ length: MANY }, (_, at) => `60.0.${at >> 8}.${at & 255}/32`);
    const { id } = await service.post<{ id: string }>('/v1/modules', {
      ...{ name: 'many', type: 'IP_RANGES', enabled: false },
    });
    await service.post(`/v1/modules/${id}/ip-range-entries`, { items: cidrs.map((cidr) => ({ cidr })) });
    await scene.go(`modules/${id}`);
    const grid = page.getByRole('grid');
    await tabTo(page, grid);
    const newest = grid.getByText(cidrs.at(-1)!, { exact: true });
    const oldest = grid.getByText(cidrs[0]!, { exact: true });
    await newest.or(oldest).waitFor();
    await page.keyboard.press('End');
    await newest.or(oldest).waitFor({ state: 'detached' });
    expect(await page.locator('.entry').count()).toBeLessThan(MOST_ROWS);
    // The other end of the list is a choice away, in the address, and the whole list a button.
    // Behind the heads of the columns.
    const first = grid.getByRole('row').nth(1);
    await tabTo(page, page.getByRole('combobox', { name: 'Order' }));
    await page.keyboard.press('n'); // Newest first
    await first.getByText(cidrs.at(-1)!, { exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.get('order')).toBe('newest');
    // By address: of texts, 60.0.7.99 would be the last.
    await tabTo(page, page.getByRole('combobox', { name: 'Order' }));
    await page.keyboard.press('ArrowDown'); // Prefix or address, ascending
    await first.getByText(cidrs[0]!, { exact: true }).waitFor();
    await page.keyboard.press('ArrowDown'); // … descending
    await first.getByText(cidrs.at(-1)!, { exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.get('order')).toBe('-name');
    for (const order of ['name', 'newest']) {
      await page.keyboard.press('ArrowUp');
      await waitFor(() => Promise.resolve(new URL(page.url()).searchParams.get('order') === order), {
        what: `the order ${order}`,
      });
    }
    const download = page.waitForEvent('download');
    await press(page, scene.button('CSV'));
    const lines = (await readFile(await (await download).path(), 'utf8')).trimEnd().split('\n');
    expect((await download).suggestedFilename()).toBe('many.csv');
    expect(lines).toHaveLength(MANY + 1);
    expect(await scene.violations()).toEqual([]);
    expect(await scene.overflow()).toBe(0);
    await page.goto(page.url());
    await first.getByText(cidrs.at(-1)!, { exact: true }).waitFor();
    await tabTo(page, page.getByLabel('Filter by text'));
    await page.keyboard.type('60.0.3.7');
    await waitFor(async () => (await page.locator('.entry').count()) === 1, { what: 'the one that has it' });
    await press(page, page.getByRole('link', { name: 'As text' }));
    await tabTo(page, editorOf(scene));
    await page.keyboard.press('Control+End');
    expect(await page.locator('.cm-line').count()).toBeLessThan(MOST_ROWS);
    await page.keyboard.press('Control+f');
    await page.keyboard.type('60.0.2.9/');
    await page.keyboard.press('Enter');
    await editorOf(scene).getByText('60.0.2.9/32').waitFor();
    expect(await page.locator('.cm-line').filter({ hasText: '60.0.2.9/32' }).count()).toBe(1);
    await page.keyboard.press('Escape');
    await service.call('DELETE', `/v1/modules/${id}`);
  });
  test('a table of many rows has those near the window in the page, and is walked by Tab', async () => {
    const scene = sceneOf();
    const { page, service } = scene;
    const names = Array.from({ length: TABLE_ROWS }, (_, at) => `row ${String(at).padStart(3, '0')}`);
    const ids = names.map(() => randomUUID());
    const created = await service.post<{ answers: { body: { id: string } }[] }>('/v1/changes', {
      changes: names.map((name, at) => ({
        ...{ id: ids[at], method: 'POST', path: '/v1/modules' },
        body: { name, type: 'IP_RANGES', enabled: false },
      })),
    });
    await scene.go('modules');
    const table = page.getByRole('table', { name: 'Modules' });
    await press(page, table.getByRole('button', { name: 'Name' }));
    const rowCount = async () => Number(await table.getAttribute('aria-rowcount'));
    expect(await rowCount()).toBeGreaterThan(TABLE_ROWS);
    expect(await table.getByRole('row').count()).toBeLessThan(TABLE_ROWS / 2);
    expect(await scene.violations()).toEqual([]);
    // By keys alone, to a row that was not in the page.
    const last = table.getByRole('link', { name: names.at(-1)!, exact: true });
    expect(await last.count()).toBe(0);
    for (let at = 0; !(await last.isVisible()); at++) {
      expect(at).toBeLessThan(2 * TABLE_ROWS);
      await page.keyboard.press('Tab');
    }
    await tabTo(page, last);
    // Wherever the page is scrolled to, the focus stays.
    await page.evaluate('scrollTo(0, 0)');
    await table.getByRole('link', { name: SOURCE_MODULE }).waitFor();
    expect(await isFocused(last)).toBe(true);
    await tabTo(page, page.getByLabel('Filter: Modules'), 4 * TABLE_ROWS);
    await page.keyboard.type(names[77]!);
    await waitFor(async () => (await table.getByRole('row').count()) === 2, { what: 'the one row' });
    await service.post('/v1/changes', {
      changes: created.answers.map(({ body }) => ({ method: 'DELETE', path: `/v1/modules/${body.id}` })),
    });
  });
}
