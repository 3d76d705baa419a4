/** Every page of the console, with names that somebody chose to do harm, and in every state that it may have. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../daemons/programs.ts';
import { isThorough } from '../fuzz.ts';
import { PAGE_NAMES, PAGES, consolePages, signIn, type PageName } from './pages.ts';
import { pageFaults } from './page-rules.ts';
import { pagesWith, STATES } from './page-states.ts';
import { Scene } from './scene.ts';
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
  let emptyKey: string | undefined;
  const titles = new Map<string, string>();
  beforeAll(async () => {
    scene = await Scene.open(await startWorld());
    page = scene.page;
    await page.goto(scene.base);
    await signIn(page, scene.service.key);
    await scene.world.poison();
    paths = await consolePages(scene.world);
  });
  afterAll(() => scene?.close());

  test.for(PAGE_NAMES)('%s shows what people typed as text, and can be read by everybody', async (name) => {
    await scene.go(paths[name]);
    expect(await pageFaults(page)).toEqual([]);
    expect(await scene.violations()).toEqual([]);
    expect(await scene.overflow()).toBe(0);
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

  const asking = PAGE_NAMES.filter((name) => !STATES[name].includes('still'));

  test.for(asking)('%s says that it is read, and that the session has ended', async (name) => {
    const context = await scene.world.browser.newContext();
    try {
      const tab = await context.newPage();
      await tab.goto(`${scene.base}keys`);
      await signIn(tab, scene.service.key);
      const held: Route[] = [];
      let isOver = false;
      await tab.route(isOwn, (route) => {
        if (isOver) return route.fulfill(problem(401, 'unauthenticated', 'Not signed in'));
        held.push(route);
      });
      await tab.goto(scene.base + paths[name]);
      await tab.locator('#content h1').waitFor();
      await tab.locator('#content .skeleton').first().waitFor();
      await tab.route('**/v1/auth/session', (route) =>
        route.fulfill(problem(401, 'unauthenticated', 'Not signed in')),
      );
      isOver = true;
      for (const route of held) await route.fulfill(problem(401, 'unauthenticated', 'Not signed in'));
      await tab.getByText('Your session has ended.').waitFor();
      await tab.getByLabel('API key').waitFor();
    } finally {
      await context.close();
    }
  });

  test.for(asking.flatMap((name) => REFUSALS.map((refusal) => [name, refusal.status, refusal] as const)))(
    '%s shows %i with its code, and when to come back; a gap in the stream as well',
    async ([name, status, { code, title, says }]) => {
      await page.route('**/v1/**', (route) =>
        isOwn(new URL(route.request().url())) || route.request().url().endsWith('/v1/events')
          ? route.fulfill(problem(status, code, title))
          : route.continue(),
      );
      try {
        await page.goto(scene.base + paths[name]);
        const alert = page.getByRole('alert').filter({ hasText: title }).first();
        await alert.getByRole('link', { name: code }).waitFor();
        await alert.getByText('req-of-the-test').waitFor();
        await alert.getByRole('button', { name: says }).waitFor();
        await page.getByText('Live updates are interrupted.').waitFor();
        expect(await page.locator('#content h1').count()).toBe(1);
        if (isThorough) expect(await scene.violations()).toEqual([]);
      } finally {
        await page.unroute('**/v1/**');
      }
    },
  );

  test.for(pagesWith('empty'))('%s says what it is where there is nothing, and what to do', async (name) => {
    const { service, base, world } = scene;
    emptyKey ??= (
      await service.post<{ api_key: { secret: string } }>('/v1/tenants', { name: 'Nothing', slug: 'nothing' })
    ).api_key.secret;
    const context = await world.browser.newContext();
    try {
      const tab = await context.newPage();
      await tab.goto(base + paths[name]);
      await signIn(tab, emptyKey);
      const empty = tab.locator('#content .empty');
      await empty.getByRole('heading').waitFor();
      expect(await empty.locator('p.muted').innerText()).not.toBe('');
      const actions = empty.locator('a[href], button:not(.copy)');
      // The page of one answer has the field for its question above.
      expect((await actions.count()) > 0).toBe(true);
      expect(await empty.locator('.command code').innerText()).toMatch(/^prefixcast /);
      await empty.locator('.command .copy').waitFor();
    } finally {
      await context.close();
    }
  });

  test.for(pagesWith('gone'))('%s leads on where the thing is not there', async (name) => {
    const path = paths[name].replace(/(?<=^[a-z]+\/)[^?]+/, (id) =>
      id.includes('...') ? '1...999999' : id === 'latest' ? '999999' : NOBODY,
    );
    await page.goto(scene.base + path);
    await page.getByRole('alert').getByRole('link', { name: 'not_found' }).first().waitFor();
    expect(await page.locator('#content h1').count()).toBe(1);
    expect(await pageFaults(page)).toEqual([]);
  });

  test.for(pagesWith('create'))('%s shows 422 at the field', async (name) => {
    await scene.go(paths[name]);
    await page.locator('#content button.primary').first().press('Enter');
    const dialog = scene.dialog();
    const named = dialog.getByLabel(NAME, { exact: true });
    await named.waitFor();
    for (const field of await dialog.locator('input:required').all())
      if ((await field.inputValue()) === '')
        await field.fill((await field.getAttribute('type')) === 'number' ? '64500' : 'x');
    for (const choice of await dialog.locator('select:required').all())
      if ((await choice.inputValue()) === '') await choice.selectOption({ index: 1 });
    // It changes the direction of text, so that no name may have it.
    await named.fill('not a name \u202e');
    await dialog.locator('button[type=submit]').press('Enter');
    await dialog.locator('.field-error').first().waitFor();
    await dialog.getByRole('alert').getByRole('link', { name: 'validation_failed' }).waitFor();
    expect(await named.getAttribute('aria-invalid')).toBe('true');
    if (isThorough) expect(await scene.violations()).toEqual([]);
  });

  test.for(pagesWith('edit'))('%s shows 412 with both versions', async (name) => {
    await scene.go(paths[name]);
    const read = page.waitForRequest((request) => /\/v1\/.*\/[0-9a-f-]{36}$/.test(request.url()));
    await page.locator('#content').getByRole('button', { name: 'Edit', exact: true }).last().press('Enter');
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
    await row.getByText(`"theirs-on-${name}"`).waitFor();
    await row.getByText('"mine"').waitFor();
    if (isThorough) expect(await scene.violations()).toEqual([]);
    await scene.service.call('PATCH', path, { [member]: before[member] });
  });

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
