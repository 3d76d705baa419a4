/** Forms that change a thing there is: what takes routes away is asked with its plan, the rest is saved at once, and a window has its way out in sight. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Bird } from '../daemons/bird/bird.ts';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { isFocused, press, tabTo } from './keyboard.ts';
import { signIn } from './pages.ts';
import { Scene } from './scene.ts';
import { startEmptyWorld, type World } from './world.ts';

const lacks = requireDaemon('bird') === null || requireDaemon('chromium-headless-shell') === null;
const CIDRS = ['61.0.0.0/24', '61.0.2.0/24', '61.0.4.0/24'];

interface Named {
  readonly id: string;
  readonly name: string;
}

describe.skipIf(lacks)('forms', () => {
  let scene: Scene<Pick<World, 'casting' | 'browser' | 'close'>>;
  let bird: Bird;
  let moduleId: string;
  let peerId: string;
  let otherCommunity: string;

  const module = () =>
    scene.service.get<{ enabled: boolean; description: string | null }>(`/v1/modules/${moduleId}`);
  /** The window that asks, above the one with the form where there is one. */
  const question = () =>
    scene.dialog().filter({ has: scene.page.getByText('What would change', { exact: true }) });
  const answer = (name: string) => question().getByRole('button', { name, exact: true });
  const asksWithTheFocusOnCancel = async (): Promise<void> => {
    await question().waitFor();
    await waitFor(() => isFocused(answer('Cancel')), { what: 'the focus on Cancel' });
  };

  beforeAll(async () => {
    scene = await Scene.open(await startEmptyWorld());
    const { casting } = scene.world;
    const { service } = casting;
    await service.call('PATCH', '/v1/settings', { auto_revision: null });
    bird = await casting.addBird();
    const make = async (community: string): Promise<string> =>
      (await service.post<{ id: string }>('/v1/communities', { community, title: community })).id;
    const communityId = await make('64500:7');
    otherCommunity = await make('64500:8');
    ({ id: moduleId } = await service.post<{ id: string }>('/v1/modules', {
      ...{ name: 'a $(list)', type: 'IP_RANGES', community_id: communityId },
    }));
    await service.post(`/v1/modules/${moduleId}/ip-range-entries`, {
      items: CIDRS.map((cidr) => ({ cidr })),
    });
    await bird.waitRoutes(CIDRS.length);
    const { items } = await service.get<{ items: Named[] }>('/v1/peers');
    peerId = items[0]!.id;
    await scene.page.goto(scene.base);
    await signIn(scene.page, service.key);
  });
  afterAll(() => scene?.close());

  test('a list that is turned off in its settings asks with what that withdraws, and only then is it off', async () => {
    const { page } = scene;
    await scene.go(`modules/${moduleId}?tab=settings`);
    // What deletes it does not touch what saves it.
    const [save, remove] = [scene.button('Save'), scene.button('Delete the module')];
    await Promise.all([save.waitFor(), remove.waitFor()]);
    const [above, below] = [(await save.boundingBox())!, (await remove.boundingBox())!];
    expect(below.y - above.y - above.height).toBeGreaterThan(20);
    await press(page, page.getByRole('checkbox', { name: 'Enabled' }), ' ');
    await press(page, scene.button('Save'));
    await asksWithTheFocusOnCancel();
    await question().getByText('−3 withdrawn').first().waitFor();
    expect(await scene.violations()).toEqual([]);
    await page.keyboard.press('Escape');
    await question().waitFor({ state: 'detached' });
    expect((await module()).enabled).toBe(true);
    await press(page, scene.button('Save'));
    await press(page, answer('Save'));
    await question().waitFor({ state: 'detached' });
    await bird.waitRoutes(0);
    // To be turned on again takes nothing away: it is done at once.
    await press(page, page.getByRole('checkbox', { name: 'Enabled' }), ' ');
    await press(page, scene.button('Save'));
    await bird.waitRoutes(CIDRS.length);
    expect(await question().count()).toBe(0);
  });

  test('a change of words alone is saved without a question', async () => {
    const { page } = scene;
    await tabTo(page, page.getByLabel('Description'));
    await page.keyboard.type('ours');
    await press(page, scene.button('Save'));
    await waitFor(async () => (await module()).description === 'ours', { what: 'the description' });
    expect(await question().count()).toBe(0);
  });

  test('an entry that is made smaller asks first; its window begins in its first field, with its buttons in sight', async () => {
    const { page, service } = scene;
    // What a router has now is what an apply has confirmed.
    await waitFor(
      async () => {
        const { items } = await service.get<{ items: unknown[] }>(
          '/v1/jobs?type=apply&state=queued&state=running',
        );
        return items.length === 0;
      },
      { what: 'every apply to end' },
    );
    await scene.go(`modules/${moduleId}`);
    await page.getByText(CIDRS[0]!).first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('e');
    const field = scene.dialog().getByLabel('Prefix or address');
    await waitFor(() => isFocused(field), { what: 'the focus in the first field' });
    await page.setViewportSize({ width: 1280, height: 400 });
    const [window, save] = await Promise.all([
      scene.dialog().boundingBox(),
      scene.dialog().getByRole('button', { name: 'Save' }).boundingBox(),
    ]);
    expect(save!.y + save!.height).toBeLessThanOrEqual(window!.y + window!.height);
    await page.setViewportSize({ width: 1280, height: 844 });
    const before = await field.inputValue();
    await page.keyboard.press('Control+A');
    await page.keyboard.type(before.replace('/24', '/25'));
    await page.keyboard.press('Enter');
    await asksWithTheFocusOnCancel();
    await question()
      .getByText(/−1 withdrawn/)
      .first()
      .waitFor();
    // To whom, and how much of it is new to them.
    await question().getByText('3 → 3 routes, 1 of them new or changed').waitFor();
    await press(page, answer('Save'));
    await scene.dialog().first().waitFor({ state: 'detached' });
    await bird.waitRoutes(CIDRS.length);
  });

  test('a router whose routes would be fewer asks first, and says that the routes stay', async () => {
    const { page, service } = scene;
    await scene.go(`peers/${peerId}`);
    await press(page, scene.button('Edit'));
    const other = scene.dialog().getByRole('checkbox', { name: /64500:8/ });
    await press(page, other, ' ');
    await page.keyboard.press('Enter');
    await asksWithTheFocusOnCancel();
    await question().getByText('The routes stay as they are. Who is sent them changes:').waitFor();
    await question().getByText('3 → 0 routes').waitFor();
    // In red, and no zero beside it says that nothing is lost.
    const lost = question().locator('.plan-peer .change-withdrawn');
    expect(await lost.innerText()).toBe('−3 withdrawn');
    expect(await question().getByText('−0').count()).toBe(0);
    const stored = await service.get<{ community_ids: string[] }>(`/v1/peers/${peerId}`);
    expect(stored.community_ids).toEqual([]);
    await press(page, answer('Save'));
    await scene.dialog().first().waitFor({ state: 'detached' });
    await bird.waitRoutes(0);
    expect((await service.get<{ community_ids: string[] }>(`/v1/peers/${peerId}`)).community_ids).toEqual([
      otherCommunity,
    ]);
  });

  test('a browser that believes itself offline asks the service all the same', async () => {
    const { page } = scene;
    await scene.go(`modules/${moduleId}`);
    await page.getByText(CIDRS[1]!).first().waitFor();
    // What a browser says whose machine has no network but loopback.
    await page.evaluate("dispatchEvent(new Event('offline'))");
    await page.keyboard.press('j');
    await page.keyboard.press('e');
    await scene.dialog().getByLabel('Prefix or address').waitFor();
    await page.keyboard.press('Escape');
    await page.evaluate("dispatchEvent(new Event('online'))");
  });

  test('a command that has a name in it runs nothing of the name', async () => {
    const { page } = scene;
    await scene.go(`modules/${moduleId}?tab=removed`);
    await page
      .locator('.command code')
      .getByText("prefixcast entry removed 'a $(list)'", { exact: true })
      .waitFor();
  });

  test('n makes a new one of what is listed, and the palette takes the exact name first', async () => {
    const { page, service } = scene;
    await scene.go('communities');
    await page.getByText('64500:7').first().waitFor();
    await page.keyboard.press('n');
    await scene.dialog().getByRole('heading', { name: 'New community' }).waitFor();
    await page.keyboard.press('Escape');
    await scene.dialog().waitFor({ state: 'detached' });
    // Letters of the page Applies.
    await service.post('/v1/modules', { name: 'li', type: 'IP_RANGES' });
    await scene.go('communities');
    await page.keyboard.press('/');
    await scene.dialog().waitFor();
    await page.keyboard.type('li');
    await page.getByRole('option', { name: 'li module' }).waitFor();
    await page.keyboard.press('Enter');
    await scene.heading('li on').waitFor();
    // A router is found by its name, and by its address, which is also looked up.
    const { items } = await service.get<{ items: (Named & { address: string })[] }>('/v1/peers');
    for (const typed of [items[0]!.name, items[0]!.address]) {
      await page.keyboard.press('/');
      await scene.dialog().waitFor();
      await page.keyboard.type(typed);
      await page.getByRole('option', { name: `${items[0]!.name} peer` }).waitFor();
      if (typed === items[0]!.address) await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await scene.heading(`${items[0]!.name} on`).waitFor();
      await scene.go('communities');
    }
    await page.keyboard.press('/');
    await scene.dialog().waitFor();
    await page.keyboard.type('builtin');
    await page.getByRole('option', { name: 'builtin speaker' }).waitFor();
    await page.keyboard.press('Enter');
    await scene.heading('builtin').waitFor();
  });

  test('a new list asks for what its kind has, and one of domains for its resolvers', async () => {
    const { page, service } = scene;
    await service.post('/v1/doh-profiles', { name: 'ours', url: 'https://198.51.100.9/dns-query' });
    await scene.go('modules');
    await page.keyboard.press('n');
    const dialog = scene.dialog();
    const interval = dialog.getByLabel('Seconds between refreshes');
    const kind = dialog.getByRole('combobox', { name: 'Type' });
    await dialog.getByLabel('Name', { exact: true }).fill('resolved');
    expect(await interval.count()).toBe(0);
    expect(await dialog.getByText('Accept an answer without prefixes').count()).toBe(0);
    await kind.selectOption({ label: 'Sources' });
    await interval.waitFor();
    expect(await dialog.getByRole('group', { name: 'Resolvers' }).count()).toBe(0);
    await kind.selectOption({ label: 'Domains' });
    await press(page, dialog.getByRole('group', { name: 'Resolvers' }).getByLabel('ours'), ' ');
    expect(await scene.violations()).toEqual([]);
    await press(page, dialog.getByRole('button', { name: 'Create' }));
    await scene.heading('resolved on').waitFor();
    const { items } = await service.get<{ items: { name: string; doh_profile_ids: string[] }[] }>(
      '/v1/modules?type=DOMAINS',
    );
    expect(items.map(({ doh_profile_ids: ids }) => ids.length)).toEqual([1]);
    // The settings of the list have the same.
    await scene.go(new URL(page.url()).pathname.replace('/console/', '') + '?tab=settings');
    expect(await page.getByRole('group', { name: 'Resolvers' }).getByLabel('ours').isChecked()).toBe(true);
    await scene.go(`modules/${moduleId}?tab=settings`);
    await page.getByLabel('Description').waitFor();
    expect(await page.getByLabel('Seconds between refreshes').count()).toBe(0);
  });

  test('what somebody else deleted meanwhile is said once, in words, and by whom', async () => {
    const { page, service } = scene;
    const path = `/v1/modules/${moduleId}/ip-range-entries`;
    const add = async (cidr: string): Promise<string> => {
      const { items } = await service.post<{ items: Named[] }>(path, { items: [{ cidr }] });
      await scene.go(`modules/${moduleId}?q=${cidr}`);
      await page.locator('.entry').waitFor();
      await page.keyboard.press('j');
      return items[0]!.id;
    };
    const dialog = scene.dialog();
    const gone = dialog
      .getByRole('alert')
      .filter({ hasText: 'There is no such IP range entry, or not any more' });
    const changed = await add('63.0.0.0/24');
    await page.keyboard.press('e');
    await dialog.getByLabel('Note').fill('too late');
    await service.call('DELETE', `${path}/${changed}`);
    await press(page, dialog.getByRole('button', { name: 'Save' }));
    await gone.waitFor();
    await dialog.getByText(/^Deleted by key:/).waitFor();
    expect(await scene.violations()).toEqual([]);
    await page.keyboard.press('Escape');
    await press(page, scene.button('Leave without saving'));
    await dialog.first().waitFor({ state: 'detached' });
    const deleted = await add('63.0.2.0/24');
    await page.keyboard.press('Delete');
    await dialog.locator('.plan').first().waitFor();
    await service.call('DELETE', `${path}/${deleted}`);
    await press(page, dialog.getByRole('button', { name: 'Delete' }));
    await gone.waitFor();
    expect(await dialog.getByRole('alert').count()).toBe(1);
    expect(await gone.innerText()).not.toMatch(/\/changes|\/ids|\/v1/);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  test('a revision that runs everywhere does not offer its apply first', async () => {
    const { page, service } = scene;
    await scene.go('revisions/applied');
    await scene.button('Apply').waitFor();
    await page.locator('#content button:not(.primary)').getByText('Apply', { exact: true }).waitFor();
    await scene.go('revisions/1');
    // The next edit would undo an apply of an older one.
    await page.locator('#content button.primary').getByText('Roll back to this', { exact: true }).waitFor();
    // Nor does one of the same routes, as a refresh makes it that finds nothing new, where nobody applies it.
    const revision = (name: string) => service.get<{ number: number }>(`/v1/revisions/${name}`);
    await waitFor(
      async () => {
        const [latest, applied] = await Promise.all([revision('latest'), revision('applied')]);
        const [jobs, edited] = await Promise.all([
          service.get<{ items: unknown[] }>('/v1/jobs?state=queued&state=running'),
          service.get<{ pending_changes: { count: number } }>(`/v1/modules/${moduleId}`),
        ]);
        return (
          latest.number === applied.number && jobs.items.length === 0 && edited.pending_changes.count === 0
        );
      },
      { what: 'all edits to be applied' },
    );
    await service.call('PATCH', '/v1/settings', { auto_apply: false });
    await service.succeeded(await service.post(`/v1/modules/${moduleId}/refresh`));
    await scene.go('revisions/latest');
    await page.getByText(/^none; revision \d+, which runs, has the same routes$/).waitFor();
    await page.locator('#content button:not(.primary)').getByText('Apply', { exact: true }).waitFor();
    await service.call('PATCH', '/v1/settings', { auto_apply: null });
  });

  test('the page of a router has what is chosen in its form', async () => {
    const { page, service } = scene;
    const { port } = await service.get<{ port: number }>(`/v1/peers/${peerId}`);
    await service.call('PATCH', `/v1/peers/${peerId}`, {
      next_hop_ipv6: '2001:db8::1',
      max_prefixes_out: 9_000,
    });
    await scene.go(`peers/${peerId}`);
    const fact = (name: string) => page.locator('.facts dt').getByText(name, { exact: true }).locator('+ dd');
    expect(await fact('Port').innerText()).toBe(String(port));
    expect((await fact('IPv6 next hop').innerText()).trim()).toBe('2001:db8::1');
    expect(await fact('With more routes').innerText()).toBe('it keeps what it has');
    expect(await page.locator('.facts').getByText('Hold time in seconds').count()).toBe(0);
    expect(await scene.violations()).toEqual([]);
    await service.call('PATCH', `/v1/peers/${peerId}`, { next_hop_ipv6: null, max_prefixes_out: null });
  });

  test('a list that is read page by page is saved whole', async () => {
    const { page, service } = scene;
    const communities = Array.from({ length: 230 }, (_, at) => ({
      ...{ method: 'POST', path: '/v1/communities' },
      body: { community: `64501:${at + 1}`, title: `one of many ${at}` },
    }));
    await service.post('/v1/changes', { changes: communities });
    await scene.go('audit?q=one%20of%20many');
    await scene.button('Show more').waitFor();
    const download = page.waitForEvent('download');
    await press(page, scene.button('CSV'));
    const text = await readFile(await (await download).path(), 'utf8');
    const saved = text.split('\r\n').filter((line) => line.includes('one of many'));
    expect(saved).toHaveLength(communities.length);
    await scene.button('Show more').waitFor({ state: 'detached' });
  });

  test('the page never complained', () => {
    expect(scene.complaints).toEqual([]);
  });
});
