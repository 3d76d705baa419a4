/** The console in Chromium, by keyboard alone, against the real service: one story, in order. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { entriesFlows } from './entries-flows.ts';
import { isFocused, press, tabTo } from './keyboard.ts';
import { operationFlows } from './operation-flows.ts';
import { openPage, signIn } from './pages.ts';
import { readingFlows } from './reading-flows.ts';
import { Scene } from './scene.ts';
import { stateFlows } from './state-flows.ts';
import * as world from './world.ts';

const lacks = requireDaemon('bird') === null || requireDaemon('chromium-headless-shell') === null;

describe.skipIf(lacks)('the console', () => {
  let scene: Scene;
  let page: Page;
  beforeAll(async () => {
    scene = await Scene.open(await world.startWorld());
    page = scene.page;
  });
  afterAll(() => scene?.close());

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
    await page.goto(`${scene.base}modules`);
    await waitFor(() => isFocused(page.getByLabel('API key')), { what: 'the field for the key' });
    await page.keyboard.type('pc_s_wrong');
    await page.keyboard.press('Enter');
    await page.locator('.field-error').waitFor();
    await page.keyboard.press('Control+A');
    await page.keyboard.type(scene.service.key);
    await page.keyboard.press('Enter');
    await scene.heading('Modules').waitFor();
    expect(new URL(page.url()).pathname).toBe('/console/modules');
  });

  test('no script can read the key, nor what stands for it', async () => {
    const stored = await page.evaluate<string>(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href])',
    );
    expect(stored).not.toContain(scene.service.key);
    expect(stored).not.toMatch(/pc_|csrf/);
    const cookies = await scene.context.cookies(`${scene.base.replace('/console/', '')}/v1/auth/session`);
    expect(cookies).toMatchObject([{ httpOnly: true, sameSite: 'Strict' }]);
  });

  test('a write without the token of the session is refused', async () => {
    const status = await page.evaluate<number>(
      "fetch('/v1/revisions', { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } }).then((answer) => answer.status)",
    );
    expect(status).toBe(403);
  });

  test('flow 1: an address leads to who announces it', async () => {
    await lookUp('/', world.ANNOUNCED);
    await page.getByText('Announced', { exact: true }).waitFor();
    const chain = page.locator('.chain');
    for (const part of [world.SOURCE_MODULE, 'Revision', world.COMMUNITY, 'builtin', 'bird1'])
      await chain.getByText(part).first().waitFor();
    expect(await page.title()).toContain(world.ANNOUNCED);
  });

  test('flow 1: and why another one is not announced', async () => {
    await lookUp('Control+k', world.EXCLUDED);
    await page.getByText('Not announced', { exact: true }).waitFor();
    await page.locator('.why-not').getByText('Excluded', { exact: true }).waitFor();
    await page.locator('.why-not').getByRole('link', { name: 'excluded' }).waitFor();
  });

  test('what the service refuses is shown in its own words', async () => {
    await scene.go('lookup?q=not%20an%20address');
    const alert = page.getByRole('alert');
    await alert.waitFor();
    const code = alert.getByRole('link', { name: 'validation_failed' });
    expect(await code.getAttribute('href')).toBe('/docs/errors/validation_failed');
  });

  test('flow 2: a difference is read by j, k and x', async () => {
    const { items } = await scene.service.get<{ items: { number: number }[] }>('/v1/revisions?limit=2');
    const [after, before] = items.map(({ number }) => number);
    await scene.go(`compare/${before}...${after}`);
    await page.getByText(`+${world.ADDED} announced`).waitFor();
    const selected = page.locator('[aria-selected=true]');
    await selected.waitFor();
    const first = await selected.textContent();
    await page.keyboard.press('j');
    await waitFor(async () => (await selected.textContent()) !== first, { what: 'the next route' });
    await page.keyboard.press('x');
    await selected.getByText(world.SOURCE_MODULE).waitFor();
    await page.keyboard.press('k');
    await waitFor(async () => (await selected.textContent()) === first, { what: 'the route before' });
    expect(await page.locator('.diff-row').count()).toBeLessThan(world.ADDED / 4);
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('Next route').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' }); // which keeps keys to itself
  });

  test('flow 2: the map shows the rows, and the rows what is chosen in the map', async () => {
    await page.keyboard.press('m');
    const map = page.getByRole('application');
    await tabTo(page, map);
    await page.keyboard.press('Home');
    const part = page.locator('.address-map').getByText(/^45\.\d+\.0\.0\/16$/);
    await part.waitFor();
    const prefix = (await part.textContent())!;
    await page.keyboard.press('Enter');
    await page.getByText('Only in').getByText(prefix).waitFor();
    await page.locator('.diff-row').first().waitFor();
    for (const row of await page.locator('.diff-row .prefix').allTextContents())
      expect(row).toMatch(new RegExp(`^${prefix.split('.').slice(0, 2).join('\\.')}\\.`));
    expect(await scene.violations()).toEqual([]);
    await tabTo(page, map);
    await page.keyboard.press('Backspace');
    await page.getByRole('application', { name: '0.0.0.0/0' }).waitFor();
    await page.getByText('Only in').waitFor({ state: 'detached' });
  });

  readingFlows(() => scene);

  test('flow 4: an apply is watched until the speaker has it', async () => {
    const { items } = await scene.service.get<{
      items: { number: number; prefix_count: { ipv4: number } }[];
    }>('/v1/revisions');
    const first = items.find(({ prefix_count }) => prefix_count.ipv4 === world.FIRST + world.RANGES)!;
    await scene.go(`revisions/${first.number}`);
    await page.getByRole('button', { name: 'Roll back to this' }).waitFor();
    await page.keyboard.press('u');
    const dialog = page.getByRole('dialog');
    await dialog.getByText(`−${world.ADDED} withdrawn`).first().waitFor();
    await scene.focusIsOnCancel();
    await press(page, dialog.getByRole('button', { name: 'Roll back to this' }));
    await scene.heading(/^Apply/).waitFor();
    await page.locator('.waves').getByText('has it', { exact: true }).first().waitFor();
    await scene.heading('Apply done').waitFor();
    await scene.world.bird.waitRoutes(world.FIRST + world.RANGES);
  });

  test('flow 3: what a guardrail holds is released by who has looked at it', async () => {
    await scene.world.poison();
    await scene.go('');
    await page.getByText('Held by a guardrail').waitFor();
    await press(page, page.getByRole('link', { name: `Module ${world.SOURCE_MODULE}` }));
    await page.getByText('measured').first().waitFor();
    await page.getByText('as collected, which is held back').waitFor();
    await press(page, scene.button('Release'));
    const dialog = page.getByRole('dialog');
    const release = dialog.getByRole('button', { name: 'Release' });
    await release.waitFor();
    await scene.focusIsOnCancel();
    expect(await release.isDisabled()).toBe(true);
    expect(await scene.violations()).toEqual([]);
    // It is agreed to what is shown.
    await dialog.getByText(/−\d+ withdrawn/).waitFor();
    for (const box of await dialog.getByRole('checkbox').all()) await press(page, box, 'Space');
    await tabTo(page, dialog.getByLabel('Reason'));
    await page.keyboard.type('the provider gave its network up');
    await tabTo(page, dialog.getByLabel(`Type ${world.SOURCE_MODULE} to confirm`));
    await page.keyboard.type(world.SOURCE_MODULE);
    // Until its job is read, which may run or be done by then: the message says how that is from then on.
    const seen = Promise.withResolvers<void>();
    await page.route('**/v1/jobs/*', (route) => seen.promise.then(() => route.continue()));
    await press(page, release);
    await page.getByText('The release has begun.').waitFor();
    seen.resolve();
    await page.getByRole('link', { name: 'Its job' }).waitFor();
    // By events alone: nobody loads the page again.
    await scene.heading(`${world.SOURCE_MODULE} on`).waitFor();
    await scene.world.bird.waitRoutes(world.LEFT + world.RANGES);
    // The revision says what it came of, long after the message has gone.
    await scene.go('revisions/latest');
    await page.getByText('release of a held list').waitFor();
    await page.locator('.facts').getByRole('link', { name: world.SOURCE_MODULE }).waitFor();
    const { number } = await scene.service.get<{ number: number }>('/v1/revisions/latest');
    // What is planned next begins where this apply has ended.
    await waitFor(
      async () => (await scene.service.get<{ number: number }>('/v1/revisions/applied')).number === number,
      { what: 'the release to be applied' },
    );
    await scene.go('jobs?type=revision_build');
    await page
      .getByRole('row')
      .nth(1)
      .getByRole('link', { name: `Revision ${number}` })
      .waitFor();
  });

  entriesFlows(() => scene);
  operationFlows(() => scene);

  test('names are text, whatever is in them', async () => {
    for (const path of ['modules', `modules/${scene.world.hostileId}`]) {
      await scene.go(path);
      await page.getByText(world.HOSTILE_NAME).first().waitFor();
      expect(await page.locator('img, main script, [href^="javascript:"]').count(), path).toBe(0);
    }
    await page.getByText(world.HOSTILE_TEXT).waitFor();
  });

  test('a tab that takes the stream over misses nothing', async () => {
    const context = await scene.world.browser.newContext();
    const [first, second] = [await context.newPage(), await context.newPage()];
    const stream = first.waitForResponse((answer) => answer.url().endsWith('/v1/events'));
    await first.goto(scene.base);
    await signIn(first, scene.service.key);
    await stream;
    const held = Promise.withResolvers<void>();
    await second.route('**/v1/events', async (route) => {
      await held.promise;
      await route.continue();
    });
    await openPage(second, scene.base, `modules/${scene.world.moduleId}`);
    await first.close();
    const path = `/v1/modules/${scene.world.moduleId}`;
    await scene.service.call('PATCH', path, { description: 'said in between' });
    held.resolve();
    await second.getByText('said in between').waitFor();
    await context.close();
  });

  test('what happens before the stream of a page is open is not missed', async () => {
    const context = await scene.world.browser.newContext();
    const tab = await context.newPage();
    const held = Promise.withResolvers<void>();
    await tab.route('**/v1/events', async (route) => {
      await held.promise;
      await route.continue();
    });
    await tab.goto(scene.base);
    await signIn(tab, scene.service.key);
    await openPage(tab, scene.base, `modules/${scene.world.moduleId}`);
    const path = `/v1/modules/${scene.world.moduleId}`;
    await scene.service.call('PATCH', path, { description: 'said before anybody listened' });
    held.resolve();
    await tab.getByText('said before anybody listened').waitFor();
    await context.close();
  });

  stateFlows(() => scene);

  test('signing out ends the session, in other tabs as well', async () => {
    const other = await scene.context.newPage();
    await other.goto(`${scene.base}sessions`);
    await other.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor();
    await scene.go('');
    await press(page, scene.button('Sign out'));
    await page.getByLabel('API key').waitFor();
    await other.getByText('Your session has ended.').waitFor();
  });

  test('no page complained', () => expect(scene.complaints).toEqual([]));
});
