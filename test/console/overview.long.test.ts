/** What the overview says when not all is as it should be, and how lists that were deleted come back. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { isFocused, press, tabTo } from './keyboard.ts';
import { signIn } from './pages.ts';
import { Scene } from './scene.ts';
import { HOSTILE_NAME, startWorld } from './world.ts';

/** So many that a guardrail holds their deletion. */
const LOST = 1_500;
const LOST_MODULE = 'a large customer';
const SAFE = 'All is announced as it should be';

const lacks = requireDaemon('bird') === null || requireDaemon('chromium-headless-shell') === null;

describe.skipIf(lacks)('the overview and what comes back', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await Scene.open(await startWorld());
    await scene.page.goto(scene.base);
    await signIn(scene.page, scene.service.key);
  });
  afterAll(() => scene?.close());
  test('the overview claims nothing while a question has no answer', async () => {
    const { page } = scene;
    await page.route('**/v1/settings', (route) =>
      route.fulfill({
        ...{ status: 503, contentType: 'application/problem+json', headers: { 'retry-after': '30' } },
        body: JSON.stringify({
          title: 'Unavailable',
          status: 503,
          code: 'unavailable',
          detail: 'It is away.',
        }),
      }),
    );
    await scene.go('');
    await page.getByText('Not everything could be read').waitFor();
    await page.getByRole('alert').getByText('It is away.').first().waitFor();
    expect(await page.getByText(SAFE).count()).toBe(0);
    await page.unroute('**/v1/settings');
    await page.reload();
    await page.getByText(SAFE).waitFor();
  });

  test('a module that was deleted and is held is said, opened, and restored', async () => {
    const { page, service } = scene;
    const { id } = await service.post<{ id: string }>('/v1/modules', {
      name: LOST_MODULE,
      type: 'IP_RANGES',
    });
    const items = Array.from({ length: LOST }, (_, at) => ({ cidr: `52.${at >> 7}.${(at & 127) * 2}.0/24` }));
    await service.post(`/v1/modules/${id}/ip-range-entries`, { items });
    const { apply_job_id: job } = await service.succeeded(await service.post(`/v1/modules/${id}/refresh`));
    await service.succeeded({ id: String(job) });
    await service.call('DELETE', `/v1/modules/${id}`);
    await scene.go('');
    await service.post('/v1/revisions');
    // By an event: nobody loads the page again.
    const line = page.getByRole('link', { name: `Deleted module ${LOST_MODULE}` });
    await line.waitFor();
    expect(await page.getByText(SAFE).count()).toBe(0);
    expect(await scene.violations()).toEqual([]);
    await press(page, line);
    await page.getByText('a guardrail holds the deletion').waitFor();
    await page.getByText('large_withdrawal').first().waitFor();
    expect(await scene.violations()).toEqual([]);
    // No list has its addresses any more, and routers do: the chain names what keeps them.
    await scene.go('lookup?q=52.0.0.1');
    await page.locator('.chain').getByText('An entry that was deleted since').waitFor();
    expect(await scene.violations()).toEqual([]);
    await press(page, page.locator('.chain').getByRole('link', { name: LOST_MODULE }));
    await press(page, scene.button('Restore'));
    await scene.focusIsOnCancel();
    await press(page, scene.dialog().getByRole('button', { name: 'Restore' }));
    await page.getByText(`${LOST_MODULE} is back.`).waitFor();
    await service.post('/v1/revisions');
    await scene.heading(`${LOST_MODULE} on`).waitFor();
    // No community at all is said as well.
    await page.locator('.facts').getByText('none', { exact: true }).waitFor();
    await scene.go('');
    await page.getByText(SAFE).waitFor();
  });

  test('a list that is off and held says both, and what keeps its routes', async () => {
    const { page, service } = scene;
    const { items } = await service.get<{ items: { id: string; name: string }[] }>('/v1/modules?limit=500');
    const { id } = items.find(({ name }) => name === LOST_MODULE)!;
    await service.call('PATCH', `/v1/modules/${id}`, { enabled: false });
    await service.post('/v1/revisions');
    await scene.go(`modules/${id}`);
    await scene.heading(`${LOST_MODULE} off, held`).waitFor();
    await page.getByText('as collected last; a guardrail holds that the list is off, and routers').waitFor();
    // Who was there before it was held is where they were.
    await press(page, page.getByRole('link', { name: 'Held', exact: true }));
    await page.getByText('The list is off, and routers keep its routes until you release that').waitFor();
    await service.call('PATCH', `/v1/modules/${id}`, { enabled: true });
    await service.post('/v1/revisions');
    await scene.heading(`${LOST_MODULE} on`).waitFor();
  });

  test('a peer whose speaker is switched off is said, and leads to both', async () => {
    const { page, service } = scene;
    const { id } = await service.post<{ id: string }>('/v1/speakers', {
      ...{ name: 'old border', daemon: 'bird', mode: 'agent', local_asn: 64_500, enabled: false },
    });
    const stranded = await service.post<{ id: string }>('/v1/peers', {
      ...{ name: 'stranded', address: '192.0.2.178', remote_asn: 64_497, speaker_ids: [id] },
    });
    await scene.go('');
    await page.getByText('The speaker is disabled:').waitFor();
    await page.getByRole('link', { name: 'stranded' }).waitFor();
    expect(await page.getByText(SAFE).count()).toBe(0);
    expect(await scene.violations()).toEqual([]);
    await service.call('DELETE', `/v1/peers/${stranded.id}`);
    await service.call('DELETE', `/v1/speakers/${id}`);
    await page.getByText(SAFE).waitFor();
  });

  test('routes that carry no community are said where communities are counted', async () => {
    const { page, service } = scene;
    const { prefix_count: all } = await service.get<{ prefix_count: { ipv4: number } }>(
      '/v1/revisions/latest',
    );
    await scene.go('revisions/latest');
    const none = page.getByRole('row').filter({ hasText: 'without a community' });
    await none.getByRole('cell', { name: LOST.toLocaleString('en'), exact: true }).waitFor();
    // The rows add up to all, as each route here carries one at most.
    const counts = await page
      .getByRole('table', { name: 'By community' })
      .locator('tbody tr')
      .evaluateAll((rows: readonly { cells: readonly { textContent: string }[] }[]) =>
        rows.map(({ cells }) => Number(cells[1]!.textContent.replaceAll(/\D/g, ''))),
      );
    expect(counts.reduce((sum, one) => sum + one, 0)).toBe(all.ipv4);
    expect(await scene.violations()).toEqual([]);
    await scene.go('compare/1...latest');
    await page.getByText(/^All routes: [\d,]+ → /).waitFor();
    const said = await page.getByText(/^All routes: /).innerText();
    expect(said).toContain(`→ ${all.ipv4.toLocaleString('en')} (`);
    await none.getByRole('cell', { name: `+${LOST.toLocaleString('en')}`, exact: true }).waitFor();
    expect(await scene.violations()).toEqual([]);
  });

  test('on a phone, a text that is out of sight makes no row of a table high', async () => {
    const { page, service } = scene;
    const { id } = await service.post<{ id: string }>('/v1/modules', { name: 'imported', type: 'IP_RANGES' });
    const cidrs = Array.from({ length: 60 }, (_, at) => `54.0.${at * 2}.0/24`);
    await service.post(`/v1/modules/${id}/ip-range-entries`, { items: cidrs.map((cidr) => ({ cidr })) });
    await service.call('DELETE', `/v1/modules/${id}/ip-range-entries`, { filter: { q: '54' } });
    await page.setViewportSize({ width: 390, height: 844 });
    await scene.go('audit');
    const rows = page.getByRole('table', { name: 'Audit log' }).locator('tbody tr');
    await rows.filter({ hasText: 'ip_range_entry.delete' }).first().waitFor();
    const heights = await Promise.all(
      (await rows.all()).map(async (row) => (await row.boundingBox())!.height),
    );
    expect(Math.max(...heights)).toBeLessThan(80);
    await page.setViewportSize({ width: 1280, height: 844 });
    await service.call('DELETE', `/v1/modules/${id}`);
  });

  test('on a phone, what a community stands for has no line for each letter', async () => {
    const { page } = scene;
    await page.setViewportSize({ width: 390, height: 844 });
    await scene.go('compare/1...latest');
    const rows = page.getByRole('table', { name: 'By community' }).locator('tbody tr');
    await rows
      .filter({ hasText: HOSTILE_NAME.trim().slice(0, 20) })
      .first()
      .waitFor();
    const heights = await Promise.all(
      (await rows.all()).map(async (row) => (await row.boundingBox())!.height),
    );
    // As many lines as so many of the widest letter need, and not one for each of them.
    expect(Math.max(...heights)).toBeLessThan(300);
    expect(await scene.overflow()).toBe(0);
    await page.setViewportSize({ width: 1280, height: 844 });
  });

  test('on a phone, a window whose title has a long name is no wider than the screen', async () => {
    const { page } = scene;
    await page.setViewportSize({ width: 390, height: 844 });
    await scene.go('tenants');
    const row = page.getByRole('row').filter({ hasText: HOSTILE_NAME.trim().slice(0, 20) });
    await press(page, row.getByRole('button', { name: 'Limits' }));
    await scene.dialog().getByRole('textbox', { name: 'Prefixes', exact: true }).waitFor();
    const beyond = await scene
      .dialog()
      .evaluate(
        (window: { scrollWidth: number; clientWidth: number }) => window.scrollWidth - window.clientWidth,
      );
    expect(beyond).toBe(0);
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 1280, height: 844 });
    // Large numbers are written as everywhere else.
    await scene.go('settings?q=guard_max_prefixes');
    await page.getByText('Default: 1,000,000', { exact: true }).waitFor();
  });

  test('deleted modules and entries are listed, and come back long after the message has gone', async () => {
    const { page, service } = scene;
    const { id } = await service.post<{ id: string }>('/v1/modules', { name: 'mistake', type: 'IP_RANGES' });
    await service.post(`/v1/modules/${id}/ip-range-entries`, { items: [{ cidr: '53.0.0.0/24' }] });
    await service.call('DELETE', `/v1/modules/${id}/ip-range-entries`, { filter: { q: '53' } });
    await scene.go(`modules/${id}?tab=removed`);
    await press(page, page.getByRole('row').filter({ hasText: '53.0.0.0/24' }).getByRole('button'));
    await press(page, scene.dialog().getByRole('button', { name: 'Restore' }));
    await page.getByText('1 entry is back.').waitFor();
    expect(await scene.violations()).toEqual([]);
    await service.call('DELETE', `/v1/modules/${id}`);
    await scene.go('modules');
    await press(page, page.getByRole('link', { name: 'Deleted', exact: true }));
    const row = page.getByRole('row').filter({ hasText: 'mistake' });
    await tabTo(page, row.getByRole('button', { name: 'Restore' }));
    expect(await scene.violations()).toEqual([]);
    await page.keyboard.press('Enter');
    await press(page, scene.dialog().getByRole('button', { name: 'Restore' }));
    await scene.heading('mistake on').waitFor();
    await service.call('DELETE', `/v1/modules/${id}`);
  });

  test('a peer is opened from its session, turned off, found among the peers, and turned on again', async () => {
    const { page, service } = scene;
    await scene.go('sessions');
    await press(page, page.getByRole('link', { name: 'bird1' }));
    await scene.heading('bird1 on').waitFor();
    await page.getByRole('row').filter({ hasText: 'established' }).waitFor();
    expect(await scene.violations()).toEqual([]);
    const turn = async () => {
      await press(page, scene.button('Edit'));
      await press(page, scene.dialog().getByRole('checkbox', { name: 'Enabled' }), ' ');
      await press(page, scene.dialog().getByRole('button', { name: 'Save' }));
    };
    const closed = () => scene.dialog().first().waitFor({ state: 'detached' });
    await turn();
    // It takes the routes of the peer away: that is asked first, with the focus where nothing happens.
    const question = scene.dialog().filter({ hasText: 'What would change' }).last();
    await waitFor(() => isFocused(question.getByRole('button', { name: 'Cancel' })), {
      what: 'the question',
    });
    await press(page, question.getByRole('button', { name: 'Save' }));
    await closed();
    await page.getByText('It is off, so no speaker has a session with it.').waitFor();
    // The button that was pressed is there, and has the focus again.
    await waitFor(() => isFocused(scene.button('Edit')), { what: 'the focus' });
    await page.keyboard.press('g');
    await page.keyboard.press('p');
    const row = page.getByRole('row').filter({ hasText: 'bird1' });
    await row.getByText('off', { exact: true }).waitFor();
    await page.getByText(HOSTILE_NAME).waitFor();
    await press(page, row.getByRole('link', { name: 'bird1' }));
    await turn();
    await closed();
    await page.getByRole('row').filter({ hasText: 'established' }).waitFor();
    const { items } = await service.get<{ items: { name: string; enabled: boolean }[] }>('/v1/peers');
    expect(items.find(({ name }) => name === 'bird1')).toMatchObject({ enabled: true });
  });

  test('rows are as high as somebody wants them, in tables and in lists, and stay so', async () => {
    const { page, service } = scene;
    const { id } = await service.post<{ id: string }>('/v1/modules', { name: 'rows', type: 'IP_RANGES' });
    await service.post(`/v1/modules/${id}/ip-range-entries`, {
      items: ['55.0.0.0/24', '55.0.2.0/24'].map((cidr) => ({ cidr })),
    });
    const distance = async (): Promise<number> => {
      const [first, second] = await Promise.all(
        [0, 1].map(async (at) => (await page.locator('.entry').nth(at).boundingBox())!.y),
      );
      return second! - first!;
    };
    await scene.go(`modules/${id}`);
    await page.locator('.entry').nth(1).waitFor();
    expect(await distance()).toBe(28);
    await tabTo(page, page.getByRole('combobox', { name: 'Rows' }));
    await page.keyboard.press('h'); // High rows
    await expect.poll(distance).toBe(36);
    await page.reload();
    await page.locator('.entry').nth(1).waitFor();
    await expect.poll(distance).toBe(36);
    await scene.go('modules');
    const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'rows', exact: true }) });
    expect((await row.boundingBox())!.height).toBeGreaterThanOrEqual(36);
    await tabTo(page, page.getByRole('combobox', { name: 'Rows' }));
    await page.keyboard.press('c'); // Compact rows
    await waitFor(async () => (await row.boundingBox())!.height < 30, { what: 'low rows' });
    await service.call('DELETE', `/v1/modules/${id}`);
  });

  test('no page complained', () => expect(scene.complaints).toEqual([]));
});
