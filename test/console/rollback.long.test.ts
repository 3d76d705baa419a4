/** What a rollback takes back, and what brings it back: nothing does so without a question. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Bird } from '../daemons/bird/bird.ts';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { isFocused, press } from './keyboard.ts';
import { signIn } from './pages.ts';
import { Scene } from './scene.ts';
import { startEmptyWorld } from './world.ts';

const lacks = requireDaemon('bird') === null || requireDaemon('chromium-headless-shell') === null;

interface Scrolled {
  readonly scrollTop: number;
  readonly scrollHeight: number;
  readonly clientHeight: number;
}

interface Made {
  readonly id: string;
}

describe.skipIf(lacks)('a rollback', () => {
  let scene: Scene<Awaited<ReturnType<typeof startEmptyWorld>>>;
  let bird: Bird;
  let listId: string;
  let otherId: string;
  let communityId: string;

  const add = (id: string, ...cidrs: readonly string[]) =>
    scene.service.post(`/v1/modules/${id}/ip-range-entries`, { items: cidrs.map((cidr) => ({ cidr })) });
  const makeModule = async (name: string, cidrs: readonly string[]): Promise<string> => {
    const { id } = await scene.service.post<Made>('/v1/modules', {
      ...{ name, type: 'IP_RANGES', community_id: communityId },
    });
    if (cidrs.length > 0) await add(id, ...cidrs);
    return id;
  };
  const carries = (count: number, community: string) =>
    waitFor(
      async () => {
        const routes = await bird.routes();
        return routes.length === count && routes.every(({ communities }) => communities.includes(community));
      },
      { what: `${count} routes with ${community}` },
    );
  const question = () =>
    scene.dialog().filter({ has: scene.page.getByText('What would change', { exact: true }) });
  const asksWithTheFocusOnCancel = async (): Promise<void> => {
    await question().waitFor();
    const cancel = question().getByRole('button', { name: 'Cancel' });
    await waitFor(() => isFocused(cancel), { what: 'the focus on Cancel' });
  };
  const addByKeys = async (moduleId: string, cidr: string): Promise<void> => {
    const { page } = scene;
    await scene.go(`modules/${moduleId}?tab=entries`);
    await scene.button('Add an entry').waitFor();
    await page.keyboard.press('n');
    await scene.dialog().getByLabel('Prefix or address').fill(cidr);
    await page.keyboard.press('Enter');
  };

  beforeAll(async () => {
    scene = await Scene.open(await startEmptyWorld());
    const { service } = scene;
    await service.call('PATCH', '/v1/settings', { auto_revision: null });
    bird = await scene.world.casting.addBird();
    ({ id: communityId } = await service.post<Made>('/v1/communities', {
      ...{ community: '64500:7', title: 'ranges' },
    }));
    listId = await makeModule('shared list', ['61.0.0.0/24']);
    otherId = await makeModule('other', []);
    await bird.waitRoutes(1);
    await add(listId, '61.0.2.0/24', '61.0.4.0/24', '61.0.6.0/24');
    await bird.waitRoutes(4);
    await scene.page.goto(scene.base);
    await signIn(scene.page, service.key);
  });
  afterAll(() => scene?.close());

  test('of an old revision is offered first, and its apply says how long that lasts', async () => {
    const { page } = scene;
    await scene.go('revisions/1');
    const primary = page.locator('#content button.primary');
    await primary.getByText('Roll back to this', { exact: true }).waitFor();
    await press(page, scene.button('Apply'));
    await scene
      .dialog()
      .getByText(/^The next edit, whoever makes it, goes on from revision/)
      .waitFor();
    // What a sentence with a colon announces follows it.
    const topOf = async (said: RegExp) => (await scene.dialog().getByText(said).first().boundingBox())!.y;
    expect(await topOf(/^The next edit/)).toBeLessThan(await topOf(/changes like this:$/));
    await scene.focusIsOnCancel();
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    await page.keyboard.press('Escape');
    await scene.dialog().waitFor({ state: 'detached' });
    // However low the window is, its beginning is in sight, and so are its buttons.
    await page.setViewportSize({ width: 640, height: 400 });
    await page.keyboard.press('u');
    await scene.focusIsOnCancel();
    await scene.dialog().locator('.plan-speakers').waitFor();
    expect(
      await scene
        .dialog()
        .evaluate((one: Scrolled) => ({ top: one.scrollTop, isLong: one.scrollHeight > one.clientHeight })),
    ).toEqual({ top: 0, isLong: true });
    await page.setViewportSize({ width: 1280, height: 844 });
    await press(page, scene.dialog().getByRole('button', { name: 'Roll back to this' }));
    await bird.waitRoutes(1);
    // Its page names the routers that have it.
    await page.locator('.waves').getByText('has it', { exact: true }).last().waitFor();
    await page.locator('.waves li li').getByRole('link').nth(1).waitFor();
  });

  test('says what others have done while its window was open, with new numbers, before it does anything', async () => {
    const { page, service } = scene;
    const id = await makeModule('meanwhile', []);
    await scene.go('revisions/2');
    await scene.button('Roll back to this').waitFor();
    await page.keyboard.press('u');
    const window = page.getByRole('dialog', { name: 'Roll back to revision 2' });
    await window.locator('.plan-speakers').getByText('1 → 4 routes').waitFor();
    const { secret } = await service.post<{ secret: string }>('/v1/api-keys', {
      ...{ name: 'jon', role: 'operator' },
    });
    const answer = await fetch(`${service.url}/v1/modules/${id}/ip-range-entries`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ cidr: '66.0.0.0/24' }),
    });
    expect(answer.status).toBe(201);
    await bird.waitRoutes(2);
    await window
      .getByRole('alert')
      .getByText(/^Revision \d+ \(edit by key:jon\) has come/)
      .waitFor();
    await window.locator('.plan-speakers').getByText('2 → 4 routes').waitFor();
    await window.getByText('−1 withdrawn').first().waitFor();
    await scene.focusIsOnCancel();
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    await page.keyboard.press('Escape');
    await window.waitFor({ state: 'detached' });
    await service.call('DELETE', `/v1/modules/${id}`);
    await bird.waitRoutes(1);
  });

  test('an entry that is added to the list that it holds asks, with what comes back', async () => {
    const { page } = scene;
    await addByKeys(listId, '62.0.0.0/24');
    await asksWithTheFocusOnCancel();
    await question()
      .getByText(/\+4 announced/)
      .first()
      .waitFor();
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    await page.keyboard.press('Escape');
    await question().waitFor({ state: 'detached' });
    await press(page, scene.dialog().getByRole('button', { name: 'Cancel' }));
    await bird.waitRoutes(1);
    // To another list, it is added at once.
    await addByKeys(otherId, '63.0.0.0/24');
    await page.getByText('63.0.0.0/24 was added.').waitFor();
    await bird.waitRoutes(2);
  });

  test('of a community whose value has changed since says that, and an edit of any list asks before it is another again', async () => {
    const { page, service } = scene;
    await service.call('PATCH', `/v1/communities/${communityId}`, { community: '64500:8' });
    await carries(2, '64500:8');
    // The history says what has changed of a route that stayed.
    await scene.go('lookup?q=61.0.0.1');
    await page.locator('.history').getByText('64500:7 → 64500:8').waitFor();
    await scene.go('revisions/1');
    await scene.button('Roll back to this').waitFor();
    await page.keyboard.press('u');
    await scene.dialog().getByText('64500:7 is 64500:8 now.').waitFor();
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    await press(page, scene.dialog().getByRole('button', { name: 'Roll back to this' }));
    await carries(1, '64500:7');
    await addByKeys(await makeModule('third', []), '64.0.0.0/24');
    await asksWithTheFocusOnCancel();
    await question()
      .getByText(/~1 changed/)
      .first()
      .waitFor();
    await page.keyboard.press('Escape');
    await question().waitFor({ state: 'detached' });
    await press(page, scene.dialog().getByRole('button', { name: 'Cancel' }));
  });

  test('or an apply of an old revision names what it brings back although its time is over, and what a tick changes', async () => {
    const { page, service } = scene;
    const id = await makeModule('fourth', []);
    await service.post(`/v1/modules/${id}/ip-range-entries`, {
      items: [
        { cidr: '65.0.0.0/24' },
        { cidr: '65.0.2.0/24', expires_at: new Date(Date.now() + 15_000).toISOString() },
      ],
    });
    const has = async (prefix: string) => (await bird.routes()).some((route) => route.prefix === prefix);
    await waitFor(() => has('65.0.2.0/24'), { what: 'the prefix that ends' });
    const older = await service.get<{ number: number }>('/v1/revisions/latest');
    await waitFor(async () => !(await has('65.0.2.0/24')), { what: 'its end' });
    await scene.go(`revisions/${older.number}`);
    const backAgain = scene.dialog().locator('.banner').filter({ hasText: 'whose time is over' });
    await press(page, scene.button('Apply'));
    await backAgain.getByText('This announces again 1 prefix whose time is over').waitFor();
    await backAgain.getByText('65.0.2.0/24', { exact: true }).waitFor();
    await scene.focusIsOnCancel();
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    await page.keyboard.press('Escape');
    await scene.dialog().waitFor({ state: 'detached' });
    // From a comparison as well.
    await scene.go(`compare/applied...${older.number}`);
    await press(page, scene.button(`Apply ${older.number}`));
    await backAgain.getByText('65.0.2.0/24', { exact: true }).waitFor();
    await scene
      .dialog()
      .getByText(/^The next edit, whoever makes it, goes on from revision/)
      .waitFor();
    await page.keyboard.press('Escape');
    await scene.dialog().waitFor({ state: 'detached' });
    await scene.go(`revisions/${older.number}`);
    await scene.button('Roll back to this').waitFor();
    await page.keyboard.press('u');
    await backAgain.getByText('65.0.2.0/24', { exact: true }).waitFor();
    const sent = scene.dialog().locator('.plan-speakers .plan-peer').filter({ hasText: 'bird1' });
    const before = await sent.innerText();
    await scene.focusIsOnCancel();
    // Turned off as well, it brings nothing.
    await press(page, scene.dialog().getByRole('checkbox', { name: /^fourth/ }), 'Space');
    await backAgain.waitFor({ state: 'detached' });
    await waitFor(async () => (await sent.count()) === 0 || (await sent.innerText()) !== before, {
      what: 'other routes with the tick',
    });
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    await page.keyboard.press('Escape');
    await scene.dialog().waitFor({ state: 'detached' });
  });

  test('that somebody else ends while its release is asked for says so, and who it was', async () => {
    const { page } = scene;
    await scene.go(`modules/${listId}?tab=held`);
    await press(page, scene.button('Release'));
    await scene.dialog().waitFor();
    await add(listId, '62.0.2.0/24');
    const said = page.getByRole('status').filter({ hasText: 'shared list is held no more' });
    await said.getByText(/^Changed by key:/).waitFor();
    await scene.dialog().waitFor({ state: 'detached' });
  });

  test('that holds a list leaves what somebody is writing in it, where they are', async () => {
    const { page, service } = scene;
    const { number } = await service.get<{ number: number }>('/v1/revisions/latest');
    const id = await makeModule('late', ['67.0.0.0/24']);
    await waitFor(async () => (await bird.routes()).some(({ prefix }) => prefix === '67.0.0.0/24'), {
      what: 'the list',
    });
    await scene.go(`modules/${id}`);
    await scene.button('Add an entry').waitFor();
    await page.keyboard.press('n');
    const field = scene.dialog().getByLabel('Prefix or address');
    await field.fill('67.0.2.0/24');
    await service.post(`/v1/revisions/${number}/rollback`);
    await page.locator('main h1').getByText('held', { exact: true }).waitFor({ state: 'attached' });
    expect(await field.inputValue()).toBe('67.0.2.0/24');
    expect(await isFocused(field)).toBe(true);
    await page.keyboard.press('Escape');
    await press(page, page.getByRole('button', { name: 'Leave without saving' }));
    await scene.dialog().first().waitFor({ state: 'detached' });
    const tab = (name: string) => page.getByRole('link', { name, exact: true });
    expect(await tab('Entries').getAttribute('aria-current')).toBe('page');
    await press(page, tab('Held'));
    await scene.button('Release').waitFor();
    await press(page, tab('Entries'));
    await page.getByRole('grid').waitFor();
    // Whoever comes to it now begins with what holds it.
    await scene.go(`modules/${id}`);
    await scene.button('Release').waitFor();
  });

  test('that has ended is not said to end once more, however late the lists are read again', async () => {
    const { page, service } = scene;
    const { items } = await service.get<{ items: (Made & { name: string })[] }>('/v1/modules');
    const late = items.find(({ name }) => name === 'late')!;
    await addByKeys(late.id, '67.0.4.0/24');
    const ends = page.getByText('This ends the rollback of late');
    await ends.waitFor();
    let go = (): void => undefined;
    const isOn = new Promise<void>((resolve) => (go = resolve));
    await page.route(/\/v1\/modules\?/, async (route) => {
      await isOn;
      await route.continue();
    });
    await press(page, question().getByRole('button', { name: 'Save' }));
    await page.getByText('67.0.4.0/24 was added.').waitFor();
    await waitFor(async () => (await bird.routes()).some(({ prefix }) => prefix === '67.0.4.0/24'), {
      what: 'the list',
    });
    await page.locator('main h1').getByText('on', { exact: true }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Delete');
    await scene
      .dialog()
      .getByText(/−1 withdrawn/)
      .first()
      .waitFor();
    expect(await ends.count()).toBe(0);
    go();
    await page.unroute(/\/v1\/modules\?/);
    await page.keyboard.press('Escape');
    await scene.dialog().waitFor({ state: 'detached' });
  });

  test('to what is not there leads to those that are', async () => {
    const { page } = scene;
    await scene.go('compare/1...999999');
    const alert = page.getByRole('alert');
    await alert.getByText('No revision has the number 999999.').waitFor();
    await press(page, alert.getByRole('link', { name: 'the page Revisions' }));
    await scene.heading('Revisions').waitFor();
  });

  test('no page complained', () => expect(scene.complaints).toEqual([]));
});
