/** What the page of a lookup says of prefixes, of several things at once, and of routers that keep what they have. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Bird } from '../daemons/bird/bird.ts';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { isFocused, press } from './keyboard.ts';
import { signIn } from './pages.ts';
import { Scene } from './scene.ts';
import { startEmptyWorld } from './world.ts';

const lacks = requireDaemon('bird') === null || requireDaemon('chromium-headless-shell') === null;
/** As high as a line of a table at most. */
const ONE_LINE = 24;

interface Clipped {
  readonly scrollWidth: number;
  readonly clientWidth: number;
}

/** Routes inside 61.0.0.0/16. */
const MANY = 40;

describe.skipIf(lacks)('a lookup', () => {
  let scene: Scene<Awaited<ReturnType<typeof startEmptyWorld>>>;
  let whole: Bird;
  let moduleId: string;

  const add = (...cidrs: readonly string[]) =>
    scene.service.post(`/v1/modules/${moduleId}/ip-range-entries`, {
      items: cidrs.map((cidr) => ({ cidr })),
    });
  const answer = () => scene.page.locator('.lookup-answer');
  /** By keys alone, as from any page. */
  const lookUp = async (q: string): Promise<void> => {
    const { page } = scene;
    await scene.go('');
    await page.keyboard.press('g');
    await page.keyboard.press('l');
    await page.locator('.lookup-form input:focus').waitFor();
    await page.keyboard.insertText(q);
    await page.keyboard.press('Enter');
  };
  const row = (asked: string) =>
    scene.page.getByRole('row').filter({ has: scene.page.getByRole('link', { name: asked, exact: true }) });

  beforeAll(async () => {
    scene = await Scene.open(await startEmptyWorld());
    const { service, world } = scene;
    await service.call('PATCH', '/v1/settings', { auto_revision: null });
    whole = await world.casting.addBird();
    const { id } = await service.post<{ id: string }>('/v1/communities', {
      ...{ community: '64500:7', title: 'ranges' },
    });
    ({ id: moduleId } = await service.post<{ id: string }>('/v1/modules', {
      ...{ name: 'ranges', type: 'IP_RANGES', community_id: id },
    }));
    await add('5.1.246.0/24', ...Array.from({ length: MANY }, (_, at) => `61.0.${at * 2}.0/24`));
    await whole.waitRoutes(MANY + 1);
    await scene.page.goto(scene.base);
    await signIn(scene.page, service.key);
  });
  afterAll(() => scene?.close());

  test('of a prefix of which a part is announced says so, with the routes in it and what is missing', async () => {
    await lookUp('5.1.240.0/20');
    await answer().getByText('Announced in part', { exact: true }).waitFor();
    await answer().getByText('Not announced of it, at first: 5.1.240.0/22.').waitFor();
    await answer().locator('.chain').getByText('5.1.246.0/24', { exact: true }).first().waitFor();
    expect(await answer().getByText('In no list').count()).toBe(0);
    await lookUp('61.0.0.0/16');
    await answer().getByText('Announced in part', { exact: true }).waitFor();
    await answer()
      .getByText(`and ${MANY - 8} more`)
      .first()
      .waitFor();
    await lookUp('5.1.246.128/25');
    await answer().getByText('Announced', { exact: true }).waitFor();
    await lookUp('62.0.0.0/16');
    await answer().getByText('In no list', { exact: true }).waitFor();
    expect(await scene.violations()).toEqual([]);
  });

  test('of a prefix with host bits says so once, and what was meant is the next key', async () => {
    const { page } = scene;
    await lookUp('5.1.246.7/24');
    await page.getByRole('alert').getByText('has host bits set').waitFor();
    const network = page.getByRole('link', { name: 'Look up 5.1.246.0/24' });
    await waitFor(() => isFocused(network), { what: 'the focus on the network' });
    await page.getByRole('link', { name: 'Look up 5.1.246.7/32' }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(1);
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    await page.keyboard.press('Enter');
    await answer().getByText('Announced', { exact: true }).waitFor();
  });

  test('of several says the same of each, in a table that fits its window', async () => {
    await lookUp('61.0.0.0/16 5.1.246.1 10.0.0.1');
    await row('61.0.0.0/16').getByText('Announced in part', { exact: true }).waitFor();
    await row('61.0.0.0/16')
      .getByText(`and ${MANY - 3} more`)
      .waitFor();
    await row('61.0.0.0/16').getByText('not 61.0.1.0/24').waitFor();
    await row('5.1.246.1').getByText('Announced', { exact: true }).waitFor();
    await row('10.0.0.1').getByText('Bogon', { exact: true }).waitFor();
    expect(await scene.cutTables()).toEqual([]);
    expect(await scene.violations()).toEqual([]);
    // On a narrow screen, why not is in sight as well.
    await scene.page.setViewportSize({ width: 390, height: 844 });
    const why = (await row('10.0.0.1').getByText('Bogon', { exact: true }).boundingBox())!;
    expect(why.x + why.width).toBeLessThan(390);
    await scene.page.setViewportSize({ width: 1280, height: 844 });
  });

  test('of what is in a list and excluded names the step that it does not reach', async () => {
    const { service } = scene;
    const { id } = await service.post<{ id: string }>('/v1/modules', {
      ...{ name: 'never', type: 'IP_RANGES', purpose: 'exclude' },
    });
    await service.post(`/v1/modules/${id}/ip-range-entries`, { items: [{ cidr: '61.0.2.0/24' }] });
    await whole.waitRoutes(MANY);
    await lookUp('61.0.2.1');
    await answer().getByText('Not announced', { exact: true }).waitFor();
    const revision = answer().locator('.chain > li').filter({ hasText: 'Revision' });
    expect(await revision.innerText()).toMatch(/^Revision\s+none$/);
    await service.call('DELETE', `/v1/modules/${id}`);
    await whole.waitRoutes(MANY + 1);
  });

  test('of several answers those that can be read, and says of each other what is wrong with it', async () => {
    await lookUp('5.1.246.1 foo 300.1.1.1 10.0.0.1');
    await row('5.1.246.1').getByText('Announced', { exact: true }).waitFor();
    await row('10.0.0.1').getByText('Bogon', { exact: true }).waitFor();
    for (const unreadable of ['foo', '300.1.1.1']) {
      await row(unreadable).getByText('Cannot be read', { exact: true }).waitFor();
      await row(unreadable)
        .getByText(/^Neither an address or a prefix nor a domain name/)
        .waitFor();
      // The end of it is what helps.
      const reason = row(unreadable).locator('.lookup-fault');
      expect(await reason.evaluate((cell: Clipped) => cell.scrollWidth - cell.clientWidth)).toBe(0);
      expect((await reason.boundingBox())!.height).toBeGreaterThan(ONE_LINE);
    }
    expect(await scene.cutTables()).toEqual([]);
    expect(await scene.violations()).toEqual([]);
  });

  test('names a router that has more routes than it may and keeps what it has', async () => {
    const { service, world } = scene;
    const { bird, address } = await world.casting.startBird();
    await service.post('/v1/peers', {
      ...{ name: 'edge2', address, port: bird.port, remote_asn: 64_496, next_hop_ipv6: '2001:db8::1' },
      ...{ max_prefixes_out: MANY + 1 },
    });
    await bird.waitRoutes(MANY + 1);
    await add('62.0.0.0/24');
    await whole.waitRoutes(MANY + 2);
    await bird.waitRoutes(MANY + 1);
    await lookUp('62.0.0.1');
    await answer().getByText('Announced, but not everywhere', { exact: true }).waitFor();
    const edge2 = answer().locator('.chain p').filter({ hasText: 'edge2' });
    await edge2.getByText('Too many routes', { exact: true }).waitFor();
    await answer().locator('.why-not').getByText('edge2').first().waitFor();
    expect(await scene.violations()).toEqual([]);
    await lookUp('61.0.0.1');
    await answer().getByText('Announced', { exact: true }).waitFor();
    expect(await edge2.getByText('Too many routes').count()).toBe(0);
  });

  test('names a router that is up and sent other routes, and which these are', async () => {
    const { service } = scene;
    const { items } = await service.get<{ items: { id: string; name: string }[] }>('/v1/peers');
    const edge2 = items.find(({ name }) => name === 'edge2')!;
    const { id: other } = await service.post<{ id: string }>('/v1/communities', {
      ...{ community: '64500:9', title: 'other' },
    });
    const line = answer().locator('.chain p').filter({ hasText: 'edge2' });
    await service.call('PATCH', `/v1/peers/${edge2.id}`, { community_ids: [other] });
    await lookUp('61.0.0.1');
    await answer().getByText('Announced', { exact: true }).waitFor();
    await line.getByText('not sent', { exact: true }).waitFor();
    await line.getByText('it takes 64500:9 only', { exact: true }).waitFor();
    expect(await scene.violations()).toEqual([]);
    await service.call('PATCH', `/v1/peers/${edge2.id}`, { community_ids: [], families: ['ipv6'] });
    await lookUp('61.0.0.1');
    await line.getByText('it takes IPv6 only', { exact: true }).waitFor();
  });

  test('of an entry with an end says when it was collected and when it ends, one beside the other', async () => {
    const { service } = scene;
    await service.post(`/v1/modules/${moduleId}/ip-range-entries`, {
      ...{ cidr: '62.0.2.0/24', expires_at: new Date(Date.now() + 3_600_000).toISOString() },
    });
    await whole.waitRoutes(MANY + 3);
    await lookUp('62.0.2.1');
    const entry = answer().locator('.chain-entry').filter({ hasText: '62.0.2.0/24' });
    await entry.getByText('expires').waitFor();
    expect(await entry.innerText()).toMatch(/collected .*\S · expires /);
  });

  test('of what is announced leads to its exclusion by one key, with the plan first', async () => {
    const { page, service } = scene;
    const exclude = async (title: string, list: string) => {
      await page.keyboard.press('x');
      const dialog = page.getByRole('dialog', { name: title });
      await dialog.getByText('−1 withdrawn').first().waitFor();
      await scene.focusIsOnCancel();
      expect(await dialog.getByLabel('List of exclusions').locator(':checked').textContent()).toBe(list);
      expect(await scene.violations()).toEqual([]);
      await page.setViewportSize({ width: 1280, height: 844 });
      await press(page, dialog.getByRole('button', { name: 'Exclude it' }));
      await dialog.waitFor({ state: 'detached' });
    };
    await lookUp('61.0.4.0/24');
    await answer().getByText('Announced', { exact: true }).waitFor();
    // There is no such list yet: it is made with the entry, both or neither.
    await exclude('Exclude 61.0.4.0/24', 'A new list');
    await page.getByText('61.0.4.0/24 is in never announced now').waitFor();
    // By events alone: nobody loads the page again.
    await answer().getByText('Not announced', { exact: true }).waitFor();
    await answer().locator('.why-not').getByRole('link', { name: 'never announced' }).waitFor();
    expect(await scene.button('Exclude it').count()).toBe(0);
    await lookUp('61.0.6.0/24');
    await answer().getByText('Announced', { exact: true }).waitFor();
    await exclude('Exclude 61.0.6.0/24', 'never announced');
    await answer().getByText('Not announced', { exact: true }).waitFor();
    const { items } = await service.get<{ items: { id: string; name: string }[] }>('/v1/modules');
    const { id } = items.find(({ name }) => name === 'never announced')!;
    const entries = await service.get<{ items: { cidr: string }[] }>(`/v1/modules/${id}/ip-range-entries`);
    expect(entries.items.map(({ cidr }) => cidr)).toEqual(['61.0.4.0/24', '61.0.6.0/24']);
    await service.call('DELETE', `/v1/modules/${id}`);
  });

  test('opened by its address leaves the focus on the page, and says verdict and fault to who cannot see them', async () => {
    const { page } = scene;
    const said = page.locator('main > [role=status]');
    await scene.go('lookup');
    const field = page.locator('.lookup-form input');
    await waitFor(() => isFocused(field), { what: 'the focus in the field' });
    // What comes with its words is not read.
    expect(await said.textContent()).toBe('');
    await page.keyboard.type('61.0.0.1');
    await page.keyboard.press('Enter');
    await waitFor(async () => (await said.textContent()) === '61.0.0.1: Announced', { what: 'the verdict' });
    await waitFor(() => isFocused(page.locator('#content')), { what: 'the focus on the page' });
    await page.keyboard.press('Tab');
    await waitFor(() => isFocused(field), { what: 'the focus in the first control of the page' });
    await scene.go('lookup');
    await waitFor(() => isFocused(field), { what: 'the focus in the field' });
    await page.keyboard.type('999.1.1.1');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('each of its 4 numbers must be 0 to 255').waitFor();
    await waitFor(() => isFocused(page.locator('#content')), { what: 'the focus on the page' });
    await lookUp('62.0.0.1');
    await waitFor(async () => (await said.textContent())!.startsWith('62.0.0.1: Announced'), {
      what: 'the verdict',
    });
  });

  test('no page complained', () => expect(scene.complaints).toEqual([]));
});
