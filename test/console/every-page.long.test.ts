/** Every page of the console, with names that somebody chose to do harm, and in every state that it may have. */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitFor } from '../daemons/wait.ts';
import { requireDaemon } from '../daemons/programs.ts';
import { isThorough } from '../fuzz.ts';
import { PAGE_NAMES, PAGES, consolePages, leadTo, signIn, visitPage, type PageName } from './pages.ts';
import { foreignElements, pageFaults } from './page-rules.ts';
import { pagesWith, STATES } from './page-states.ts';
import { Scene, violations } from './scene.ts';
import { HOSTILE_NAME, HOSTILE_TEXT, startWorld } from './world.ts';

const lacks = requireDaemon('bird') === null || requireDaemon('chromium-headless-shell') === null;
const CONSOLE = join(import.meta.dirname, '../../console/src');

/** Of a form, or of a community, which has a title. */
const NAME = /^(Name|Title)$/;
const NOBODY = '00000000-0000-7000-8000-000000000000';
const REFUSALS = [
  { status: 429, code: 'rate_limited', title: 'Too many requests', says: /Try again in 0:\d\d/ },
  { status: 503, code: 'database_unavailable', title: 'Database unavailable', says: /Try again in 0:\d\d/ },
] as const;

describe('the table of pages', () => {
  test('has every route of the console', () => {
    const table = readFileSync(join(CONSOLE, 'routes.tsx'), 'utf8');
    const routes = Array.from(table.matchAll(/^ {2}path: '(.+)',$/gm), ([, path]) => path!);
    expect(routes.length).toBeGreaterThan(25);
    const ids = new Proxy({} as Parameters<(typeof PAGES)['module']>[0], { get: () => 'id' });
    const paths = Object.values(PAGES).map((path) => `/${pathless(path(ids))}`);
    const isThere = (route: string): boolean =>
      paths.some((path) => new RegExp(`^${route.replace(/\$\w+/g, '[^/]+')}$`).test(path));
    expect(routes.filter((route) => !isThere(route))).toEqual([]);
  });
});

