/** What every story of the console has: a world, a page in it without a mouse, and what the page complained about. */
import axe from 'axe-core';
import type { BrowserContext, Page } from 'playwright-core';
import { PATIENCE_MS, waitFor } from '../daemons/wait.ts';
import { isThorough } from '../fuzz.ts';
import { isFocused, withoutMouse } from './keyboard.ts';
import { openPage, visitPage } from './pages.ts';
import type { World } from './world.ts';

/** Colours follow from the theme, and what is where from the width: two have both of each. */
const LOOKS = [
  { colorScheme: 'light', width: 390 },
  { colorScheme: 'dark', width: 1280 },
  ...(isThorough
    ? ([
        { colorScheme: 'light', width: 1280 },
        { colorScheme: 'dark', width: 390 },
      ] as const)
    : []),
] as const;

/** What a story happens in, at least. */
type Stage = Pick<World, 'casting' | 'browser' | 'close'>;

export class Scene<W extends Stage = World> {
  readonly world: W;
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors of the page, refusals of its policy, and boxes that a script would open. */
  readonly complaints: readonly string[];

  private constructor(world: W, context: BrowserContext, page: Page, complaints: readonly string[]) {
    this.world = world;
    this.context = context;
    this.page = page;
    this.complaints = complaints;
  }

  static async open<W extends Stage>(world: W): Promise<Scene<W>> {
    const context = await world.browser.newContext({ viewport: { width: 1280, height: 844 } });
    context.setDefaultTimeout(PATIENCE_MS);
    await withoutMouse(context);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('dialog', (dialog) => {
      // Whoever goes elsewhere in a story means to leave what is not saved.
      if (dialog.type() === 'beforeunload') void dialog.accept();
      else complaints.push(`a box: ${dialog.message()}`);
    });
    page.on('console', (message) => {
      // That an answer has the status 4xx is part of some stories.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        complaints.push(message.text());
    });
    return new Scene(world, context, page, complaints);
  }

  get service(): World['casting']['service'] {
    return this.world.casting.service;
  }

  get base(): string {
    return `${this.service.url}/console/`;
  }

  go(path: string): Promise<void> {
    return openPage(this.page, this.base, path);
  }

  /** As by a link: the document stays, and costs a third of the time. */
  visit(path: string): Promise<void> {
    return visitPage(this.page, this.base, path);
  }

  heading(name: string | RegExp) {
    return this.page.getByRole('heading', { name, level: 1 });
  }

  button(name: string, exact = true) {
    return this.page.getByRole('button', { name, exact });
  }

  dialog() {
    return this.page.getByRole('dialog');
  }

  /** What may do harm begins with the focus where it does none. */
  async focusIsOnCancel(): Promise<void> {
    const cancel = this.dialog().getByRole('button', { name: 'Cancel' });
    await waitFor(() => isFocused(cancel), { what: 'the focus on Cancel' });
  }

  violations(): Promise<string[]> {
    return violations(this.page);
  }

  /** Pixels that the page is wider than a narrow window. Tables scroll by themselves. */
  async overflow(): Promise<number> {
    await this.page.setViewportSize({ width: 390, height: 844 });
    const wider = await this.page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    await this.page.setViewportSize({ width: 1280, height: 844 });
    return wider;
  }

  /** Tables that a window of 1280 pixels cuts off, by what they are of. */
  async cutTables(): Promise<string[]> {
    await this.page.setViewportSize({ width: 1280, height: 844 });
    return this.page.evaluate<string[]>(
      "[...document.querySelectorAll('main .table-scroll')].filter((one) => one.scrollWidth > one.clientWidth).map((one) => `${one.getAttribute('aria-label')}: ${one.scrollWidth - one.clientWidth} px`)",
    );
  }

  close(): Promise<void> {
    return this.world.close();
  }
}

/** What axe finds on the page as it is now, in both themes and at both widths; in the soak in each theme at each width. */
export async function violations(page: Page): Promise<string[]> {
  // Once for a document: it is half a megabyte.
  if (await page.evaluate<boolean>("typeof axe === 'undefined'")) await page.evaluate(axe.source);
  const found: string[] = [];
  for (const { colorScheme, width } of LOOKS) {
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
