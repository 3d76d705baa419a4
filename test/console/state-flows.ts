/** What pages show when something is not as it should be, tenants beside each other in one browser, and their limits. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { waitFor } from '../daemons/wait.ts';
import { isFocused, press, tabTo } from './keyboard.ts';
import { signIn } from './pages.ts';
import type { Scene } from './scene.ts';
import { startTlsProxy } from './tls-proxy.ts';
import { COMMUNITY, HOSTILE_NAME, SOURCE_MODULE } from './world.ts';

/** Writes that are on their way together. */
const AT_ONCE = 50;
const TENANT = 'Acme <b>& sons</b>';

export function stateFlows(sceneOf: () => Scene): void {
  let acmeKey: string;
  let busy: Page;

  test('412: what somebody else saved meanwhile stands beside what I typed', async () => {
    const scene = sceneOf();
    const { page, service, world } = scene;
    await scene.go(`modules/${world.moduleId}?tab=settings`);
    const description = page.getByLabel('Description');
    await tabTo(page, description);
    await page.keyboard.press('Control+A');
    await page.keyboard.type('mine');
    await service.call('PATCH', `/v1/modules/${world.moduleId}`, { description: 'theirs' });
    await press(page, scene.button('Save'));
    const both = page.getByRole('alert').getByRole('row').filter({ hasText: 'Description' });
    await both.getByText('theirs', { exact: true }).waitFor();
    await both.getByText('mine', { exact: true }).waitFor();
    expect(await scene.violations()).toEqual([]);
    await press(page, scene.button('Overwrite it'));
    await waitFor(
      async () =>
        (await service.get<{ description: string }>(`/v1/modules/${world.moduleId}`)).description === 'mine',
      { what: 'what I typed' },
    );
  });

  test('a tenant is made, its key shown once, and its limits are reviewed before they are saved', async () => {
    const scene = sceneOf();
    const { page, service } = scene;
    const dialog = scene.dialog();
    await scene.go('tenants');
    await press(page, scene.button('New tenant'));
    await tabTo(page, dialog.getByLabel('Name', { exact: true }));
    await page.keyboard.type(TENANT);
    await tabTo(page, dialog.getByLabel('Short name'));
    await page.keyboard.type('acme');
    await press(page, dialog.getByRole('button', { name: 'Create' }));
    const secret = dialog.locator('.command code');
    acmeKey = (await secret.textContent())!;
    expect(acmeKey).toMatch(/^pc_/);
    await press(page, dialog.getByRole('checkbox'), ' ');
    await press(page, dialog.getByRole('button', { name: 'Close' }));
    // It may announce nothing yet, so its limits are next.
    await page.getByRole('dialog', { name: `Policy and quotas of ${TENANT}` }).waitFor();
    const prefixes = dialog.getByLabel('Prefixes', { exact: true });
    await tabTo(page, prefixes);
    await page.keyboard.type('198.51.100.1/24');
    await press(page, dialog.getByLabel('Communities: everything'), ' ');
    await tabTo(page, dialog.getByLabel('Modules', { exact: true }));
    await page.keyboard.press('Control+A');
    await page.keyboard.type('7');
    expect(await scene.violations()).toEqual([]);
    await press(page, dialog.getByRole('button', { name: 'Review 3 changes' }));
    await waitFor(() => isFocused(dialog.getByRole('button', { name: 'Back' })), {
      what: 'the focus on Back',
    });
    await press(page, dialog.getByRole('button', { name: 'Save' }));
    // 422: at its field, which stands in the form again.
    await dialog.locator('.field-error').getByText('host bits').waitFor();
    await tabTo(page, prefixes);
    await page.keyboard.press('Control+A');
    await page.keyboard.type('198.51.100.0/24');
    await press(page, dialog.getByRole('button', { name: 'Review 3 changes' }));
    await dialog.getByRole('row').filter({ hasText: 'Communities' }).getByText('everything').waitFor();
    expect(await scene.violations()).toEqual([]);
    await press(page, dialog.getByRole('button', { name: 'Save' }));
    await dialog.waitFor({ state: 'detached' });
    const { items } = await service.get<{ items: { slug: string }[] }>('/v1/tenants');
    expect(items.find(({ slug }) => slug === 'acme')).toMatchObject({
      policy: { allowed_prefixes: ['198.51.100.0/24'], allowed_communities: null, allowed_local_asns: [] },
      quotas: { modules: 7 },
    });
  });

  test('tenants beside each other: each tab has its own, and nothing of the other', async () => {
    const scene = sceneOf();
    const { page } = scene;
    await scene.go('modules');
    await page.getByText(SOURCE_MODULE).first().waitFor();
    const other = await scene.context.newPage();
    await other.goto(`${scene.base}modules`);
    await press(other, other.getByRole('button', { name: 'Another tenant' }));
    const key = other.getByLabel('API key');
    await tabTo(other, key);
    await other.keyboard.type('pc_s_wrong');
    await other.keyboard.press('Enter');
    await other.locator('.field-error').waitFor();
    await tabTo(other, key);
    await other.keyboard.press('Control+A');
    await other.keyboard.type(acmeKey);
    await other.keyboard.press('Enter');
    await other.getByText('Nothing is announced yet').waitFor();
    expect(await other.getByLabel('Tenant').locator(':checked').textContent()).toBe(TENANT);
    const mixed = async () => (await other.locator('main').textContent())!.includes(SOURCE_MODULE);
    expect(await mixed()).toBe(false);
    await other.keyboard.press('g');
    await other.keyboard.press('m');
    await other.getByText('No modules yet').waitFor();
    expect(await mixed()).toBe(false);
    // The first tab has what it had, before and after it is loaded again.
    for (const reload of [false, true]) {
      if (reload) await page.reload();
      await page.getByText(SOURCE_MODULE).first().waitFor();
      expect(await page.getByLabel('Tenant').locator(':checked').textContent()).not.toBe(TENANT);
    }
    // An address of the first tenant is nothing in the tab of the second.
    await other.goto(`${scene.base}modules/${scene.world.moduleId}`);
    await other.getByRole('alert').getByRole('link', { name: 'not_found' }).waitFor();
    expect(await mixed()).toBe(false);
    await press(other, other.getByRole('button', { name: 'Sign out' }));
    // It falls back to the session that is left.
    await other.getByRole('heading', { level: 1 }).getByText(SOURCE_MODULE).waitFor();
    await other.close();
    await scene.go('modules');
    await page.getByText(SOURCE_MODULE).first().waitFor();
  });

  test('whoever signs in or out in another tab leaves what is typed in this one alone', async () => {
    const scene = sceneOf();
    const { page, world } = scene;
    await scene.go(`modules/${world.hostileId}?tab=text`);
    const editor = page.getByRole('textbox', { name: 'Entries as CSV' });
    await tabTo(page, editor);
    await page.keyboard.press('Control+End');
    await page.keyboard.type('# not saved');
    await editor.getByText('# not saved').waitFor();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(`${request.method()} ${new URL(request.url()).pathname}`));
    const other = await scene.context.newPage();
    await other.goto(`${scene.base}modules`);
    await press(other, other.getByRole('button', { name: 'Another tenant' }));
    await tabTo(other, other.getByLabel('API key'));
    await other.keyboard.type(acmeKey);
    await other.keyboard.press('Enter');
    await other.getByText('Nothing is announced yet').waitFor();
    // This tab has learnt of it, and offers the other tenant.
    await page.getByLabel('Tenant').getByText(TENANT).waitFor({ state: 'attached' });
    await page.keyboard.type(', nor this');
    await editor.getByText('# not saved, nor this').waitFor();
    await press(other, other.getByRole('button', { name: 'Sign out' }));
    await page.getByLabel('Tenant').waitFor({ state: 'detached' });
    await page.keyboard.type(', nor that');
    await editor.getByText('# not saved, nor this, nor that').waitFor();
    expect(new URL(page.url()).search).toBe('?tab=text');
    // Whether there is a freeze is asked every 15 seconds, whoever signs in.
    const isOwn = (request: string): boolean => /\/(auth\/session|settings)$/.test(request);
    expect(asked.filter((request) => request.startsWith('GET') && !isOwn(request))).toEqual([]);
    await other.close();
    const leaving = page.waitForEvent('dialog');
    await scene.go('communities');
    expect((await leaving).type()).toBe('beforeunload');
  });

  test('a freeze is said on every page, and ended there', async () => {
    const scene = sceneOf();
    const { page, service } = scene;
    await scene.go('communities');
    const banner = page.getByRole('status').filter({ hasText: 'Applies are frozen.' });
    expect(await banner.count()).toBe(0);
    await service.call('PATCH', '/v1/settings', { deploy_freeze: true });
    // Nobody loads the page again.
    await banner.waitFor();
    expect(await scene.violations()).toEqual([]);
    expect(await scene.overflow()).toBe(0);
    await page.keyboard.press('g');
    await page.keyboard.press('j');
    await scene.heading('Jobs').waitFor();
    await press(page, banner.getByRole('link', { name: 'Show the setting' }));
    await scene.heading('Settings').waitFor();
    await page.getByText('deploy_freeze', { exact: true }).first().waitFor();
    await press(page, banner.getByRole('button', { name: 'End the freeze' }));
    await scene.focusIsOnCancel();
    await press(page, scene.dialog().getByRole('button', { name: 'End the freeze' }));
    await banner.waitFor({ state: 'detached' });
    // And it is no change of the form below, which was read before.
    const box = page.getByRole('checkbox', { name: /deploy_freeze/ });
    await waitFor(async () => !(await box.isChecked()), { what: 'the setting in the form' });
    expect(await page.getByText('not saved').count()).toBe(0);
    const { settings } = await service.get<{ settings: { deploy_freeze: boolean } }>('/v1/settings');
    expect(settings.deploy_freeze).toBe(false);
  });

  test('behind a proxy of the same machine that ends TLS, the session is for HTTPS alone', async () => {
    const { service, world } = sceneOf();
    const proxy = await startTlsProxy(service.url);
    const context = await world.browser.newContext({ ignoreHTTPSErrors: true });
    try {
      const tab = await context.newPage();
      await tab.goto(`${proxy.url}/console/communities`);
      await signIn(tab, service.key);
      const ofService = async () =>
        (await context.cookies(proxy.url)).filter(({ name }) => name.includes('prefixcast'));
      expect(await ofService()).toMatchObject([
        { name: expect.stringMatching(/^__Host-/) as string, secure: true, httpOnly: true },
      ]);
      await tab.reload();
      await tab.getByRole('row').filter({ hasText: COMMUNITY }).waitFor();
      await tab.getByRole('button', { name: 'Sign out' }).press('Enter');
      await tab.getByLabel('API key').waitFor();
      expect(await ofService()).toEqual([]);
    } finally {
      await context.close();
      proxy.close();
    }
  });

  test('revisions are sorted, filtered, and saved as CSV', async () => {
    const scene = sceneOf();
    const { page, service } = scene;
    const { items } = await service.get<{ items: { number: number; state: string }[] }>('/v1/revisions');
    await scene.go('revisions');
    const table = page.getByRole('table', { name: 'Revisions' });
    const numbers = () => table.locator('tbody tr td:first-child').allTextContents();
    expect(await numbers()).toEqual(items.map(({ number }) => String(number)));
    await press(page, table.getByRole('button', { name: 'Revision' }));
    // The order is in the address, which changes in a turn of its own.
    const upwards = String(items.map(({ number }) => number).toReversed());
    await waitFor(async () => String(await numbers()) === upwards, { what: 'the revisions in order' });
    const downloaded = page.waitForEvent('download');
    await press(page, page.getByRole('button', { name: 'CSV' }));
    const file = await downloaded;
    expect(file.suggestedFilename()).toBe('revisions.csv');
    const lines = readFileSync(await file.path(), 'utf8')
      .trim()
      .split('\r\n');
    expect(lines).toHaveLength(items.length + 1);
    expect(lines[1]).toMatch(/^1,/);
    await tabTo(page, page.getByLabel('Filter: Revisions'));
    await page.keyboard.type('no revision has this');
    await page.getByText('no revision has this').waitFor();
    expect(await numbers()).toEqual([]);
    // What somebody sees is in the address: a colleague who opens it sees the same.
    await page.waitForURL(/find=no\+revision/);
    expect(new URL(page.url()).searchParams.get('sort')).toBe('Revision');
    await scene.go('revisions?sort=-Revision&find=ready');
    expect(await numbers()).toEqual(
      items.filter(({ state }) => state === 'ready').map(({ number }) => String(number)),
    );
    expect(await page.getByLabel('Filter: Revisions').inputValue()).toBe('ready');
  });

  test('429 counts down', async () => {
    const scene = sceneOf();
    const { service, base, world } = scene;
    const key = await service.post<{ secret: string }>('/v1/api-keys', { name: 'busy', role: 'operator' });
    const context = await world.browser.newContext();
    busy = await context.newPage();
    await busy.goto(`${base}communities`);
    await signIn(busy, key.secret);
    const headers = { authorization: `Bearer ${key.secret}`, 'content-type': 'application/json' };
    const write = () => fetch(`${service.url}/v1/communities`, { method: 'POST', headers, body: '{}' });
    // The browser's write comes while the window lasts, however slow the machine is.
    const isRefusedForLong = (answer: Response): boolean =>
      Number(answer.headers.get('retry-after') ?? 0) >= 20;
    for (let isFull = false; !isFull;) {
      const answers = await Promise.all(Array.from({ length: AT_ONCE }, write));
      isFull = answers.every(isRefusedForLong);
    }
    const row = busy.getByRole('row').filter({ hasText: COMMUNITY });
    await press(busy, row.getByRole('button', { name: 'Delete' }));
    const refused = busy.getByRole('alert');
    await refused.getByRole('link', { name: 'rate_limited' }).waitFor();
    const retry = refused.getByRole('button', { name: /^Try again in 0:\d\d$/ });
    const first = await retry.textContent();
    expect(await retry.isDisabled()).toBe(true);
    await waitFor(async () => (await retry.textContent()) !== first, { what: 'the countdown' });
    await busy.keyboard.press('Escape');
    await refused.waitFor({ state: 'detached' });
  });

  test('503: a database that is away is said, and asked again; a session ends with its key', async () => {
    const scene = sceneOf();
    const { page, world } = scene;
    const dialog = scene.dialog();
    await scene.go('keys');
    const row = page.getByRole('row').filter({ hasText: 'busy' });
    await press(page, row.getByRole('button', { name: 'Revoke' }));
    await scene.focusIsOnCancel();
    await tabTo(page, dialog.getByRole('button', { name: 'Revoke' }));
    const file = join(world.casting.dataDir, 'postgres/data/postmaster.pid');
    process.kill(Number.parseInt(readFileSync(file, 'utf8'), 10), 'SIGKILL');
    await page.keyboard.press('Enter');
    const refused = dialog.getByRole('alert');
    await refused.getByRole('button', { name: /^Try again in/ }).waitFor();
    const retry = refused.getByRole('button', { name: 'Try again', exact: true });
    for (;;) {
      await press(page, retry);
      const isDone = await row.getByText('revoked', { exact: true }).or(retry).first().textContent();
      if (isDone === 'revoked') break;
    }
    // Nobody touches the page.
    await busy.getByText('Your session has ended: its API key was revoked.').waitFor();
    await busy.context().close();
  });

  test('a stream that breaks is said, and everything is read again', async () => {
    const scene = sceneOf();
    const { page, world } = scene;
    await scene.go(`modules/${world.hostileId}`);
    await page.getByText(HOSTILE_NAME).first().waitFor();
    await world.casting.service.stop();
    await page.getByText('Live updates are interrupted.').waitFor();
    expect(await scene.violations()).toEqual([]);
    await world.casting.restart();
    const path = `/v1/modules/${world.hostileId}`;
    await scene.service.call('PATCH', path, { description: 'said while nobody listened' });
    await page.getByText('Live updates are interrupted.').waitFor({ state: 'detached' });
    await page.getByText('said while nobody listened').waitFor();
  });
}
