/** Tenants are made, stopped and started by keys, and whoever stops one has read what that takes away. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { PEER_ASN, SPEAKER_ASN } from '../e2e/casting.ts';
import { isFocused, press, tabTo } from './keyboard.ts';
import { signIn } from './pages.ts';
import { Scene } from './scene.ts';
import { startEmptyWorld } from './world.ts';

const NAME = 'Acme CDN';
const lacks = requireDaemon('bird') === null || requireDaemon('chromium-headless-shell') === null;

describe.skipIf(lacks)('tenants', () => {
  let scene: Scene<Awaited<ReturnType<typeof startEmptyWorld>>>;

  beforeAll(async () => {
    scene = await Scene.open(await startEmptyWorld({ APP_PEER_ALLOW: '127.0.0.0/8' }));
    await scene.page.goto(scene.base);
    await signIn(scene.page, scene.service.key);
  });
  afterAll(() => scene?.close());

  let acmeKey: string;
  /** What somebody of the tenant looks at. */
  let theirs: Page;
  const refusal = () => theirs.getByRole('status').getByText('The tenant acme is stopped.');

  const row = (slug: string) => scene.page.getByRole('row').filter({ hasText: slug });
  const inWindow = (name: string) => scene.dialog().getByRole('button', { name, exact: true });
  const statusOf = async (wanted: string) => {
    const { items } = await scene.service.get<{ items: { slug: string; status: string }[] }>('/v1/tenants');
    return items.find(({ slug }) => slug === wanted)?.status;
  };

  test('n makes one, as on every page that lists what can be made', async () => {
    const { page } = scene;
    await scene.go('tenants');
    await scene.button('New tenant').waitFor();
    await page.keyboard.press('n');
    await waitFor(() => isFocused(scene.dialog().getByLabel('Name', { exact: true })), { what: 'the form' });
    await page.keyboard.type(NAME);
    await tabTo(page, scene.dialog().getByLabel('Short name'));
    await page.keyboard.type('acme');
    await scene.dialog().getByText('It may announce nothing before its limits are set').waitFor();
    await page.keyboard.press('Enter');
    acmeKey = (await scene.dialog().locator('.command code').textContent())!;
    await press(page, scene.dialog().getByRole('checkbox'), ' ');
    await press(page, inWindow('Close'));
    await page.getByRole('dialog', { name: `Policy and quotas of ${NAME}` }).waitFor();
    await page.keyboard.press('Escape');
    await scene.dialog().waitFor({ state: 'detached' });
    await row('acme').waitFor();
  });

  test('Welcome says beforehand what a policy does not allow, and proposes what it allows', async () => {
    const { page, service } = scene;
    const context = await scene.world.browser.newContext({ viewport: { width: 1280, height: 844 } });
    const own = await context.newPage();
    await own.goto(`${scene.base}welcome`);
    await signIn(own, acmeKey);
    const closed = own.getByText(`The policy of ${NAME} allows none of these yet: prefixes, communities,`);
    await closed.waitFor();
    const { items } = await service.get<{ items: { id: string; slug: string }[] }>('/v1/tenants');
    const { id } = items.find(({ slug }) => slug === 'acme')!;
    await service.call('PATCH', `/v1/tenants/${id}`, {
      policy: {
        ...{ allowed_prefixes: null, allowed_communities: ['65010:*'] },
        ...{ allowed_local_asns: null, allowed_peer_networks: null },
      },
    });
    await own.reload();
    await own.getByLabel('Ranges that I type').check();
    await own.getByLabel('Prefixes or addresses').fill('45.0.0.0/24');
    expect(await own.getByLabel('Community').inputValue()).toBe('65010:100');
    expect(await closed.count()).toBe(0);
    await context.close();
    await page.bringToFront();
  });

  /** As its own key writes. */
  const asAcme = async (path: string, body: unknown): Promise<{ readonly id: string }> => {
    const answer = await fetch(`${scene.service.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${acmeKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(answer.ok, path).toBe(true);
    return (await answer.json()) as { id: string };
  };

  test('the window that stops one says what ends and how it comes back, and asks for the name', async () => {
    const { page, world } = scene;
    // The page is open while the tenant writes: no event of its own reaches anybody else.
    await scene.go('tenants');
    await row('acme').filter({ hasText: '0 of' }).waitFor();
    await asAcme('/v1/speakers', { name: 'theirs', daemon: 'builtin', local_asn: SPEAKER_ASN });
    const { bird, address } = await world.casting.startBird();
    await asAcme('/v1/peers', { name: 'edge', address, port: bird.port, remote_asn: PEER_ASN });
    const { id: communityId } = await asAcme('/v1/communities', { community: '65010:1', title: 'own' });
    const module = await asAcme('/v1/modules', {
      ...{ name: 'theirs', type: 'IP_RANGES', community_id: communityId },
    });
    await asAcme(`/v1/modules/${module.id}/ip-range-entries`, {
      items: [{ cidr: '45.0.0.0/24' }, { cidr: '45.0.2.0/24' }],
    });
    await bird.waitRoutes(2);
    theirs = await (await world.browser.newContext()).newPage();
    await theirs.goto(`${scene.base}modules`);
    await signIn(theirs, acmeKey);
    await theirs.getByRole('table', { name: 'Modules' }).waitFor();
    await page.bringToFront();
    // What tighter limits take away is said before they do.
    await press(page, row('acme').getByRole('button', { name: 'Limits' }));
    await press(page, scene.dialog().getByRole('checkbox', { name: 'Prefixes: everything' }), ' ');
    await press(page, inWindow('Review 1 change'));
    await scene.dialog().getByText('1 session goes on, and loses 2 routes.').waitFor();
    await scene.dialog().getByText('To take it back, write in the same form what was there').waitFor();
    await press(page, inWindow('Back'));
    await page.keyboard.press('Escape');
    await press(page, page.getByRole('button', { name: 'Leave without saving' }));
    await scene.dialog().first().waitFor({ state: 'detached' });
    // Whatever the row says yet, the window has what there is when it opens.
    await press(page, row('acme').getByRole('button', { name: 'Stop' }));
    await scene.focusIsOnCancel();
    await scene
      .dialog()
      .getByText(
        /^All sessions of its 1 speaker with 1 peer end at once, and routers lose every route of its 1 module with 2 entries/,
      )
      .waitFor();
    await scene.dialog().getByText('1 session ends, and 2 routes with it.').waitFor();
    await scene.dialog().getByText('starts it again').waitFor();
    // The window follows while somebody reads it.
    await asAcme(`/v1/modules/${module.id}/ip-range-entries`, { items: [{ cidr: '45.0.4.0/24' }] });
    await bird.waitRoutes(3);
    await scene
      .dialog()
      .getByText(/every route of its 1 module with 3 entries/)
      .waitFor();
    expect(await inWindow('Stop').isDisabled()).toBe(true);
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    await tabTo(page, scene.dialog().getByLabel(`Type ${NAME} to confirm`));
    await page.keyboard.type('Acme');
    await page.keyboard.press('Enter');
    expect(await statusOf('acme')).toBe('active');
    await page.keyboard.type(' CDN');
    await page.keyboard.press('Enter');
    await page.getByText(`${NAME} is stopped.`).waitFor();
    expect(await statusOf('acme')).toBe('stopped');
    await bird.waitRoutes(0);
    // Its people read why, and not that the console reconnects.
    await refusal().waitFor();
    expect(await theirs.getByText('Live updates are interrupted').count()).toBe(0);
  });

  test('one that is stopped starts from its row, and its form says that it is stopped', async () => {
    const { page } = scene;
    await press(page, row('acme').getByRole('button', { name: 'Edit' }));
    const state = scene.dialog().getByLabel('State');
    await state.waitFor();
    expect(await state.locator(':checked').textContent()).toBe('stopped');
    await page.keyboard.press('Escape');
    await press(page, row('acme').getByRole('button', { name: 'Start' }));
    await press(page, inWindow('Start'));
    await page.getByText(`${NAME} is active.`).waitFor();
    expect(await statusOf('acme')).toBe('active');
    await refusal().waitFor({ state: 'detached' });
    await asAcme('/v1/modules', { name: 'after it', type: 'IP_RANGES' });
    await theirs.getByRole('link', { name: 'after it' }).waitFor();
    await theirs.context().close();
  });

  test('one is suspended after a question, which says that its routes stay and how it goes on', async () => {
    const { page } = scene;
    await press(page, row('acme').getByRole('button', { name: 'Edit' }));
    await tabTo(page, scene.dialog().getByLabel('State'));
    await page.keyboard.type('suspended');
    await press(page, inWindow('Save'));
    const question = page.getByRole('dialog', { name: 'What would change' });
    await question
      .getByText(
        `The keys of ${NAME} are refused within a second, and its jobs wait. Routers keep its routes`,
      )
      .waitFor();
    await waitFor(() => isFocused(question.getByRole('button', { name: 'Cancel' })), { what: 'Cancel' });
    expect(await statusOf('acme')).toBe('active');
    await press(page, question.getByRole('button', { name: 'Save' }));
    await scene.dialog().first().waitFor({ state: 'detached' });
    expect(await statusOf('acme')).toBe('suspended');
    await press(page, row('acme').getByRole('button', { name: 'Start' }));
    await press(page, inWindow('Start'));
    await page.getByText(`${NAME} is active.`).last().waitFor();
  });

  test('the default tenant, which cannot be stopped, does not offer it', async () => {
    await row('default').getByRole('button', { name: 'Edit' }).waitFor();
    expect(await row('default').getByRole('button', { name: 'Stop' }).count()).toBe(0);
  });

  test('the page that is shown is in sight in the navigation, however low the window is', async () => {
    const { page, service } = scene;
    const made = await service.post<{ api_key: { secret: string } }>('/v1/tenants', {
      ...{ name: 'Other', slug: 'other' },
    });
    await page.setViewportSize({ width: 1280, height: 800 });
    const current = page.locator('.navigation nav a[aria-current=page]');
    const isInSight = async (name: string) => {
      await current.filter({ hasText: name }).waitFor();
      const inside = async () => {
        const [link, list] = await Promise.all([
          current.boundingBox(),
          page.locator('.navigation nav').boundingBox(),
        ]);
        return link!.y >= list!.y - 1 && link!.y + link!.height <= list!.y + list!.height + 1;
      };
      await waitFor(inside, { what: `${name} in sight` });
    };
    await press(page, scene.button('Another tenant'));
    await tabTo(page, page.getByLabel('API key'));
    await page.keyboard.type(made.api_key.secret);
    await page.keyboard.press('Enter');
    await page.getByLabel('Tenant', { exact: true }).waitFor();
    for (const height of [800, 600]) {
      await page.setViewportSize({ width: 1280, height });
      for (const [keys, name] of [
        ['gf', 'Feeds'],
        ['go', 'Overview'],
        ['gk', 'API keys'],
        ['gm', 'Modules'],
        ['go', 'Overview'],
        ['gu', 'Audit log'],
        ['go', 'Overview'],
      ] as const) {
        await page.keyboard.press('Escape');
        await page.evaluate("document.getElementById('content').focus()");
        for (const key of keys) await page.keyboard.press(key);
        await isInSight(name);
      }
    }
    // Whoever is there already, and has scrolled the list by Tab, sees it again as well.
    await tabTo(page, page.locator('.navigation nav a').last());
    await page.keyboard.press('g');
    await page.keyboard.press('o');
    await isInSight('Overview');
    await page.setViewportSize({ width: 1280, height: 844 });
  });

  test('no page complained', () => expect(scene.complaints).toEqual([]));
});
