/** Another next hop is in no revision, and diverts the traffic of all routes that have it: it is asked about as whatever takes routes away. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Bird } from '../daemons/bird/bird.ts';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { isFocused, press, tabTo } from './keyboard.ts';
import { signIn } from './pages.ts';
import { Scene } from './scene.ts';
import { startEmptyWorld } from './world.ts';

const lacks = requireDaemon('bird') === null || requireDaemon('chromium-headless-shell') === null;

describe.skipIf(lacks)('another next hop', () => {
  let scene: Scene<Awaited<ReturnType<typeof startEmptyWorld>>>;
  let bird: Bird;

  const question = () =>
    scene.dialog().filter({ has: scene.page.getByText('What would change', { exact: true }) });
  const answer = (name: string) => question().getByRole('button', { name, exact: true });
  /** By keys, in the window that is open. */
  const write = async (nextHop: string): Promise<void> => {
    await tabTo(scene.page, scene.dialog().getByLabel('IPv4 next hop'));
    await scene.page.keyboard.type(nextHop);
    await scene.page.keyboard.press('Enter');
    await question().waitFor();
    await waitFor(() => isFocused(answer('Cancel')), { what: 'the focus on Cancel' });
  };
  /** What a router has now is what an apply has confirmed. */
  const applied = () =>
    waitFor(
      async () => {
        const path = '/v1/jobs?type=apply&state=queued&state=running';
        return (await scene.service.get<{ items: unknown[] }>(path)).items.length === 0;
      },
      { what: 'every apply to end' },
    );

  beforeAll(async () => {
    scene = await Scene.open(await startEmptyWorld());
    const { service, world } = scene;
    await service.call('PATCH', '/v1/settings', { auto_revision: null });
    bird = await world.casting.addBird();
    const { id } = await service.post<{ id: string }>('/v1/communities', {
      ...{ community: '64500:7', title: 'ranges' },
    });
    const module = await service.post<{ id: string }>('/v1/modules', {
      ...{ name: 'ranges', type: 'IP_RANGES', community_id: id },
    });
    await service.post(`/v1/modules/${module.id}/ip-range-entries`, {
      items: [{ cidr: '45.0.0.0/24' }, { cidr: '45.0.2.0/24' }],
    });
    await bird.waitRoutes(2);
    await applied();
    await scene.page.goto(scene.base);
    await signIn(scene.page, service.key);
  });
  afterAll(() => scene?.close());

  test('of a community asks first, with what it was and how many routes get it where', async () => {
    const { page } = scene;
    await scene.go('communities');
    const row = page.getByRole('row').filter({ hasText: '64500:7' });
    await press(page, row.getByRole('button', { name: 'Edit' }));
    await write('192.0.2.77');
    await question().getByText('IPv4 next hop: none → 192.0.2.77', { exact: true }).waitFor();
    await question()
      .getByText('No route comes or goes. Routers are sent them with another next hop')
      .waitFor();
    await question().getByText('~2 changed').waitFor();
    await question().getByText('2 → 2 routes, 2 of them new or changed').waitFor();
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    expect((await bird.routes()).map(({ nextHop }) => nextHop)).not.toContain('192.0.2.77');
    await press(page, answer('Save'));
    await scene.dialog().first().waitFor({ state: 'detached' });
    await waitFor(async () => (await bird.routes()).every(({ nextHop }) => nextHop === '192.0.2.77'), {
      what: 'the next hop at the router',
    });
    // The table has it from now on.
    await row.getByText('192.0.2.77', { exact: true }).waitFor();
    expect(await scene.cutTables()).toEqual([]);
  });

  test('the apply says which community it is of, who changed it, and from what to what', async () => {
    const { page } = scene;
    await applied();
    await scene.go('applies');
    const row = page.getByRole('table', { name: 'Applies', exact: true }).locator('tbody tr').first();
    await row.getByRole('link', { name: '64500:7' }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    const content = page.locator('#content');
    await content.getByText('brings its routers the change of').waitFor();
    await content.getByRole('link', { name: '64500:7' }).waitFor();
    await content.getByText('IPv4 next hop: none → 192.0.2.77', { exact: true }).waitFor();
    await content
      .getByText(/ by key:/)
      .first()
      .waitFor();
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
  });

  test('a rollback says that next hops stay as they are now', async () => {
    const { page } = scene;
    await scene.go('revisions/1');
    await page.keyboard.press('u');
    const window = scene.dialog();
    await window.getByText('Next hops are part of no revision.').waitFor();
    await window.getByText('64500:7: IPv4 next hop 192.0.2.77 (then none)', { exact: true }).waitFor();
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    await page.keyboard.press('Escape');
    await window.waitFor({ state: 'detached' });
  });

  test('of a router asks as well', async () => {
    const { page, service } = scene;
    await applied();
    const { items } = await service.get<{ items: { id: string }[] }>('/v1/peers');
    await scene.go(`peers/${items[0]!.id}`);
    await press(page, scene.button('Edit'));
    await write('192.0.2.78');
    await question().getByText('IPv4 next hop: none → 192.0.2.78', { exact: true }).waitFor();
    await question().getByText('2 → 2 routes, 2 of them new or changed').waitFor();
    await press(page, answer('Save'));
    await scene.dialog().first().waitFor({ state: 'detached' });
    await waitFor(async () => (await bird.routes()).every(({ nextHop }) => nextHop === '192.0.2.78'), {
      what: 'the next hop at the router',
    });
  });

  test('what ends the session of a router that has routes asks too, with how many leave it', async () => {
    const { page, service } = scene;
    await applied();
    const { items } = await service.get<{ items: { id: string }[] }>('/v1/peers');
    await scene.go(`peers/${items[0]!.id}`);
    await press(page, scene.button('Edit'));
    await tabTo(page, scene.dialog().getByLabel('Its AS number'));
    await page.keyboard.press('Control+a');
    await page.keyboard.type('64999');
    await page.keyboard.press('Enter');
    await question().waitFor();
    await waitFor(() => isFocused(answer('Cancel')), { what: 'the focus on Cancel' });
    await question().getByText('its session ends, and its routes leave it until another is up').waitFor();
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    await press(page, answer('Cancel'));
    await question().waitFor({ state: 'detached' });
    await press(page, scene.dialog().getByRole('button', { name: 'Cancel' }));
    expect(await bird.routes()).toHaveLength(2);
  });

  test('the applies of a router and of settings say what was changed as well', async () => {
    const { page, service } = scene;
    const content = page.locator('#content');
    const openLatest = async () => {
      await applied();
      const { items } = await service.get<{ items: { id: string }[] }>('/v1/jobs?type=apply&limit=1');
      await scene.go(`applies/${items[0]!.id}`);
    };
    await openLatest();
    await content.getByRole('link', { name: 'bird1' }).first().waitFor();
    await content.getByText('IPv4 next hop: none → 192.0.2.78', { exact: true }).waitFor();
    await service.call('PATCH', '/v1/settings', { guard_no_export: false });
    await waitFor(
      async () => {
        const { items } = await service.get<{
          items: { resource: object | null; parent_id: string | null }[];
        }>('/v1/jobs?type=apply&limit=1');
        return items[0]!.resource === null && items[0]!.parent_id !== null;
      },
      { what: 'the apply of the settings' },
    );
    await openLatest();
    await content.getByRole('link', { name: 'Settings' }).waitFor();
    await content.getByText('guard_no_export: yes → no', { exact: true }).waitFor();
  });

  test('of a router that is sent fewer routes as well, the sentence denies no figure, and every change is listed', async () => {
    const { page, service } = scene;
    const { id } = await service.post<{ id: string }>('/v1/communities', {
      ...{ community: '64500:9', title: 'others' },
    });
    const module = await service.post<{ id: string }>('/v1/modules', {
      ...{ name: 'others', type: 'IP_RANGES', community_id: id },
    });
    await service.post(`/v1/modules/${module.id}/ip-range-entries`, { items: [{ cidr: '46.0.0.0/24' }] });
    await bird.waitRoutes(3);
    await applied();
    const { items } = await service.get<{ items: { id: string }[] }>('/v1/peers');
    await scene.go(`peers/${items[0]!.id}`);
    await press(page, scene.button('Edit'));
    const form = scene.dialog();
    await form.getByLabel('Description').fill('of the lab');
    await form.getByRole('checkbox', { name: /64500:9/ }).press(' ');
    await form.getByRole('checkbox', { name: 'IPv6' }).press(' ');
    await form.getByLabel('Hold time').fill('240');
    await form.getByLabel('IPv4 next hop').fill('192.0.2.79');
    await page.keyboard.press('Enter');
    await question().waitFor();
    await question().getByText('−2 withdrawn').first().waitFor();
    await question().getByText('The revision stays as it is. What routers are sent of it changes:').waitFor();
    expect(await question().getByText('No route comes or goes').count()).toBe(0);
    const lines = await question().locator('ul').first().locator('li').allInnerTexts();
    expect(lines.map((line) => line.replace(/^Hold time.*: /, 'Hold time: '))).toEqual([
      'Description: none → of the lab',
      'Communities: all → 64500:9 others',
      'Families: IPv4 and IPv6 → IPv4',
      'Hold time: 90 → 240',
      'IPv4 next hop: 192.0.2.78 → 192.0.2.79',
    ]);
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    await press(page, answer('Cancel'));
    await question().waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await press(page, scene.button('Leave without saving'));
  });

  test('no page complained', () => expect(scene.complaints).toEqual([]));
});
