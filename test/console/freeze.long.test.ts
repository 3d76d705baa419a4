/** Applies are frozen by the first word that somebody types, and what waits then is not called announced. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Bird } from '../daemons/bird/bird.ts';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { press } from './keyboard.ts';
import { signIn } from './pages.ts';
import { Scene } from './scene.ts';
import { startEmptyWorld } from './world.ts';

const lacks = requireDaemon('bird') === null || requireDaemon('chromium-headless-shell') === null;

describe.skipIf(lacks)('a freeze', () => {
  let scene: Scene<Awaited<ReturnType<typeof startEmptyWorld>>>;
  let bird: Bird;
  let moduleId: string;
  const add = (cidr: string) =>
    scene.service.post(`/v1/modules/${moduleId}/ip-range-entries`, { items: [{ cidr }] });
  const choose = async (typed: string, choice: string): Promise<void> => {
    const { page } = scene;
    await page.keyboard.press('/');
    await page.locator('.palette-input:focus').waitFor();
    await page.keyboard.type(typed);
    await page.locator('.palette-item[data-highlighted]').getByText(choice).waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.palette').waitFor({ state: 'detached' });
  };

  beforeAll(async () => {
    scene = await Scene.open(await startEmptyWorld());
    const { service, world } = scene;
    await service.call('PATCH', '/v1/settings', { auto_revision: null });
    bird = await world.casting.addBird();
    const { id } = await service.post<{ id: string }>('/v1/communities', {
      ...{ community: '64500:7', title: 'ranges' },
    });
    ({ id: moduleId } = await service.post<{ id: string }>('/v1/modules', {
      ...{ name: 'ranges', type: 'IP_RANGES', community_id: id },
    }));
    await add('45.10.0.0/24');
    await bird.waitRoutes(1);
    await scene.page.goto(scene.base);
    await signIn(scene.page, service.key);
  });
  afterAll(() => scene?.close());

  test('is found by its word on every page, and settings by their names', async () => {
    const { page } = scene;
    for (const [path, typed] of [
      ['applies', 'freeze'],
      ['lookup?q=45.10.0.1', 'stop'],
    ] as const) {
      await scene.go(path);
      await choose(typed, 'Freeze applies');
      await scene.heading('Settings').waitFor();
      await page.getByRole('checkbox', { name: /^deploy_freeze/ }).waitFor();
    }
    await choose('auto apply', 'auto_apply');
    await page.getByRole('checkbox', { name: /^auto_apply/ }).waitFor();
    expect(await page.getByRole('checkbox', { name: /^deploy_freeze/ }).count()).toBe(0);
    expect(await scene.violations()).toEqual([]);
  });

  test('keeps routes from routers, and the history of one says so', async () => {
    const { page, service } = scene;
    await choose('freeze', 'Freeze applies');
    await press(page, page.getByRole('checkbox', { name: /^deploy_freeze/ }), 'Space');
    await press(page, scene.button('Preview and save'));
    // The window names what it changes, and what that means.
    await scene.dialog().getByRole('listitem').getByText('no → yes').waitFor();
    await scene.dialog().getByText('deploy_freeze', { exact: true }).waitFor();
    await scene.dialog().getByText('reach no router, until this is off again').waitFor();
    await scene.focusIsOnCancel();
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    await press(page, scene.dialog().getByRole('button', { name: 'Save', exact: true }));
    await scene.button('End the freeze').waitFor();
    // Who began it, and since when that is.
    const banner = page.locator('.freeze-banner');
    await banner.getByText(/^Frozen by key:\S+ \d\d:\d\d:\d\d /).waitFor();
    await banner.getByText('Revisions are built, and reach no router.', { exact: true }).waitFor();
    await add('45.20.0.0/24');
    await service.succeeded(await service.post('/v1/revisions'));
    // Nobody loads the page again for the count of what that stopped.
    await banner.getByText(/\. 1 apply has been stopped so far\.$/).waitFor();
    await scene.go('lookup?q=45.20.0.9');
    const latest = page.locator('.history li').first();
    await latest.getByText('built with it', { exact: true }).waitFor();
    await latest.getByText('Never applied: no router was sent this.').waitFor();
    expect(await latest.getByText('announced', { exact: true }).count()).toBe(0);
    expect(await scene.violations()).toEqual([]);
    await scene.go('lookup?q=45.10.0.9');
    await latest.getByText('announced', { exact: true }).waitFor();
  });

  test('ends with what waits before the eyes of who ends it', async () => {
    const { page } = scene;
    await scene.go('');
    await press(page, scene.button('End the freeze'));
    await scene
      .dialog()
      .getByText(/^Ending it applies revision \d+\.$/)
      .waitFor();
    expect(await scene.dialog().getByText('The routes stay as they are').count()).toBe(0);
    await scene
      .dialog()
      .getByRole('heading', { name: /^What revision \d+ changes at routers$/ })
      .waitFor();
    await scene.dialog().getByText('45.20.0.0/24').first().waitFor();
    await scene.focusIsOnCancel();
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    await press(page, scene.dialog().getByRole('button', { name: 'End the freeze' }));
    await bird.waitRoutes(2);
  });

  /** The only sentence about what is applied then, beside what the end of a freeze has nothing to do with. */
  const saidOfEnd = async (first: RegExp, others: readonly RegExp[] = []): Promise<void> => {
    await press(scene.page, scene.button('End the freeze'));
    const plan = scene.dialog().locator('.plan');
    await plan.getByText(first).waitFor();
    for (const other of others) await plan.getByText(other).waitFor();
    expect(await scene.dialog().innerText()).not.toMatch(
      /would (?:be applied|wait)|Nothing that is announced/,
    );
    await scene.page.keyboard.press('Escape');
    await scene.dialog().waitFor({ state: 'detached' });
  };
  const build = async (): Promise<void> => {
    const { service } = scene;
    await service.succeeded(await service.post('/v1/revisions'));
  };
  const oneIsStopped = async (): Promise<boolean> =>
    (await scene.service.get<{ stopped_applies: unknown[] }>('/v1/settings')).stopped_applies.length === 1;
  const set = (settings: object) => scene.service.call('PATCH', '/v1/settings', settings);

  test('says one thing of what is applied then: nothing, what waits, what stays, and what is not built yet', async () => {
    const { page } = scene;
    await set({ deploy_freeze: true });
    await saidOfEnd(/^Ending it applies nothing/);
    // Edits that no revision holds: the end of the freeze builds none.
    await set({ auto_revision: false });
    await add('45.30.0.0/24');
    await saidOfEnd(/^Ending it applies nothing/, [/^1 edit is in no revision yet.*auto_revision is off/]);
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    await build();
    await waitFor(oneIsStopped, { what: 'the apply to be stopped' });
    await add('45.40.0.0/24');
    await saidOfEnd(/^Ending it applies revision \d+\.$/, [
      /^1 edit is in no revision yet/,
      /^What revision \d+ changes at routers$/,
    ]);
    // Where nothing is applied by itself, the end of the freeze applies nothing either.
    await set({ auto_apply: false });
    await saidOfEnd(/^Ending it applies nothing/, [/^Revision \d+ stays as it is/]);
    await set({ auto_apply: true });
    // A revision that is held stays so, and the one before it is applied.
    await set({ guard_scope: 'revision', guard_min_prefix_length_ipv4: 25 });
    await build();
    await saidOfEnd(/^Ending it applies revision \d+\.$/, [/^Revision \d+ is held by a guardrail/]);
    await set({ guard_scope: null, guard_min_prefix_length_ipv4: null, deploy_freeze: null });
  });

  test('no page complained', () => expect(scene.complaints).toEqual([]));
});
