/** What is done next is one key away: the focus is where the page has gone on, and what mends many faults goes before them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { isFocused, press, tabTo } from './keyboard.ts';
import { signIn } from './pages.ts';
import { Scene } from './scene.ts';
import { startEmptyWorld } from './world.ts';

interface Entries {
  readonly items: readonly { readonly cidr: string }[];
}

describe.skipIf(requireDaemon('chromium-headless-shell') === null)('fewer keys', () => {
  let scene: Scene<Awaited<ReturnType<typeof startEmptyWorld>>>;
  let moduleId: string;
  beforeAll(async () => {
    scene = await Scene.open(await startEmptyWorld());
    const { service } = scene;
    const { id: communityId } = await service.post<{ id: string }>('/v1/communities', {
      ...{ community: '64500:1', title: 'ranges' },
    });
    ({ id: moduleId } = await service.post<{ id: string }>('/v1/modules', {
      ...{ name: 'ranges', type: 'IP_RANGES', community_id: communityId },
    }));
  });
  afterAll(() => scene?.close());

  const hasFocus = async (selector: string) => {
    const target = scene.page.locator(selector);
    await waitFor(() => isFocused(target), { what: `the focus on ${selector}` });
  };
  const editor = () => scene.page.getByRole('textbox', { name: 'Entries as CSV' });
  const write = async (text: string) => {
    await scene.go(`modules/${moduleId}?tab=text`);
    await tabTo(scene.page, editor());
    await scene.page.keyboard.press('Control+a');
    await scene.page.keyboard.insertText(text);
    await scene.page.keyboard.press('Control+Enter');
  };
  const cidrs = async (): Promise<string[]> => {
    const { items } = await scene.service.get<Entries>(`/v1/modules/${moduleId}/ip-range-entries`);
    return items.map(({ cidr }) => cidr).sort();
  };

  test('who has signed in begins at the page', async () => {
    await scene.page.goto(`${scene.base}modules`);
    await signIn(scene.page, scene.service.key);
    await hasFocus('#content');
  });

  test('the list of keys begins with those of the page', async () => {
    const { page } = scene;
    // Its keys come with it.
    await page.getByRole('table', { name: 'Modules' }).waitFor();
    await page.setViewportSize({ width: 1280, height: 480 });
    await page.keyboard.press('?');
    await scene.dialog().waitFor();
    const here = scene.dialog().getByText('On this page');
    await waitFor(() => isFocused(here), { what: 'the focus at the beginning' });
    const { y, height } = (await here.boundingBox())!;
    expect(y >= 0 && y + height <= 480).toBe(true);
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    await page.keyboard.press('?');
    await scene.dialog().waitFor({ state: 'detached' });
  });

  test('prefixes without a header get it by the first button, and the lines their cells', async () => {
    const { page } = scene;
    await write('45.0.0.0/24\n45.0.2.0/24\n');
    const faults = page.getByRole('alert');
    await faults.getByText('1 line is not right').waitFor();
    await page.keyboard.press('Tab');
    const mend = faults.getByRole('button', { name: 'Put the missing header above these lines' });
    await waitFor(() => isFocused(mend), { what: 'the focus on what mends all' });
    expect(await scene.violations()).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByText('2 new').waitFor();
    await page.keyboard.press('Control+s');
    await waitFor(async () => (await cidrs()).length === 2, { what: 'both entries' });
    expect(await cidrs()).toEqual(['45.0.0.0/24', '45.0.2.0/24']);
  });

  test('what completes many lines is the first button behind the text', async () => {
    const { page } = scene;
    const more = Array.from({ length: 10 }, (_, at) => `46.0.${at * 2}.0/24`);
    await write(['cidr,note', ...more, ''].join('\n'));
    const faults = page.getByRole('alert');
    await faults.getByText('10 lines are not right').waitFor();
    await page.keyboard.press('Tab');
    const mend = faults.getByRole('button', { name: 'Complete 10 lines with empty cells' });
    await waitFor(() => isFocused(mend), { what: 'the focus on what mends all' });
    await page.keyboard.press('Enter');
    await page.getByText('10 new').waitFor();
    await press(page, scene.button('Start again'));
  });

  test('the command that enrolls a node is copied by the next key', async () => {
    const { page, service } = scene;
    const { id } = await service.post<{ id: string }>('/v1/speakers', {
      ...{ name: 'pop1', mode: 'agent', daemon: 'builtin', local_asn: 64_512 },
    });
    await scene.go(`nodes/new?speaker=${id}`);
    await press(page, scene.button('Make the command'));
    await hasFocus('.command .copy');
    // The page looks every two seconds whether the node is there, and takes the focus from nobody.
    await page.keyboard.press('Tab');
    await waitFor(() => isFocused(page.getByRole('link', { name: 'Open the speaker' })), {
      what: 'the focus on the link',
    });
    await page.waitForResponse((response) => response.url().includes(`/v1/speakers/${id}`));
    await page.waitForResponse((response) => response.url().includes(`/v1/speakers/${id}`));
    expect(await isFocused(page.getByRole('link', { name: 'Open the speaker' }))).toBe(true);
    expect(await scene.violations()).toEqual([]);
  });

  test('the palette has what the page can do, and does it where the page would', async () => {
    const { page } = scene;
    await scene.go('modules');
    await page.getByRole('table', { name: 'Modules' }).waitFor();
    await page.keyboard.press('/');
    const first = scene.dialog().getByRole('option').first();
    await scene.dialog().waitFor();
    expect(await first.innerText()).toContain('New module');
    await page.keyboard.type('new mod');
    await page.getByRole('option', { name: 'New module on this page: n' }).waitFor();
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    await page.keyboard.press('Enter');
    const form = page.getByRole('dialog', { name: 'New module' });
    const name = form.getByLabel('Name', { exact: true });
    await waitFor(() => isFocused(name), { what: 'the focus in the form' });
    await page.keyboard.press('Escape');
    await form.waitFor({ state: 'detached' });
    await hasFocus('#content');
    // A walk from row to row has no use there, nor has another page's key.
    await scene.go('jobs');
    await page.keyboard.press('/');
    await scene.dialog().waitFor();
    expect(await page.getByRole('option').filter({ hasText: 'on this page' }).count()).toBe(0);
    await page.keyboard.press('Escape');
  });

  test('the palette has the other parts of the page, and f leads into the filter of entries', async () => {
    const { page } = scene;
    await scene.go(`modules/${moduleId}`);
    const filter = page.getByLabel('Filter by text, or by an address in them');
    await filter.waitFor();
    await page.keyboard.press('?');
    await scene.dialog().getByText('Filter the rows').waitFor();
    expect(await scene.dialog().getByText('As text').count()).toBe(0);
    await page.keyboard.press('Escape');
    await scene.dialog().waitFor({ state: 'detached' });
    await page.keyboard.press('f');
    await waitFor(() => isFocused(filter), { what: 'the focus in the filter' });
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').and(page.locator(':focus')).waitFor();
    expect(await page.getByRole('option', { name: 'Entries on this page' }).count()).toBe(0);
    await page.keyboard.type('as text');
    await page.getByRole('option', { name: 'As text on this page' }).waitFor();
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    await page.keyboard.press('Enter');
    await editor().waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').and(page.locator(':focus')).waitFor();
    await page.keyboard.type('settings');
    await page.getByRole('option', { name: 'Settings on this page' }).waitFor();
    await page.keyboard.press('Escape');
  });

  test('commands that a page makes work as they are copied', async () => {
    const { page, service } = scene;
    await scene.go('firewall?tab=clients');
    await press(page, scene.button('Enroll a host'));
    // Beside the one that the empty page shows.
    const command = page.locator('.command code').filter({ hasText: 'pc_e_' });
    await command.waitFor();
    expect(await command.innerText()).toMatch(/^APP_FIREWALL_TOKEN=pc_e_\w+ prefixcast firewall enroll /);
    await scene.go('feeds');
    await press(page, scene.button('New feed').first());
    await scene.dialog().getByLabel('Name', { exact: true }).fill('drop');
    await page.keyboard.press('Enter');
    const curl = scene.dialog().getByText(/^curl /);
    await curl.waitFor();
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    const [, address] = /'(.*)'/.exec(await curl.innerText())!;
    expect(address).toContain(`${service.url}/feeds/drop?token=`);
    // Nothing is announced yet; a wrong token is 401.
    expect((await fetch(address!)).status).not.toBe(401);
    await press(page, scene.dialog().getByRole('checkbox', { name: 'I stored it' }), ' ');
    await press(page, scene.dialog().getByRole('button', { name: 'Close' }));
    await scene.dialog().waitFor({ state: 'detached' });
  });

  test('keys of the editor are its own, and the palette gives the focus back to it', async () => {
    const { page, service } = scene;
    const { id } = await service.post<{ id: string }>('/v1/modules', { name: 'blank', type: 'IP_RANGES' });
    await scene.go(`modules/${id}?tab=text`);
    await tabTo(page, editor());
    // Below the header, which is all that there is.
    await page.keyboard.insertText('47.0.0.0/24,,true,,\n47.0.2.0/24,,true,,\n');
    await page.getByText('2 new').waitFor();
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Control+Shift+K');
    await page.getByText('1 new').waitFor();
    expect(await scene.dialog().count()).toBe(0);
    await page.keyboard.press('Control+k');
    await scene.dialog().waitFor();
    await page.keyboard.press('Escape');
    await scene.dialog().waitFor({ state: 'detached' });
    await waitFor(() => isFocused(editor()), { what: 'the focus in the editor' });
    await page.keyboard.press('Control+s');
    await page.getByText('Saved: 1 new, 0 changed, 0 deleted.').waitFor();
  });

  test('who may only read is offered no key that changes something', async () => {
    const { page, service } = scene;
    const { secret } = await service.post<{ secret: string }>('/v1/api-keys', {
      name: 'reader',
      role: 'viewer',
    });
    const context = await scene.world.browser.newContext();
    const theirs = await context.newPage();
    await theirs.goto(`${scene.base}modules/${moduleId}`);
    await signIn(theirs, secret);
    await theirs.getByRole('grid').waitFor();
    await theirs.keyboard.press('?');
    const help = theirs.getByRole('dialog', { name: 'Keyboard' });
    await help.getByText('Next entry').waitFor();
    for (const said of ['Add an entry', 'Change the entry'])
      expect(await help.getByText(said).count(), said).toBe(0);
    await context.close();
    await page.bringToFront();
  });

  test('no page complained', () => expect(scene.complaints).toEqual([]));
});
