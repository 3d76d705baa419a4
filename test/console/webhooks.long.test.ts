/** Webhooks in the console, by keys alone, with a receiver that is there, away, and back. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { isFocused, press, tabTo } from './keyboard.ts';
import { signIn } from './pages.ts';
import { Scene } from './scene.ts';
import { startEmptyWorld } from './world.ts';

interface Webhook {
  readonly id: string;
  readonly name: string;
  readonly secret_prefix: string;
}

describe.skipIf(requireDaemon('chromium-headless-shell') === null)('webhooks', () => {
  let scene: Scene<Awaited<ReturnType<typeof startEmptyWorld>>>;
  let receiver: Server;
  /** What the receiver answers, and what it was sent. */
  let status = 200;
  const received: string[] = [];
  beforeAll(async () => {
    receiver = createServer((request, response) => {
      void request.toArray().then((parts) => {
        received.push(Buffer.concat(parts as Buffer[]).toString());
        response.writeHead(status).end();
      });
    });
    await new Promise<void>((listening) => void receiver.listen(0, '127.0.0.1', listening));
    scene = await Scene.open(await startEmptyWorld());
    await scene.page.goto(scene.base);
    await signIn(scene.page, scene.service.key);
  });
  afterAll(async () => {
    receiver?.closeAllConnections();
    receiver?.close();
    await scene?.close();
  });

  const url = () => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const all = async (): Promise<readonly Webhook[]> =>
    (await scene.service.get<{ items: Webhook[] }>('/v1/webhooks')).items;
  const deliveries = () => scene.page.getByRole('table', { name: 'Deliveries' }).locator('tbody tr');

  test('the first one is made where there is none, and its secret is shown once', async () => {
    const { page } = scene;
    await page.keyboard.press('g');
    await page.keyboard.press('b');
    await scene.heading('Webhooks').waitFor();
    await page.getByText('No webhooks yet').waitFor();
    await press(page, scene.button('New webhook'));
    const dialog = scene.dialog();
    await waitFor(() => isFocused(dialog.getByLabel('Name', { exact: true })), { what: 'the form' });
    await page.keyboard.type('chat');
    await tabTo(page, dialog.getByLabel('Address of the receiver'));
    await page.keyboard.type(url());
    expect(await scene.violations()).toEqual([]);
    await page.keyboard.press('Enter');
    await dialog.getByText('It is shown once').waitFor();
    const secret = await dialog.locator('code').innerText();
    const [made] = await all();
    expect(secret.startsWith(made!.secret_prefix)).toBe(true);
    await press(page, dialog.getByLabel('I stored it'), 'Space');
    await press(page, dialog.getByRole('button', { name: 'Close' }));
    // Nobody knows yet whether it does.
    const row = page.getByRole('row').filter({ hasText: 'chat' });
    await row.getByText('nothing delivered yet', { exact: true }).waitFor();
    expect(await row.getByText('works', { exact: true }).count()).toBe(0);
  });

  test('a test says what the receiver answered, and is among the deliveries', async () => {
    const { page } = scene;
    await press(page, page.getByRole('link', { name: 'chat', exact: true }));
    await scene.heading('chat nothing delivered yet').waitFor();
    await page.getByText('Nothing was sent yet.').waitFor();
    status = 500;
    await press(page, scene.button('Send a test'));
    const said = page.getByRole('status').getByText('The receiver has not taken the test:');
    await said.waitFor();
    // Once.
    expect((await said.innerText()).match(/500/g)).toHaveLength(1);
    await scene.heading('chat nothing delivered yet').waitFor();
    await page.locator('.facts').getByText('never', { exact: true }).waitFor();
    status = 200;
    received.length = 0;
    await press(page, scene.button('Send a test'));
    await page.getByText('The receiver has taken the test. It answered 200.').waitFor();
    expect(received.map((body) => (JSON.parse(body) as { event: string }).event)).toEqual(['test']);
    await deliveries().first().getByText('delivered', { exact: true }).waitFor();
    await scene.heading('chat works').waitFor();
    await page.locator('.facts').getByText('never', { exact: true }).waitFor({ state: 'detached' });
    expect(await scene.violations()).toEqual([]);
    expect(await scene.overflow()).toBe(0);
    status = 400;
    await press(page, scene.button('Send a test'));
    await page.getByText(/The receiver has not taken the test: .*400/).waitFor();
    status = 200;
  });

  test('what happens arrives, is looked at, and is sent once more', async () => {
    const { page, service } = scene;
    await service.post('/v1/modules', { name: 'a list', type: 'IP_RANGES' });
    await service.succeeded(await service.post('/v1/revisions'));
    const revision = deliveries().filter({ hasText: 'revisions' }).first();
    // The page looks by itself: no event tells of a delivery.
    await revision.getByText('delivered', { exact: true }).waitFor();
    // A test that failed before says nothing of it any more.
    await page.getByText('The receiver has not taken the test').waitFor({ state: 'detached' });
    await press(page, revision.getByRole('button', { name: 'Show' }));
    await scene.dialog().getByRole('region', { name: 'Content' }).getByText('"number": 1').waitFor();
    expect(await scene.violations()).toEqual([]);
    await page.keyboard.press('Escape');
    await scene.dialog().waitFor({ state: 'detached' });
    const before = received.length;
    await press(page, revision.getByRole('button', { name: 'Send again' }));
    await waitFor(() => Promise.resolve(received.length > before), { what: 'the same delivery' });
    const ids = received.map((body) => (JSON.parse(body) as { id: string }).id);
    expect(ids.slice(0, before)).toContain(ids.at(-1));
  });

  test('a receiver that is away is failing, with why and when it is tried again', async () => {
    const { page, service } = scene;
    status = 503;
    const { id: community_id } = await service.post<{ id: string }>('/v1/communities', {
      ...{ community: '64500:1', title: 'ranges' },
    });
    const { id } = await service.post<{ id: string }>('/v1/modules', {
      ...{ name: 'another list', type: 'IP_RANGES', community_id },
    });
    await service.post(`/v1/modules/${id}/ip-range-entries`, { items: [{ cidr: '45.0.0.0/24' }] });
    await service.succeeded(await service.post('/v1/revisions'));
    await scene.heading('chat failing').waitFor();
    await page.locator('main .banner').getByText('Tried again').waitFor();
    await scene.go('webhooks');
    await page.getByRole('row').filter({ hasText: 'chat' }).getByText('failing', { exact: true }).waitFor();
    expect(await scene.violations()).toEqual([]);
    status = 200;
  });

  test('two receivers at one host differ in sight by the ends of their addresses, which are whole while their row has the focus', async () => {
    const { page, service } = scene;
    const address = (end: string) => `https://hooks.example.net/services/${'a'.repeat(60)}/${end}`;
    for (const end of ['first', 'second'])
      await service.post('/v1/webhooks', {
        ...{ name: `of ${end}`, url: address(end), events: ['job'], enabled: false },
      });
    await scene.go('webhooks');
    const shown = (end: string) => page.locator('.url').filter({ hasText: end });
    const isCut = (end: string) =>
      shown(end)
        .locator('.url-start')
        .evaluate(
          (start: { scrollWidth: number; clientWidth: number }) => start.scrollWidth > start.clientWidth,
        );
    for (const end of ['first', 'second']) {
      expect(await shown(end).getAttribute('title')).toBe(address(end));
      expect(await isCut(end)).toBe(true);
      const [whole, last] = [shown(end), shown(end).locator('.url-end')];
      expect(await last.innerText()).toMatch(new RegExp(`/${end}$`));
      const [outer, inner] = [(await whole.boundingBox())!, (await last.boundingBox())!];
      expect(inner.x + inner.width).toBeLessThanOrEqual(outer.x + outer.width + 1);
      // Its host, of 17 letters of 8 pixels, stands before it.
      expect(inner.x - outer.x).toBeGreaterThan(17 * 8);
    }
    await tabTo(page, page.getByRole('link', { name: 'of second' }));
    await waitFor(async () => !(await isCut('second')), { what: 'the whole address' });
    expect(await isCut('first')).toBe(true);
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    for (const { id, name } of await all())
      if (name !== 'chat') await service.call('DELETE', `/v1/webhooks/${id}`);
  });

  test('it gets another secret, and is deleted with a question', async () => {
    const { page } = scene;
    await press(page, page.getByRole('link', { name: 'chat', exact: true }));
    await press(page, scene.button('New secret'));
    await scene.focusIsOnCancel();
    await press(page, scene.dialog().getByRole('button', { name: 'New secret' }));
    await scene.dialog().getByText('It is shown once').waitFor();
    await press(page, scene.dialog().getByLabel('I stored it'), 'Space');
    await press(page, scene.dialog().getByRole('button', { name: 'Close' }));
    await press(page, scene.button('Delete'));
    await scene.focusIsOnCancel();
    await press(page, scene.dialog().getByRole('button', { name: 'Delete' }));
    await page.getByText('chat was deleted.').waitFor();
    await scene.heading('Webhooks').waitFor();
    expect(await all()).toEqual([]);
  });

  test('who may only read has no such page in the navigation', async () => {
    const { service, base, world } = scene;
    const { secret } = await service.post<{ secret: string }>('/v1/api-keys', {
      ...{ name: 'reader', role: 'viewer' },
    });
    const tab = await (await world.browser.newContext()).newPage();
    await tab.goto(base);
    await signIn(tab, secret);
    await tab.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Feeds' }).waitFor();
    expect(await tab.getByRole('link', { name: 'Webhooks' }).count()).toBe(0);
    await tab.context().close();
  });

  test('no page complained', () => expect(scene.complaints).toEqual([]));
});
