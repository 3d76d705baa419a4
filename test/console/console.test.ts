/** The console in Chromium, by keyboard alone, against the real service: one story, in order. */
import axe from 'axe-core';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { isFocused, press, tabTo, withoutMouse } from './keyboard.ts';
import { consolePages, openPage } from './pages.ts';
import * as scene from './world.ts';

const lacks = requireDaemon('bird') === null || requireDaemon('chromium-headless-shell') === null;

/** What axe finds on the page as it is now, in both themes and at both widths. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [390, 1280]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 844 });
      const faults = await page.evaluate<{ id: string; nodes: { html: string }[] }[]>(
        "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations)",
      );
      const where = `${page.url()} ${colorScheme} ${width}`;
      found.push(...faults.map(({ id, nodes }) => `${where}: ${id}: ${nodes[0]!.html.slice(0, 200)}`));
    }
  await page.emulateMedia({ colorScheme: 'light' });
  return found;
}

describe.skipIf(lacks)('the console', () => {
  let world: scene.World;
  let context: BrowserContext;
  let page: Page;
  let base: string;
  /** Errors of the page, refusals of its policy, and boxes that a script would open. */
  const complaints: string[] = [];

  beforeAll(async () => {
    world = await scene.startWorld();
    base = `${world.casting.service.url}/console/`;
    context = await world.browser.newContext({ viewport: { width: 1280, height: 844 } });
    context.setDefaultTimeout(60_000);
    await withoutMouse(context);
    page = await context.newPage();
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('dialog', (dialog) => complaints.push(`a box: ${dialog.message()}`));
    page.on('console', (message) => {
      // That an answer has the status 4xx is part of some stories.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        complaints.push(message.text());
    });
  });
  afterAll(() => world?.close());

  const heading = (name: string | RegExp) => page.getByRole('heading', { name, level: 1 });
  const button = (name: string, exact = true) => page.getByRole('button', { name, exact });
  const go = (path: string) => openPage(page, base, path);

  /** Opens the palette by that key, looks up what is typed, and leaves the answer on the page. */
  const lookUp = async (key: string, address: string) => {
    await page.keyboard.press(key);
    const field = page.getByRole('combobox', { name: 'Look up an address' });
    await waitFor(() => isFocused(field), { what: 'the field of the palette' });
    await page.keyboard.type(address);
    await page.getByRole('option', { name: `Look up ${address}` }).waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.lookup-answer').getByText(address).waitFor();
  };

  test('a deep link asks for a key, and goes on where it led', async () => {
    await page.goto(`${base}modules`);
    await waitFor(() => isFocused(page.getByLabel('API key')), { what: 'the field for the key' });
    await page.keyboard.type('pc_s_wrong');
    await page.keyboard.press('Enter');
    await page.locator('.field-error').waitFor();
    await page.keyboard.press('Control+A');
    await page.keyboard.type(world.casting.service.key);
    await page.keyboard.press('Enter');
    await heading('Modules').waitFor();
    expect(new URL(page.url()).pathname).toBe('/console/modules');
  });

  test('no script can read the key, nor what stands for it', async () => {
    const stored = await page.evaluate<string>(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href])',
    );
    expect(stored).not.toContain(world.casting.service.key);
    expect(stored).not.toMatch(/pc_|csrf/);
    const cookies = await context.cookies(`${base.replace('/console/', '')}/v1/auth/session`);
    expect(cookies).toMatchObject([{ httpOnly: true, sameSite: 'Strict' }]);
  });

  test('a write without the token of the session is refused', async () => {
    const status = await page.evaluate<number>(
      "fetch('/v1/revisions', { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } }).then((answer) => answer.status)",
    );
    expect(status).toBe(403);
  });

  test('flow 1: an address leads to who announces it', async () => {
    await lookUp('/', scene.ANNOUNCED);
    await page.getByText('Announced', { exact: true }).waitFor();
    const chain = page.locator('.chain');
    for (const part of [scene.SOURCE_MODULE, 'Revision', scene.COMMUNITY, 'builtin', 'bird1'])
      await chain.getByText(part).first().waitFor();
    expect(await page.title()).toContain(scene.ANNOUNCED);
  });

  test('flow 1: and why another one is not announced', async () => {
    await lookUp('Control+k', scene.EXCLUDED);
    await page.getByText('Not announced', { exact: true }).waitFor();
    await page.locator('.why-not').getByText('Excluded', { exact: true }).waitFor();
    await page.locator('.why-not').getByRole('link', { name: 'excluded' }).waitFor();
  });

  test('what the service refuses is shown in its own words', async () => {
    await go('lookup?q=not%20an%20address');
    const alert = page.getByRole('alert');
    await alert.waitFor();
    expect(await alert.textContent()).toContain('validation_failed');
  });

  test('flow 2: a difference is read by j, k and x', async () => {
    const { items } = await world.casting.service.get<{ items: { number: number }[] }>(
      '/v1/revisions?limit=2',
    );
    const [after, before] = items.map(({ number }) => number);
    await go(`compare/${before}...${after}`);
    await page.getByText(`+${scene.ADDED} announced`).waitFor();
    const selected = page.locator('[aria-selected=true]');
    await selected.waitFor();
    const first = await selected.textContent();
    await page.keyboard.press('j');
    await waitFor(async () => (await selected.textContent()) !== first, { what: 'the next route' });
    await page.keyboard.press('x');
    await selected.getByText(scene.SOURCE_MODULE).waitFor();
    await page.keyboard.press('k');
    await waitFor(async () => (await selected.textContent()) === first, { what: 'the route before' });
    expect(await page.locator('.diff-row').count()).toBeLessThan(scene.ADDED / 4);
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('Next route').waitFor();
    await page.keyboard.press('Escape');
  });

  test('flow 4: an apply is watched until the speaker has it', async () => {
    const { items } = await world.casting.service.get<{ items: { number: number }[] }>(
      '/v1/revisions?limit=2',
    );
    await go(`revisions/${items[1]!.number}`);
    await page.getByRole('button', { name: 'Roll back to this' }).waitFor();
    await page.keyboard.press('u');
    const dialog = page.getByRole('dialog');
    await dialog.getByText(`−${scene.ADDED} withdrawn`).waitFor();
    await waitFor(() => isFocused(dialog.getByRole('button', { name: 'Cancel' })), {
      what: 'the focus on Cancel',
    });
    await press(page, dialog.getByRole('button', { name: 'Roll back to this' }));
    await heading(/^Apply/).waitFor();
    await page.locator('.waves').getByText('has it').waitFor();
    await heading('Apply done').waitFor();
    await world.bird.waitRoutes(scene.FIRST + scene.RANGES);
  });

  test('flow 3: what a guardrail holds is released by who has looked at it', async () => {
    await world.poison();
    await go('');
    await page.getByText('Held by a guardrail').waitFor();
    await press(page, page.getByRole('link', { name: `Module ${scene.SOURCE_MODULE}` }));
    await page.getByText('measured').first().waitFor();
    await press(page, button('Release'));
    const dialog = page.getByRole('dialog');
    const release = dialog.getByRole('button', { name: 'Release' });
    await release.waitFor();
    await waitFor(() => isFocused(dialog.getByRole('button', { name: 'Cancel' })), {
      what: 'the focus on Cancel',
    });
    expect(await release.isDisabled()).toBe(true);
    expect(await violations(page)).toEqual([]);
    for (const box of await dialog.getByRole('checkbox').all()) await press(page, box, 'Space');
    await tabTo(page, dialog.getByLabel('Reason'));
    await page.keyboard.type('the provider gave its network up');
    await tabTo(page, dialog.getByLabel(`Type ${scene.SOURCE_MODULE} to confirm`));
    await page.keyboard.type(scene.SOURCE_MODULE);
    await press(page, release);
    await page.getByText('The release has begun.').waitFor();
    // By events alone: nobody loads the page again.
    await heading(`${scene.SOURCE_MODULE} on`).waitFor();
    await world.bird.waitRoutes(scene.LEFT + scene.RANGES);
  });

  test('names are text, whatever is in them', async () => {
    for (const path of ['modules', `modules/${world.hostileId}`]) {
      await go(path);
      await page.getByText(scene.HOSTILE_NAME).first().waitFor();
      expect(await page.locator('img, main script, [href^="javascript:"]').count(), path).toBe(0);
    }
    await page.getByText(scene.HOSTILE_TEXT).waitFor();
  });

  test('every page can be read by everybody, in both themes and widths', async () => {
    const found: string[] = [];
    for (const path of Object.values(await consolePages(world))) {
      await go(path);
      found.push(...(await violations(page)));
    }
    expect(found).toEqual([]);
  });

  test('signing out ends the session, in other tabs as well', async () => {
    const other = await context.newPage();
    await other.goto(`${base}sessions`);
    await other.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor();
    await go('');
    await press(page, button('Sign out'));
    await page.getByLabel('API key').waitFor();
    await other.getByText('Your session has ended.').waitFor();
  });

  test('no page complained', () => expect(complaints).toEqual([]));
});