describe.skipIf(lacks)('every page', () => {
  let scene: Scene;
  let page: Page;
  let paths: Readonly<Record<PageName, string>>;
  let refused: Page | undefined;
  let empty: Page | undefined;
  const titles = new Map<string, string>();
  /** Where anything was asked for. */
  const origins = new Set<string>();
  beforeAll(async () => {
    scene = await Scene.open(await startWorld());
    page = scene.page;
    scene.context.on('request', (request) => void origins.add(new URL(request.url()).origin));
    await page.goto(scene.base);
    await signIn(page, scene.service.key);
    await scene.world.poison();
    paths = await consolePages(scene.world);
  });
  afterAll(() => scene?.close());

  test.for(PAGE_NAMES)('%s shows what people typed as text, and can be read by everybody', async (name) => {
    await scene.visit(paths[name]);
    expect(await pageFaults(page)).toEqual([]);
    expect(await scene.violations()).toEqual([]);
    expect(await scene.overflow()).toBe(0);
    expect(await scene.cutTables()).toEqual([]);
    titles.set(pathless(paths[name]), await page.title());
    const shown = await page.locator('main').innerText();
    const isShown = [HOSTILE_NAME, HOSTILE_TEXT].some((text) => shown.includes(text.slice(0, 16)));
    // A page that begins to show names is no longer one without.
    expect(isShown).toBe(STATES[name].includes('names'));
  });

  test('no two pages have the same title', () => {
    const all = [...titles.values()];
    expect(all.filter((title, at) => all.indexOf(title) !== at)).toEqual([]);
  });

  test('a narrow window shows which part of a page is open, and what its filter takes', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await scene.visit(paths['module-settings']);
    const open = (await page.locator('main .tabs .is-current').boundingBox())!;
    expect(open.x).toBeGreaterThanOrEqual(0);
    expect(open.x + open.width).toBeLessThanOrEqual(390);
    for (const name of ['entries', 'audit'] as const) {
      await scene.visit(paths[name]);
      const { width } = (await page.locator('main input[type=search]').first().boundingBox())!;
      expect(width, name).toBeGreaterThan(340);
    }
    await page.setViewportSize({ width: 1280, height: 844 });
  });

  const asking = PAGE_NAMES.filter((name) => !STATES[name].includes('still'));

  test.for(asking)(
    '%s says that it is read, shows 429 and 503 with their code, a gap in the stream, and that the session has ended',
    async (name) => {
      const { base, service } = scene;
      const held: Route[] = [];
      let answer: ReturnType<typeof problem> | null = null;
      const answerTo = (route: Route): Promise<void> | undefined => {
        if (answer !== null) return route.fulfill(answer);
        held.push(route);
      };
      // Of another browser: its stream is its own. One tab for all pages, which has their scripts from the second time on.
      if (refused === undefined) {
        refused = await (await scene.world.browser.newContext()).newPage();
        await refused.goto(`${base}keys`);
        await signIn(refused, service.key);
      }
      const tab = refused;
      await tab.route(isOwn, answerTo);
      await tab.route('**/v1/events', answerTo);
      await tab.goto(base + paths[name]);
      await tab.locator('#content h1').waitFor();
      await tab.locator('#content .skeleton').first().waitFor();
      expect(await tab.locator('#content .skeleton').first().innerText()).toMatch(/…$/);
      for (const { status, code, title, says } of REFUSALS) {
        answer = problem(status, code, title);
        for (const route of held.splice(0)) await route.fulfill(answer);
        // Whoever comes again asks again.
        if (status !== REFUSALS[0].status) await leadTo(tab, base, paths[name]);
        const alert = tab.getByRole('alert').filter({ hasText: title }).first();
        await alert.getByRole('link', { name: code }).waitFor();
        await alert.getByText('req-of-the-test').waitFor();
        await alert.getByRole('button', { name: says }).waitFor();
        await tab.getByText('Live updates are interrupted.').waitFor();
        expect(await tab.locator('#content h1').count()).toBe(1);
        if (isThorough || name === asking[0]) expect(await violations(tab)).toEqual([]);
      }
      answer = problem(401, 'unauthenticated', 'Not signed in');
      await tab.route('**/v1/auth/session', answerTo);
      await leadTo(tab, base, paths[name]);
      await tab.getByText('Your session has ended.').waitFor();
      await tab.getByLabel('API key').waitFor();
      await tab.unrouteAll({ behavior: 'ignoreErrors' });
    },
  );

  test('who may only read sees every page, or that it is not theirs, and to whom it is', async () => {
    const { service, base, world } = scene;
    const { secret } = await service.post<{ secret: string }>('/v1/api-keys', {
      ...{ name: 'reader', role: 'viewer' },
    });
    const tab = await (await world.browser.newContext()).newPage();
    await tab.goto(base);
    await signIn(tab, secret);
    const refusedPages: string[] = [];
    for (const name of asking) {
      await visitPage(tab, base, paths[name]);
      expect(await pageFaults(tab), name).toEqual([]);
      const refusal = tab.getByRole('alert').getByRole('link', { name: 'forbidden' });
      if ((await refusal.count()) === 0) continue;
      // What is refused for good offers no other try.
      expect(
        await tab
          .getByRole('alert')
          .getByRole('button', { name: /Try again/ })
          .count(),
        name,
      ).toBe(0);
      if (refusedPages.push(name) === 1) expect(await violations(tab)).toEqual([]);
    }
    expect(refusedPages).toContain('tenants');
    await tab.context().close();
  });

  test.for(pagesWith('empty'))('%s says what it is where there is nothing, and what to do', async (name) => {
    const { service, base, world } = scene;
    if (empty === undefined) {
      const { api_key } = await service.post<{ api_key: { secret: string } }>('/v1/tenants', {
        ...{ name: 'Nothing', slug: 'nothing' },
      });
      empty = await (await world.browser.newContext()).newPage();
      await empty.goto(base);
      await signIn(empty, api_key.secret);
    }
    await visitPage(empty, base, paths[name]);
    const shown = empty.locator('#content .empty');
    await shown.getByRole('heading').waitFor();
    expect(await shown.locator('p.muted').innerText()).not.toBe('');
    // The page of one answer has the field for its question above.
    expect(await shown.locator('a[href], button:not(.copy)').count()).toBeGreaterThan(0);
    expect(await shown.locator('.command code').innerText()).toMatch(/^prefixcast /);
    await shown.locator('.command .copy').waitFor();
  });

  test.for(pagesWith('gone'))('%s leads on where the thing is not there', async (name) => {
    const path = paths[name].replace(/(?<=^[a-z]+\/)[^?]+/, (id) =>
      id.includes('...') ? '1...999999' : id === 'latest' ? '999999' : NOBODY,
    );
    await leadTo(page, scene.base, path);
    await page.getByRole('alert').getByRole('link', { name: 'not_found' }).first().waitFor();
    expect(await page.locator('#content h1').count()).toBe(1);
    expect(await pageFaults(page)).toEqual([]);
  });

  test.for(pagesWith('create'))('%s shows 422 at the field', async (name) => {
    await scene.visit(paths[name]);
    await page.locator('#content button.primary').first().press('Enter');
    const dialog = scene.dialog();
    const named = dialog.getByLabel(NAME, { exact: true });
    await named.waitFor();
    for (const field of await dialog.locator('input:required').all())
      if ((await field.inputValue()) === '')
        await field.fill((await field.getAttribute('type')) === 'number' ? '64500' : 'x');
    for (const choice of await dialog.locator('select:required').all())
      if ((await choice.inputValue()) === '') await choice.selectOption({ index: 1 });
    // It changes the direction of text, so that no name may have it; and no name is as long.
    await named.fill(HOSTILE_NAME.padEnd(10_000, '\u202eW'));
    await dialog.locator('button[type=submit]').press('Enter');
    await dialog.locator('.field-error').first().waitFor();
    expect(await foreignElements(page)).toEqual([]);
    expect(await scene.overflow()).toBe(0);
    await dialog.getByRole('alert').getByRole('link', { name: 'validation_failed' }).waitFor();
    expect(await named.getAttribute('aria-invalid')).toBe('true');
    if (isThorough || name === pagesWith('create')[0]) expect(await scene.violations()).toEqual([]);
  });

  test.for(pagesWith('edit'))('%s shows 412 with both versions', async (name) => {
    await scene.visit(paths[name]);
    const read = page.waitForRequest((request) => /\/v1\/.*\/[0-9a-f-]{36}$/.test(request.url()));
    await page
      .locator('#content')
      .getByRole('button', { name: /^Edit\b/ })
      .last()
      .press('Enter');
    const dialog = scene.dialog();
    const named = dialog.getByLabel(NAME, { exact: true });
    await named.waitFor();
    const path = new URL((await read).url()).pathname;
    const before = await scene.service.get<{ name?: string; title?: string }>(path);
    const member = 'title' in before ? 'title' : 'name';
    await scene.service.call('PATCH', path, { [member]: `theirs-on-${name}` });
    await named.fill('mine');
    await dialog.locator('button[type=submit]').press('Enter');
    const row = dialog
      .getByRole('alert')
      .getByRole('row')
      .filter({ has: page.getByRole('rowheader', { name: NAME }) });
    await row.getByText(`theirs-on-${name}`, { exact: true }).waitFor();
    await row.getByText('mine', { exact: true }).waitFor();
    // Whose change it is, and where to read it.
    await dialog
      .getByRole('alert')
      .getByText(/^Changed by key:/)
      .waitFor();
    await dialog.getByRole('alert').getByRole('link', { name: 'What was changed' }).waitFor();
    if (isThorough || name === pagesWith('edit')[0]) expect(await scene.violations()).toEqual([]);
    await scene.service.call('PATCH', path, { [member]: before[member] });
  });

  test('what the service never serves is said at once, and not asked for again', async () => {
    const asked: string[] = [];
    const onRequest = (request: { url(): string }) => void asked.push(new URL(request.url()).pathname);
    await page.goto(`${scene.base}jobs`);
    page.on('request', onRequest);
    await scene.visit('logs');
    const alert = page.getByRole('alert');
    await alert.getByRole('link', { name: 'runtime_logs_unavailable' }).waitFor();
    expect(await alert.getByRole('button', { name: /^Try again/ }).count()).toBe(0);
    page.off('request', onRequest);
    expect(asked.filter((path) => path.startsWith('/v1/runtime-logs'))).toEqual(['/v1/runtime-logs/files']);
  });

  test('a request that the service names as the remedy is the page that does the same', async () => {
    await scene.visit(paths['entries-text']);
    const editor = page.getByRole('textbox', { name: 'Entries as CSV' });
    await editor.focus();
    await page.keyboard.press('Control+End');
    await page.keyboard.insertText('47.9.0.0/24,,true,64999:9,\n');
    const fault = page.locator('.line-faults li').filter({ hasText: '64999:9' });
    const remedy = fault.getByRole('link', { name: 'the page Communities' });
    expect(await remedy.getAttribute('href')).toBe('/console/communities');
    expect(await fault.innerText()).not.toContain('/v1/');
  });

  test('an address that is a script is refused at its field, and is a text there', async () => {
    const { service } = scene;
    const script = 'javascript:alert(document.domain)//'.padEnd(10_000, 'W');
    const { items } = await service.get<{ items: { id: string; type: string }[] }>('/v1/modules');
    const { id } = items.find(({ type }) => type === 'CDN_SOURCES')!;
    await scene.visit(`modules/${id}`);
    await page.locator('#content').getByRole('button', { name: 'Add an entry' }).press('Enter');
    const dialog = scene.dialog();
    await dialog.getByLabel('Name', { exact: true }).fill('a script');
    for (const url of [
      script,
      script.slice(0, 40),
      'JavaScript:alert(1)',
      'data:text/html,<script>alert(1)</script>',
    ]) {
      await dialog.getByLabel('Address of the list').fill(url);
      await dialog.locator('button[type=submit]').press('Enter');
      await dialog.locator('.field-error').first().waitFor();
      expect(await foreignElements(page)).toEqual([]);
      expect(await scene.overflow()).toBe(0);
    }
    const webhook = { name: 'a script', events: ['revision'], url: script.slice(0, 40) };
    await expect(service.post('/v1/webhooks', webhook)).rejects.toThrow('422');
  });

  test('a name is a text within its place in windows, messages and the title of the tab', async () => {
    const { service } = scene;
    const name = HOSTILE_NAME.replace('WWWW', 'last');
    const { id } = await service.post<{ id: string }>('/v1/modules', { name, type: 'IP_RANGES' });
    await scene.visit(`modules/${id}?tab=settings`);
    await page.locator('#content').getByRole('button', { name: 'Delete the module' }).press('Enter');
    const dialog = scene.dialog();
    await dialog.getByRole('heading').getByText(name).waitFor();
    expect(await page.title()).toContain(name.slice(0, 30));
    expect(await foreignElements(page)).toEqual([]);
    expect(await scene.overflow()).toBe(0);
    const sure = dialog.getByRole('button', { name: 'Delete the module' });
    await waitFor(() => sure.isEnabled(), { what: 'the plan to be there' });
    await sure.press('Enter');
    await page.getByRole('status').getByText(`${name} was deleted.`).waitFor();
    expect(await foreignElements(page)).toEqual([]);
    expect(await scene.overflow()).toBe(0);
  });

  test('what is saved has a safe name, and nothing in it that a spreadsheet would compute', async () => {
    const { service } = scene;
    const saved = async (): Promise<{ name: string; text: string }> => {
      const download = page.waitForEvent('download');
      await scene.button('CSV').last().press('Enter');
      const file = await download;
      return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') };
    };
    for (const [name, expected] of [
      ['../../.bashrc', 'bashrc.csv'],
      ['-rf *', 'rf-.csv'],
      ['שלום', 'list.csv'],
      ['a/b\\c:d', 'a-b-c-d.csv'],
    ] as const) {
      const { id } = await service.post<{ id: string }>('/v1/modules', { name, type: 'IP_RANGES' });
      await service.post(`/v1/modules/${id}/ip-range-entries`, { cidr: '47.7.0.0/24' });
      await scene.visit(`modules/${id}`);
      expect((await saved()).name).toBe(expected);
      await service.call('DELETE', `/v1/modules/${id}`);
    }
    const { id } = await service.post<{ id: string }>('/v1/communities', {
      ...{ community: '64500:999', title: '=HYPERLINK("https://198.51.100.9")' },
    });
    // Another document: no event says that there is one more.
    await scene.go('communities');
    await page.getByText('=HYPERLINK').waitFor();
    const { name, text } = await saved();
    expect(name).toBe('Communities.csv');
    expect(text).toContain(`"'=HYPERLINK(""https://198.51.100.9"")"`);
    await service.call('DELETE', `/v1/communities/${id}`);
  });

  test('nothing moves for who wants no motion, and what is awaited does not flicker', async () => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.route(isOwn, () => undefined);
    await leadTo(page, scene.base, 'maintenance');
    await page.locator('#content .skeleton').first().waitFor({ state: 'attached' });
    const longest = await page.evaluate<number>(
      'Math.max(0, ...document.getAnimations().map(({ effect }) => effect.getTiming().duration * effect.getTiming().iterations))',
    );
    expect(longest).toBeLessThan(1);
    const delay = await page.evaluate<string>(
      "getComputedStyle(document.querySelector('#content .skeleton')).animationDelay",
    );
    expect(delay).toBe('0.2s');
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.emulateMedia({ reducedMotion: 'no-preference' });
  });

  test('nothing came from outside', () =>
    // A file that is saved is one of the page itself.
    expect([...origins].filter((origin) => origin !== 'null')).toEqual([scene.service.url]));

  test('no page complained', () => expect(scene.complaints).toEqual([]));
});

/** Without what is chosen on it. */
function pathless(path: string): string {
  return path.replace(/\?.*$/s, '');
}

/** What a page asks for itself, and not the frame around it. */
function isOwn({ pathname }: URL): boolean {
  return pathname.startsWith('/v1/') && !/^\/v1\/(auth\/session|events)$/.test(pathname);
}

function problem(status: number, code: string, title: string): Parameters<Route['fulfill']>[0] {
  return {
    ...{ status, contentType: 'application/problem+json' },
    headers: { 'retry-after': '30', 'x-request-id': 'req-of-the-test' },
    body: JSON.stringify({
      ...{ type: `/docs/errors/${code}`, title, status, code, detail: `${title}: this is a test.` },
      ...{ request_id: 'req-of-the-test', errors: [] },
    }),
  };
}
