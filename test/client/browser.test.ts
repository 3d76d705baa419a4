/** The client in a browser, on a page of another origin than the service's. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chromium, type Page, startChromium } from '../browser/chromium.ts';
import { requireDaemon } from '../daemons/programs.ts';
import { startCasting, type Casting } from '../e2e/casting.ts';

const CLIENT = join(import.meta.dirname, '../../client/src/index.ts');

/** As a page gets it: one script, and nothing of Node.js. */
async function bundled(): Promise<string> {
  const bundle = await rolldown({ input: CLIENT, platform: 'browser' });
  const { output } = await bundle.generate({ format: 'esm' });
  await bundle.close();
  expect(output).toHaveLength(1);
  expect(output[0].code).not.toMatch(/\bnode:|\brequire\(/);
  return output[0].code;
}

describe.skipIf(requireDaemon('chromium-headless-shell') === null)('in Chromium', () => {
  let pages: Server;
  let casting: Casting;
  let browser: Chromium;
  let page: Page;

  beforeAll(async () => {
    const script = await bundled();
    pages = createServer((request, response) => {
      const isScript = request.url === '/client.js';
      response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
      response.end(isScript ? script : '<!doctype html><link rel="icon" href="data:,"><title>ours</title>');
    });
    await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
    const origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
    casting = await startCasting({ APP_CORS_ORIGINS: origin });
    browser = await startChromium();
    page = await browser.newPage();
    await page.open(origin);
    const { url, key } = casting.service;
    const options = JSON.stringify({ baseUrl: url, key });
    await page.evaluate(
      `import('/client.js').then((all) => { Object.assign(window, all); window.client = new all.PrefixcastClient(${options}); })`,
    );
  });
  afterAll(async () => {
    await browser?.close();
    await casting?.close();
    pages?.close();
  });

  const run = <T>(body: string): Promise<T> => page.evaluate<T>(`(async () => {${body}})()`);

  test('writes, waits for a job and its events, and reads a list page by page', async () => {
    const found = await run(`
      const left = new AbortController();
      const kinds = new Set();
      let isOpen;
      const opened = new Promise((resolve) => (isOpen = resolve));
      const following = (async () => {
        for await (const { kind } of client.events({ signal: left.signal, onOpen: isOpen })) kinds.add(kind);
      })().catch(() => 'left');
      await opened;
      const module = await client.post('/v1/modules', { body: { name: 'scanners', type: 'IP_RANGES' } });
      await client.post('/v1/modules/{module_id}/ip-range-entries', {
        params: { path: { module_id: module.id } },
        body: { items: [{ cidr: '8.8.4.0/24' }, { cidr: '9.9.9.0/24' }] },
      });
      const states = [];
      const build = await client.post('/v1/revisions', {});
      const job = await client.waitForJob(build.id, { onChange: ({ state }) => states.push(state) });
      const path = { revision_id: 'latest' };
      const listing = client.list('/v1/revisions/{revision_id}/prefixes', { params: { path, query: { limit: 1 } } });
      const prefixes = [];
      for await (const { prefix } of listing) prefixes.push(prefix);
      // There is no other way to wait in a page.
      while (!kinds.has('job')) await new Promise((resolve) => setTimeout(resolve, 50));
      left.abort();
      await following;
      return { state: job.state, last: states.at(-1), prefixes };
    `);
    expect(found).toEqual({
      state: 'succeeded',
      last: 'succeeded',
      prefixes: ['8.8.4.0/24', '9.9.9.0/24'],
    });
  });

  test('has problems with what headers say, which another origin sees only where it may', async () => {
    const problem = await run(`
      try {
        await client.post('/v1/modules', { body: { name: 'scanners', type: 'IP_RANGES' } });
      } catch (error) {
        return { isOurs: error instanceof ApiProblem, code: error.code, requestId: error.requestId };
      }
    `);
    expect(problem).toMatchObject({ isOurs: true, code: 'conflict' });
    expect((problem as { requestId: string }).requestId).toMatch(/^[0-9a-f-]{36}$/);
    const headers = await run<string[]>(`
      const answer = await client.request('GET', '/v1/settings');
      return [answer.headers.get('etag'), answer.headers.get('x-request-id')];
    `);
    expect(headers.every((value) => typeof value === 'string' && value !== '')).toBe(true);
    expect(page.complaints.filter((text) => !text.includes('409'))).toEqual([]);
  });
});
