/** How long a browser that has nothing yet takes to a page that answers. */
import { signIn } from '../../test/console/pages.ts';
import type { Subject } from './subject.ts';
import { WatchedPage } from './watched-page.ts';

const ROUNDS = 7;
const THROTTLE = 4;
/** Says when the heading of the page is there, by the page's own clock. */
const HEADING = `
  new MutationObserver((_, observer) => {
    if (document.querySelector('#content h1') === null) return;
    globalThis.headingAt ??= performance.now();
    observer.disconnect();
  }).observe(document, { childList: true, subtree: true });`;

interface FirstLoads {
  /** Milliseconds of each round from the request of the page until it answers. */
  readonly times: readonly number[];
  /** Bytes as they came, compressed. */
  readonly script: number;
  readonly style: number;
}

/** Of the page of keys, signed in, with an empty cache. */
export async function firstLoads({ service }: Subject): Promise<FirstLoads> {
  const times: number[] = [];
  const bytes = { script: 0, style: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    const watched = await WatchedPage.open();
    const { page } = watched;
    await page.goto(`${service.url}/console/keys`);
    await signIn(page, service.key);
    const cookies = await page.context().cookies(`${service.url}/v1/auth/session`);
    await watched.close();
    times.push(await firstLoad(`${service.url}/console/keys`, cookies, bytes));
  }
  return { times, ...bytes };
}

type Cookies = Parameters<ReturnType<WatchedPage['page']['context']>['addCookies']>[0];

async function firstLoad(
  address: string,
  cookies: Cookies,
  bytes: { script: number; style: number },
): Promise<number> {
  const watched = await WatchedPage.open();
  const { page } = watched;
  try {
    await page.context().addCookies(cookies);
    await page.addInitScript(HEADING);
    await watched.throttle(THROTTLE);
    await page.goto(address);
    await page.locator('#content h1').waitFor();
    await page.waitForTimeout(500);
    const headingAt = await page.evaluate<number>('headingAt');
    // A key that is pressed while a task runs is answered at its end.
    const busy = (await watched.longTasks()).filter(({ startTime }) => startTime <= headingAt);
    Object.assign(bytes, await page.evaluate<object>(TRANSFERRED));
    return Math.max(headingAt, ...busy.map(({ startTime, duration }) => startTime + duration));
  } finally {
    await watched.close();
  }
}

const TRANSFERRED = `(() => {
  const sum = (end) => performance.getEntriesByType('resource').filter(({ name }) => name.endsWith(end))
    .reduce((all, { encodedBodySize }) => all + encodedBodySize, 0);
  return { script: sum('.js'), style: sum('.css') };
})()`;
