/** Where no canary can take a revision, nothing reaches a router: whoever switches the last one off reads that before, and the overview says it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addSilentNode } from '../cli/desk/silent-node.ts';
import type { Bird } from '../daemons/bird/bird.ts';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { SPEAKER_ASN } from '../e2e/casting.ts';
import { press, tabTo } from './keyboard.ts';
import { signIn } from './pages.ts';
import { Scene } from './scene.ts';
import { startEmptyWorld } from './world.ts';

const lacks = requireDaemon('bird') === null || requireDaemon('chromium-headless-shell') === null;

interface All {
  readonly items: readonly { readonly id: string; readonly name: string }[];
}

describe.skipIf(lacks)('the only canary', () => {
  let scene: Scene<Awaited<ReturnType<typeof startEmptyWorld>>>;
  let bird: Bird;
  let moduleId: string;
  let canaryId: string;
  const set = (settings: object) => scene.service.call('PATCH', '/v1/settings', settings);
  const add = (cidr: string) =>
    scene.service.post(`/v1/modules/${moduleId}/ip-range-entries`, { items: [{ cidr }] });
  const attention = () => scene.page.locator('.attention');

  beforeAll(async () => {
    scene = await Scene.open(await startEmptyWorld());
    const { service, world } = scene;
    bird = await world.casting.addBird();
    const { items: speakers } = await service.get<All>('/v1/speakers');
    const { items: peers } = await service.get<All>('/v1/peers');
    await service.call('PATCH', `/v1/peers/${peers[0]!.id}`, { speaker_ids: [speakers[0]!.id] });
    ({ id: canaryId } = await service.post<{ id: string }>('/v1/speakers', {
      ...{ name: 'first', daemon: 'builtin', local_asn: SPEAKER_ASN },
    }));
    const { id: community_id } = await service.post<{ id: string }>('/v1/communities', {
      ...{ community: '64500:7', title: 'ours' },
    });
    ({ id: moduleId } = await service.post<{ id: string }>('/v1/modules', {
      ...{ name: 'list', type: 'IP_RANGES', community_id },
    }));
    await set({ auto_revision: null });
    await add('61.0.0.0/24');
    await bird.waitRoutes(1);
    await set({ deploy_canary_speaker_ids: [canaryId], deploy_canary_soak_seconds: 1 });
    await scene.page.goto(scene.base);
    await signIn(scene.page, service.key);
  });
  afterAll(() => scene?.close());

  test('is switched off after a warning', async () => {
    const { page } = scene;
    await scene.go(`speakers/${canaryId}`);
    await press(page, scene.button('Edit'));
    await press(page, scene.dialog().getByRole('checkbox', { name: 'Enabled' }), ' ');
    await press(page, scene.dialog().getByRole('button', { name: 'Save' }));
    const asking = page.getByRole('dialog', { name: 'What would change' });
    await asking.locator('.banner').getByText('no revision comes to any speaker').waitFor();
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    await press(page, asking.getByRole('button', { name: 'Save' }));
    await scene.heading('first off').waitFor();
  });

  test('is missed on the overview before a revision needs it, and where one has not come', async () => {
    const { page, service } = scene;
    await scene.go('');
    const line = attention().locator('li').filter({ hasText: 'No canary' });
    await line.getByRole('link', { name: 'first' }).waitFor();
    await line.getByRole('link', { name: 'Choose canaries' }).waitFor();
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    await add('61.0.2.0/24');
    const behind = attention().locator('li').filter({ hasText: 'Apply failed' });
    await behind.getByText('No speaker of deploy_canary_speaker_ids can go first').waitFor();
    await behind.getByText('The speaker first is disabled.').waitFor();
    await behind.getByRole('link', { name: 'Choose canaries' }).waitFor();
    expect(await line.count()).toBe(0);
    // Another try would end as this one did.
    expect(await behind.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await set({ deploy_canary_speaker_ids: [] });
    await press(page, behind.getByRole('button', { name: 'Try again' }));
    await scene.heading(/^Apply/).waitFor();
    await bird.waitRoutes(2);
    await service.call('PATCH', `/v1/speakers/${canaryId}`, { enabled: true });
  });

  test('is not chosen unknowingly while it is off', async () => {
    const { page, service } = scene;
    await service.call('PATCH', `/v1/speakers/${canaryId}`, { enabled: false });
    await scene.go('settings?q=deploy_canary_speaker_ids');
    await press(page, page.getByRole('checkbox', { name: 'first' }), ' ');
    await press(page, scene.button('Preview and save'));
    await scene.dialog().locator('.banner').getByText('None of these canaries can go first').waitFor();
    await page.keyboard.press('Escape');
    await scene.dialog().waitFor({ state: 'detached' });
    await press(page, scene.button('Discard'));
  });

  test('that is out of reach is said to be waited for, with the way past it', async () => {
    const { page, service } = scene;
    await addSilentNode(service.url, service.key);
    const { items } = await service.get<All>('/v1/speakers');
    const { id } = items.find(({ name }) => name === 'edge')!;
    const isAway = async () =>
      !(await service.get<{ live: { reachable: boolean } }>(`/v1/speakers/${id}?live=true`)).live.reachable;
    await waitFor(isAway, { what: 'a node that is silent' });
    await set({ deploy_canary_speaker_ids: [id] });
    await add('61.0.4.0/24');
    await scene.go('');
    const line = attention().locator('li').filter({ hasText: 'Apply in progress' });
    await line.getByText(/It waits for the canary edge which is out of reach\./).waitFor();
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    await press(page, line.getByRole('button', { name: 'Apply it to the others now' }));
    await scene.dialog().getByText('nothing has shown that routers bear it').waitFor();
    await scene.focusIsOnCancel();
    await scene.dialog().locator('.plan-speakers').getByText('builtin', { exact: true }).waitFor();
    await tabTo(page, scene.dialog().getByRole('button', { name: 'Apply', exact: true }));
    await page.keyboard.press('Enter');
    await bird.waitRoutes(3);
    await scene.heading(/^Apply/).waitFor();
  });

  test('no page complained', () => expect(scene.complaints).toEqual([]));
});
