/** Several people at once: what one of them changes the others see, and what they are writing stays. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { press, tabTo } from './keyboard.ts';
import { signIn } from './pages.ts';
import { Scene } from './scene.ts';
import { startEmptyWorld } from './world.ts';

interface Made {
  readonly id: string;
}

describe.skipIf(requireDaemon('chromium-headless-shell') === null)('together', () => {
  let scene: Scene<Awaited<ReturnType<typeof startEmptyWorld>>>;
  let moduleId: string;

  const make = (path: string, body: object): Promise<Made> => scene.service.post<Made>(path, body);
  const makeModule = async (name: string, cidrs: readonly string[]): Promise<string> => {
    const { id } = await make('/v1/modules', { name, type: 'IP_RANGES' });
    await make(`/v1/modules/${id}/ip-range-entries`, { items: cidrs.map((cidr) => ({ cidr })) });
    return id;
  };
  const row = (name: string) => scene.page.locator('main tr').filter({ hasText: name });

  beforeAll(async () => {
    scene = await Scene.open(await startEmptyWorld());
    moduleId = await makeModule('ranges', ['45.0.0.0/24', '45.0.2.0/24', '45.0.4.0/24']);
    await make('/v1/communities', { community: '64500:1', title: 'first' });
    await scene.page.goto(scene.base);
    await signIn(scene.page, scene.service.key);
  });
  afterAll(() => scene?.close());

  /** What each list shows of something that somebody else makes, changes and deletes. */
  const LISTS = [
    {
      ...{ page: 'communities', path: '/v1/communities', shown: 'second', changed: 'renamed' },
      ...{ body: { community: '64500:2', title: 'second' }, patch: { title: 'renamed' } },
    },
    {
      ...{ page: 'peers', path: '/v1/peers', shown: 'edge1', changed: 'edge9' },
      ...{ body: { name: 'edge1', address: '192.0.2.1', remote_asn: 64_500 }, patch: { name: 'edge9' } },
    },
    {
      ...{ page: 'speakers', path: '/v1/speakers', shown: 'pop1', changed: 'pop9' },
      body: { name: 'pop1', mode: 'agent', daemon: 'builtin', local_asn: 64_512 },
      patch: { name: 'pop9' },
    },
    {
      ...{ page: 'resolvers', path: '/v1/doh-profiles', shown: 'ours', changed: 'theirs' },
      ...{ body: { name: 'ours', url: 'https://198.51.100.9/dns-query' }, patch: { name: 'theirs' } },
    },
    {
      ...{ page: 'feeds', path: '/v1/feeds', shown: 'drop', changed: 'what for' },
      ...{ body: { name: 'drop' }, patch: { description: 'what for' } },
    },
    {
      ...{ page: 'webhooks', path: '/v1/webhooks', shown: 'chat', changed: 'talk' },
      body: { name: 'chat', url: 'https://hooks.example.net/', events: ['audit'] },
      patch: { name: 'talk' },
    },
    {
      ...{ page: 'modules', path: '/v1/modules', shown: 'empty', changed: 'not yet' },
      ...{ body: { name: 'empty', type: 'IP_RANGES' }, patch: { name: 'not yet' } },
    },
    {
      ...{ page: 'firewall', path: '/v1/firewall/rules', shown: 'office', changed: 'offices' },
      ...{ body: { name: 'office', cidrs: ['198.51.100.0/24'] }, patch: { name: 'offices' } },
    },
  ];

  test.each(LISTS)('$page show what somebody else makes, changes and deletes', async (list) => {
    const { service } = scene;
    // What the page lists, so that there is a table before.
    await scene.go(list.page);
    await scene.page.locator('main h1').waitFor();
    const { id } = await make(list.path, list.body);
    await row(list.shown).first().waitFor();
    await service.call('PATCH', `${list.path}/${id}`, list.patch);
    await row(list.changed).first().waitFor();
    await service.call('DELETE', `${list.path}/${id}`);
    await row(list.changed).first().waitFor({ state: 'detached' });
  });

  test('who writes in a form keeps the text, what is selected of it and the focus while others change the same and more', async () => {
    const { page, service } = scene;
    const body = {
      name: 'edge2',
      address: '192.0.2.2',
      remote_asn: 64_500,
      enabled: false,
      max_prefixes_out: 2,
    };
    const { id } = await make('/v1/peers', body);
    await scene.go(`peers/${id}`);
    await press(page, scene.button('Edit'));
    const limit = scene.dialog().getByLabel('Routes at most');
    await tabTo(page, limit);
    await page.keyboard.press('Control+A');
    let change = 0;
    const othersChange = async () => {
      const description = `change ${++change}`;
      await service.call('PATCH', `/v1/peers/${id}`, { description });
      // It is a choice of the form.
      await make('/v1/communities', { community: `64501:${change}`, title: description });
      await page.getByText(description, { exact: true }).first().waitFor();
      await scene
        .dialog()
        .getByRole('checkbox', { name: `64501:${change} ${description}` })
        .waitFor();
    };
    await othersChange();
    expect(await page.evaluate('getSelection().toString()')).toBe('2');
    await page.keyboard.type('1');
    expect(await limit.inputValue()).toBe('1');
    await othersChange();
    await page.keyboard.type('0');
    expect(await limit.inputValue()).toBe('10');
    await page.keyboard.press('Escape');
    await press(page, scene.button('Leave without saving'));
    await scene.dialog().first().waitFor({ state: 'detached' });
    await service.call('DELETE', `/v1/peers/${id}`);
  });

  test('keys, settings and the audit log as well', async () => {
    const { page, service } = scene;
    await scene.go('keys');
    const { id } = await make('/v1/api-keys', { name: 'of a script', role: 'viewer' });
    await row('of a script').getByText('works', { exact: true }).waitFor();
    await service.call('DELETE', `/v1/api-keys/${id}`);
    await row('of a script').getByText('revoked', { exact: true }).waitFor();
    await scene.go('settings?q=removed_retention_days');
    await page.getByRole('spinbutton', { name: 'removed_retention_days' }).waitFor();
    await service.call('PATCH', '/v1/settings', { removed_retention_days: 41 });
    await waitFor(
      async () =>
        (await page.getByRole('spinbutton', { name: 'removed_retention_days' }).inputValue()) === '41',
      {
        what: 'the setting that somebody else has changed',
      },
    );
    await page.getByRole('spinbutton', { name: 'removed_retention_days' }).fill('50');
    await service.call('PATCH', '/v1/settings', { removed_retention_days: 42 });
    const overtaken = page.getByText('Somebody else has changed this since you began, from 41 to 42.');
    await page.getByRole('alert').filter({ has: overtaken }).waitFor();
    await page.keyboard.press('Enter');
    await scene.dialog().getByText('42 → 50').waitFor();
    await scene.dialog().filter({ has: overtaken }).waitFor();
    await page.keyboard.press('Escape');
    await press(page, scene.button('Discard'));
    await overtaken.waitFor({ state: 'detached' });
    await scene.go('audit');
    await row('settings.change').first().waitFor();
    const { id: community } = await make('/v1/communities', { community: '64500:3', title: 'third' });
    await row('third').filter({ hasText: 'community.create' }).waitFor();
    await service.call('DELETE', `/v1/communities/${community}`);
    await row('third').filter({ hasText: 'community.delete' }).waitFor();
  });

  test('entries come and go under somebody, who stays at theirs', async () => {
    const { page, service } = scene;
    const path = `/v1/modules/${moduleId}/ip-range-entries`;
    await scene.go(`modules/${moduleId}?order=name`);
    const active = page.locator('.entry.is-active');
    await page.locator('.entry').nth(2).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await active.getByText('45.0.2.0/24').waitFor();
    const { items } = await service.post<{ items: Made[] }>(path, { items: [{ cidr: '44.0.0.0/24' }] });
    await page.locator('.entry').nth(3).waitFor();
    expect(await page.locator('.entry').first().innerText()).toContain('44.0.0.0/24');
    expect(await active.innerText()).toContain('45.0.2.0/24');
    await service.call('DELETE', `${path}/${items[0]!.id}`);
    await page.locator('.entry').nth(3).waitFor({ state: 'detached' });
    expect(await active.innerText()).toContain('45.0.2.0/24');
  });

  test('a text in which nothing is written follows the list', async () => {
    const { page, service } = scene;
    const id = await makeModule('followed', ['48.0.0.0/24']);
    await scene.go(`modules/${id}?tab=text`);
    const editor = page.getByRole('textbox', { name: 'Entries as CSV' });
    await editor.getByText('48.0.0.0/24').waitFor();
    const path = `/v1/modules/${id}/ip-range-entries`;
    const { items } = await service.post<{ items: Made[] }>(path, { items: [{ cidr: '48.0.2.0/24' }] });
    await editor.getByText('48.0.2.0/24').waitFor();
    await page.getByText('The text is what is stored.').waitFor();
    expect(await scene.button('Save').isDisabled()).toBe(true);
    await service.call('DELETE', `${path}/${items[0]!.id}`);
    await editor.getByText('48.0.2.0/24').waitFor({ state: 'detached' });
    // What I write does nothing to what others did before.
    await tabTo(page, editor);
    await page.keyboard.press('Control+End');
    await page.keyboard.type('48.0.4.0/24,,true,,');
    await page.getByText('1 new', { exact: true }).waitFor();
    expect(await page.getByText(/[1-9] deleted/).count()).toBe(0);
    // And what they do from now on leaves it alone.
    await service.post(path, { items: [{ cidr: '48.0.6.0/24' }] });
    await page.locator('main').getByText('2 entries').first().waitFor();
    await editor.getByText('48.0.4.0/24').waitFor();
    expect(await editor.getByText('48.0.6.0/24').count()).toBe(0);
    await press(page, scene.button('Start again'));
    await editor.getByText('48.0.6.0/24').waitFor();
  });

  test('what somebody writes about a module that is deleted meanwhile stays, and is saved once that is back', async () => {
    const { page, service } = scene;
    const id = await makeModule('written about', ['47.0.0.0/24']);
    await scene.go(`modules/${id}?tab=settings`);
    const description = page.getByLabel('Description');
    await tabTo(page, description);
    await page.keyboard.type('an hour of thought');
    await service.call('DELETE', `/v1/modules/${id}`);
    const said = page.getByRole('alert').filter({ hasText: 'was deleted while you were writing' });
    await said.getByText(/^Deleted by key:/).waitFor();
    expect(await description.inputValue()).toBe('an hour of thought');
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    await press(page, said.getByRole('button', { name: 'Restore' }));
    await scene.focusIsOnCancel();
    await press(page, scene.dialog().getByRole('button', { name: 'Restore' }));
    await said.waitFor({ state: 'detached' });
    expect(await description.inputValue()).toBe('an hour of thought');
    await press(page, scene.button('Save'));
    await waitFor(
      async () =>
        (await service.get<{ description: string | null }>(`/v1/modules/${id}`)).description ===
        'an hour of thought',
      { what: 'the description' },
    );
    // Nothing is unsaved now: the page of a deleted module follows by itself.
    await page.getByText('Saved.', { exact: true }).first().waitFor();
    await service.call('DELETE', `/v1/modules/${id}`);
    await scene.heading('written about deleted').waitFor();
  });

  test('so does a text of entries, which can still be left', async () => {
    const { page, service } = scene;
    const id = await makeModule('as text', ['48.0.0.0/24']);
    await scene.go(`modules/${id}?tab=text`);
    const editor = page.getByRole('textbox', { name: 'Entries as CSV' });
    await tabTo(page, editor);
    await page.keyboard.press('Control+End');
    await page.keyboard.insertText('48.0.2.0/24\n');
    await service.call('DELETE', `/v1/modules/${id}`);
    await page.getByRole('alert').filter({ hasText: 'was deleted while you were writing' }).waitFor();
    await editor.getByText('48.0.2.0/24').waitFor();
    await press(page, scene.button('Start again'));
    await scene.heading('as text deleted').waitFor();
  });

  test('a line that two people have changed shows both, before one of them takes the place of the other', async () => {
    const { page, service } = scene;
    const id = await makeModule('shared', ['50.0.0.0/24', '50.0.2.0/24']);
    await scene.go(`modules/${id}?tab=text`);
    const editor = page.getByRole('textbox', { name: 'Entries as CSV' });
    await tabTo(page, editor);
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText('cidr,note\n50.0.0.0/24,alices\n50.0.2.0/24,\n');
    const path = `/v1/modules/${id}/ip-range-entries`;
    const { items } = await service.get<{ items: Made[] }>(`${path}?sort=name`);
    await service.call('PATCH', `${path}/${items[0]!.id}`, { note: 'bobs' });
    await page.keyboard.press('Control+s');
    await page.getByText('1 line was changed here as well').first().waitFor();
    await page.getByRole('cell', { name: /50\.0\.0\.0\/24,bobs/ }).waitFor();
    // What covers the shadow of the table's edges is as what is behind the table.
    const style = (of: string, member: string) =>
      page.evaluate<string>(`getComputedStyle(document.querySelector('${of}')).${member}`);
    expect(await style('.banner .table-scroll', 'backgroundImage')).toContain(
      await style('.banner:has(.table-scroll)', 'backgroundColor'),
    );
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    await press(page, scene.button('Start again'));
  });

  test('what somebody writes stays when the session ends under it, and is saved after the next sign-in', async () => {
    const { service } = scene;
    const key = (name: string) =>
      service.post<Made & { secret: string }>('/v1/api-keys', { name, role: 'operator' });
    const [first, second] = [await key('first'), await key('second')];
    const context = await scene.world.browser.newContext({ viewport: { width: 1280, height: 844 } });
    const page = await context.newPage();
    await page.goto(`${scene.base}modules/${moduleId}?tab=text`);
    await signIn(page, first.secret);
    const editor = page.getByRole('textbox', { name: 'Entries as CSV' });
    await tabTo(page, editor);
    await page.keyboard.press('Control+End');
    await page.keyboard.insertText('49.0.0.0/24,,true,,\n');
    await page.getByRole('button', { name: 'Save', exact: true }).waitFor();
    await service.call('DELETE', `/v1/api-keys/${first.id}`);
    const window = page.getByRole('dialog', { name: 'Sign in' });
    await window.getByText('What you have written is still here').waitFor();
    await window.getByLabel('API key').fill(second.secret);
    await page.keyboard.press('Enter');
    await window.waitFor({ state: 'detached' });
    await editor.getByText('49.0.0.0/24').waitFor();
    await tabTo(page, editor);
    await page.keyboard.press('Control+s');
    await page.getByText(/^Saved: 1 new/).waitFor();
    // Who signs out with something unsaved is asked.
    await tabTo(page, editor);
    await page.keyboard.press('Control+End');
    await page.keyboard.insertText('49.0.2.0/24,,true,,\n');
    await press(page, page.getByRole('button', { name: 'Sign out' }));
    await press(page, page.getByRole('dialog').getByRole('button', { name: 'Leave without saving' }));
    await page.getByRole('heading', { level: 1, name: 'Prefixcast' }).waitFor();
    expect(await page.getByText('Your session has ended').count()).toBe(0);
    expect(await editor.count()).toBe(0);
    await context.close();
  });

  test('no page complained', () => expect(scene.complaints).toEqual([]));
});
