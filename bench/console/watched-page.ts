/** A page of Chromium that is watched: the tasks that block it, by the browser's own observer, and the memory of its process. */
import { readFileSync } from 'node:fs';
import { chromium, type Browser, type CDPSession, type Page } from 'playwright-core';
import { programPath } from '../../test/daemons/programs.ts';

/** Tasks below 50 ms are none to the observer (https://w3c.github.io/longtasks/). */
const OBSERVE = `
  globalThis.longTasks = [];
  new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ startTime, duration }) => ({ startTime, duration }))))
    .observe({ type: 'longtask', buffered: true });`;
/** After a task, so long nothing more may come of it. */
const SETTLING_MILLISECONDS = 250;

export interface LongTask {
  /** Milliseconds since the page was asked for. */
  readonly startTime: number;
  readonly duration: number;
}

export interface Measured {
  readonly what: string;
  /** Milliseconds of the longest task; 0: none of 50 ms or more. */
  readonly longest: number;
  /** Milliseconds until what was waited for was there. */
  readonly time: number;
}

export class WatchedPage {
  readonly page: Page;
  readonly measured: Measured[] = [];
  readonly #browser: Browser;
  readonly #protocol: CDPSession;
  #peak = 0;

  private constructor(browser: Browser, page: Page, protocol: CDPSession) {
    this.#browser = browser;
    this.page = page;
    this.#protocol = protocol;
  }

  static async open(): Promise<WatchedPage> {
    const browser = await chromium.launch({
      executablePath: programPath('chromium-headless-shell'),
      // As root there is no sandbox; pages are our own.
      args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
    });
    const context = await browser.newContext({ viewport: { width: 1280, height: 844 } });
    context.setDefaultTimeout(300_000);
    await context.addInitScript(OBSERVE);
    const page = await context.newPage();
    return new WatchedPage(browser, page, await context.newCDPSession(page));
  }

  /** Carries it out, and waits until nothing more comes of it. @param act ends when what it shows is there */
  async measure(what: string, act: (page: Page) => Promise<unknown>): Promise<void> {
    await this.page.evaluate('longTasks.length = 0');
    const started = performance.now();
    await act(this.page);
    const time = performance.now() - started;
    await this.#settle();
    const longest = Math.max(0, ...(await this.longTasks()).map(({ duration }) => duration));
    this.measured.push({ what, longest, time });
    this.#peak = Math.max(this.#peak, await this.memory());
  }

  longTasks(): Promise<LongTask[]> {
    return this.page.evaluate<LongTask[]>('longTasks');
  }

  async #settle(): Promise<void> {
    for (let tasks = -1; ;) {
      await this.page.waitForTimeout(SETTLING_MILLISECONDS);
      const { length } = await this.longTasks();
      if (length === tasks) return;
      tasks = length;
    }
  }

  /** Megabytes that no other process has part in of the process that shows the page. Linux only. */
  async memory(): Promise<number> {
    const root = await this.#browser.newBrowserCDPSession();
    const { processInfo } = (await root.send('SystemInfo.getProcessInfo')) as {
      processInfo: { readonly type: string; readonly id: number }[];
    };
    await root.detach();
    const renderers = processInfo
      .filter(({ type }) => type === 'renderer')
      .map(({ id }) => privateMemory(id));
    return Math.max(0, ...renderers);
  }

  /** The most that was seen after any of the interactions. */
  get peak(): number {
    return this.#peak;
  }

  /** @param rate 4: a processor of a quarter of the speed */
  async throttle(rate: number): Promise<void> {
    await this.#protocol.send('Emulation.setCPUThrottlingRate', { rate });
  }

  close(): Promise<void> {
    return this.#browser.close();
  }
}

/** Megabytes (proc_pid_smaps(5)). */
function privateMemory(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const parts = rollup.matchAll(/^Private_(?:Clean|Dirty):\s+(\d+) kB$/gm);
  return Array.from(parts, ([, kilobytes]) => Number(kilobytes)).reduce((sum, one) => sum + one, 0) / 1_024;
}
