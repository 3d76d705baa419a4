/** The reference as a browser shows it; how its files are served, `reference.test.ts` tries. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROUTES } from '../../src/http/server/route-table.ts';
import { type Chromium, startChromium } from '../browser/chromium.ts';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { startService, type TestService } from './service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

describe.skipIf(requireDaemon('chromium-headless-shell') === null)('in Chromium', () => {
  let browser: Chromium;
  beforeAll(async () => {
    browser = await startChromium();
  });
  afterAll(() => browser.close());

  test('every operation is shown, without a complaint, and nothing is asked for elsewhere', async () => {
    const page = await browser.newPage();
    await page.open(`${service.url}/docs`);
    const shown = (): Promise<string[]> =>
      page.evaluate(
        `[...document.querySelectorAll('[id*="/operation/"]')].map(({ id }) => id.split('/').at(-1))`,
      );
    const operations = ROUTES.map(({ operation }) => operation).sort();
    await waitFor(async () => new Set(await shown()).size >= operations.length, {
      what: 'all operations to be shown',
    });
    expect([...new Set(await shown())].sort()).toEqual(operations);
    expect(page.complaints).toEqual([]);
    expect(
      page.requested.filter((url) => !/^(data|blob):/.test(url) && !url.startsWith(`${service.url}/`)),
    ).toEqual([]);
  });
});
