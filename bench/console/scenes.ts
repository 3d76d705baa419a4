/** What people do where there is much, each step by itself. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { waitFor } from '../../test/daemons/wait.ts';
import { signIn } from '../../test/console/pages.ts';
import { ENTRIES, entriesCsv, MODULES, PEERS, ROUTES, type Subject } from './subject.ts';
import type { WatchedPage } from './watched-page.ts';

/** Pixels. */
const ROW = 28;
/** As many as a difference lists. */
const LISTED_ROUTES = 100_000;
const ON_AND_ON = 'to the end of what is there, until all is';

type Scene = (watched: WatchedPage, subject: Subject) => Promise<void>;

export const SCENES: Readonly<Record<string, Scene>> = {
  async [`${ENTRIES} entries, grid`](watched, subject) {
    await begin(watched, subject);
    const grid = (page: Page) => page.getByRole('grid');
    await watched.measure('open', async (page) => {
      await page.goto(addressOf(subject, `modules/${subject.moduleId}`));
      await page.locator('.entry').first().waitFor();
    });
    await watched.measure('key down, 50 times', async (page) => {
      await grid(page).focus();
      await keys(page, 'ArrowDown', 50);
    });
    await watched.measure(ON_AND_ON, (page) => further(page, ENTRIES, () => page.keyboard.press('End')));
    await watched.measure('wheel', (page) => wheel(page));
    await watched.measure('select one', (page) => page.keyboard.press(' '));
    await watched.measure('filter by text', async (page) => {
      await page.getByRole('searchbox').pressSequentially('customer 4711');
      await page.locator('.entry').getByText('customer 4711').first().waitFor();
    });
    await watched.measure('filter by an address', async (page) => {
      await page.getByRole('searchbox').fill('11.1.7.1');
      await page.locator('.entry').getByText('11.1.7.0/24').waitFor();
    });
    await watched.measure('no filter', async (page) => {
      await page.getByRole('searchbox').fill('');
      await page.locator('.entry').nth(20).waitFor();
    });
  },

  async [`${ENTRIES} entries, text`](watched, subject) {
    await begin(watched, subject);
    const editor = (page: Page) => page.getByRole('textbox', { name: 'Entries as CSV' });
    const drop = async (page: Page, text: string): Promise<void> => {
      // As a file of the disk: what is given as bytes becomes a file by a task of the page.
      const file = join(subject.directory, 'entries.csv');
      await writeFile(file, text);
      await page.locator('input[type=file]').setInputFiles(file);
    };
    await watched.measure('open', async (page) => {
      await page.goto(addressOf(subject, `modules/${subject.moduleId}?tab=text`));
      await editor(page).locator('.cm-line').first().waitFor();
    });
    await watched.measure('to the end', async (page) => {
      await editor(page).focus();
      await page.keyboard.press('Control+End');
      await editor(page).getByText('customer 99998').waitFor();
    });
    await watched.measure('type a line', (page) => page.keyboard.type('200.1.0.0/24,new,true,,\n'));
    await watched.measure('wheel', (page) => wheel(page));
    await watched.measure('search', async (page) => {
      await page.keyboard.press('Control+f');
      await page.keyboard.type('customer 50000');
      await page.keyboard.press('Enter');
      await editor(page).getByText('customer 50000').waitFor();
      await page.keyboard.press('Escape');
    });
    await watched.measure('preview', async (page) => {
      await page.getByRole('button', { name: 'Preview', exact: true }).click();
      await page.getByText('1 new').waitFor();
    });
    await watched.measure('save', async (page) => {
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('Saved: 1 new').waitFor();
    });
    await watched.measure('drop a file of as many', async (page) => {
      await drop(page, entriesCsv(ENTRIES, 10 * ENTRIES));
      await page.getByText(/^100.000 new/).waitFor();
    });
    await watched.measure('undo that', async (page) => {
      await editor(page).focus();
      await page.keyboard.press('Control+z');
      await page.getByText('customer 1000000').waitFor({ state: 'detached' });
    });
    await watched.measure('a fault in line 60,000', async (page) => {
      const lines = entriesCsv().split('\n');
      lines[59_999] = '10.0.0.1/24,,true,';
      await drop(page, lines.join('\n'));
      await page.getByRole('button', { name: 'Line 60,000' }).click();
      await editor(page).getByText('10.0.0.1/24').waitFor();
    });
  },

  async [`${ROUTES} routes in a diff`](watched, subject) {
    await begin(watched, subject);
    await watched.measure('open', async (page) => {
      await page.goto(addressOf(subject, 'compare/1...2'));
      await page.locator('.diff-row').first().waitFor();
    });
    await watched.measure('j, 50 times', (page) => keys(page, 'j', 50));
    await watched.measure('x', (page) => page.keyboard.press('x'));
    await watched.measure(ON_AND_ON, (page) =>
      further(page, LISTED_ROUTES, () => page.evaluate("document.querySelector('.diff').scrollTop = 1e9")),
    );
    await watched.measure('wheel', (page) => wheel(page));
    await watched.measure('map', async (page) => {
      await page.keyboard.press('m');
      await page.getByRole('application').waitFor();
    });
    await watched.measure('into a part of the map', async (page) => {
      await page.getByRole('application').focus();
      await page.keyboard.press('Home');
      await page.keyboard.press('Enter');
      await page.getByText('Only in').waitFor();
    });
    await watched.measure('and out again', async (page) => {
      await page.getByRole('application').focus();
      await page.keyboard.press('Backspace');
      await page.getByRole('application', { name: '0.0.0.0/0' }).waitFor();
    });
  },

  async [`${PEERS} peers on the board`](watched, subject) {
    await begin(watched, subject);
    await watched.measure('open', async (page) => {
      await page.goto(addressOf(subject, 'sessions'));
      await page.getByRole('row').nth(20).waitFor();
    });
    await watched.measure('filter', async (page) => {
      await page.getByRole('searchbox').pressSequentially('router 77');
      await page.getByRole('row').nth(20).waitFor({ state: 'detached' });
    });
    await watched.measure('no filter', async (page) => {
      await page.getByRole('searchbox').fill('');
      await page.getByRole('row').nth(20).waitFor();
    });
    await watched.measure('sort', (page) => page.getByRole('button', { name: 'Address' }).click());
    await watched.measure('a session goes down, and up again', async (page) => {
      const path = `/v1/peers/${subject.peerId}`;
      await subject.service.call('PATCH', path, { enabled: false });
      await page.waitForTimeout(2_000);
      await subject.service.call('PATCH', path, { enabled: true });
      await page.waitForTimeout(3_000);
    });
    await watched.measure('wheel', (page) => wheel(page));
  },

  async [`${MODULES} modules in the list`](watched, subject) {
    await begin(watched, subject);
    await watched.measure('open', async (page) => {
      await page.goto(addressOf(subject, 'modules'));
      await page.getByRole('row').nth(20).waitFor();
    });
    await watched.measure('filter', async (page) => {
      await page.getByRole('searchbox').pressSequentially('customer 777');
      await page.getByRole('row').nth(20).waitFor({ state: 'detached' });
    });
    await watched.measure('no filter', async (page) => {
      await page.getByRole('searchbox').fill('');
      await page.getByRole('row').nth(20).waitFor();
    });
    await watched.measure('sort', (page) => page.getByRole('button', { name: 'Name' }).click());
    await watched.measure('wheel', (page) => wheel(page));
    await watched.measure('somebody changes one', async (page) => {
      const path = `/v1/modules/${subject.moduleId}`;
      await subject.service.call('PATCH', path, { description: 'changed' });
      await page.waitForTimeout(3_000);
    });
    await watched.measure('find one in the palette', async (page) => {
      await page.keyboard.press('Control+k');
      await page.keyboard.type('customer 4711');
      await page.getByRole('option', { name: 'customer 4711' }).first().waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'customer 4711', level: 1 }).waitFor();
    });
    await watched.measure('overview', async (page) => {
      await page.keyboard.press('g');
      await page.keyboard.press('o');
      await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    });
  },
};

function addressOf({ service }: Subject, path: string): string {
  return `${service.url}/console/${path}`;
}

async function begin({ page }: WatchedPage, subject: Subject): Promise<void> {
  // A page that is quick everywhere.
  await page.goto(addressOf(subject, 'keys'));
  await signIn(page, subject.service.key);
}

async function keys(page: Page, key: string, times: number): Promise<void> {
  for (let at = 0; at < times; at++) await page.keyboard.press(key);
}

async function wheel(page: Page): Promise<void> {
  await page.mouse.move(700, 500);
  for (let at = 0; at < 30; at++) await page.mouse.wheel(0, at < 15 ? -2_000 : 1_500);
}

/** Reads further pages of a list, until so many rows are there. */
async function further(page: Page, rows: number, goToEnd: () => Promise<unknown>): Promise<void> {
  const height = "document.querySelector('.entries-rows, .diff-rows').clientHeight";
  const isThere = async (): Promise<boolean> => {
    if ((await page.evaluate<number>(height)) >= rows * ROW) return true;
    await goToEnd();
    return false;
  };
  await waitFor(isThere, { what: 'all rows', timeoutMs: 300_000 });
}
