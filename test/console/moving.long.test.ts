/** Entries that go from one list to another: both changes are one plan and one revision, and one key takes both back. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Bird } from '../daemons/bird/bird.ts';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { isFocused, press } from './keyboard.ts';
import { signIn } from './pages.ts';
import { Scene } from './scene.ts';
import { startEmptyWorld } from './world.ts';

const lacks = requireDaemon('bird') === null || requireDaemon('chromium-headless-shell') === null;

describe.skipIf(lacks)('entries that are moved', () => {
  let scene: Scene<Awaited<ReturnType<typeof startEmptyWorld>>>;
  let bird: Bird;
  let fromId: string;
  let toId: string;

  const makeModule = async (name: string, community: string): Promise<string> => {
    const { id } = await scene.service.post<{ id: string }>('/v1/communities', { community, title: name });
    const body = { name, type: 'IP_RANGES', community_id: id };
    return (await scene.service.post<{ id: string }>('/v1/modules', body)).id;
  };
  const entriesOf = async (moduleId: string) => {
    const path = `/v1/modules/${moduleId}/ip-range-entries`;
    const { items } = await scene.service.get<{ items: { cidr: string; note: string | null }[] }>(path);
    return items
      .map(({ cidr, note }) => ({ cidr, note }))
      .sort((one, other) => one.cidr.localeCompare(other.cidr));
  };
  const revisions = async (): Promise<number> =>
    (await scene.service.get<{ number: number }>('/v1/revisions/latest')).number;

  beforeAll(async () => {
    scene = await Scene.open(await startEmptyWorld());
    const { service, world } = scene;
    await service.call('PATCH', '/v1/settings', { auto_revision: null });
    bird = await world.casting.addBird();
    fromId = await makeModule('from', '64500:1');
    toId = await makeModule('to', '64500:2');
    await service.post('/v1/modules', { name: 'sources', type: 'CDN_SOURCES' });
    await service.post(`/v1/modules/${fromId}/ip-range-entries`, {
      items: [
        { cidr: '45.0.0.0/24', note: 'of a customer' },
        { cidr: '45.0.2.0/24' },
        { cidr: '45.0.4.0/24' },
      ],
    });
    await bird.waitRoutes(3);
    await scene.page.goto(scene.base);
    await signIn(scene.page, service.key);
  });
  afterAll(() => scene?.close());

  test('leave one list and come to the other in one revision, with their notes', async () => {
    const { page } = scene;
    const before = await revisions();
    await scene.go(`modules/${fromId}`);
    await page.getByText('45.0.4.0/24').first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await press(page, scene.button('Move'));
    const dialog = scene.dialog();
    await dialog.getByRole('heading', { name: 'Move 2 entries to another module' }).waitFor();
    const choice = dialog.getByLabel('Module');
    await waitFor(() => isFocused(choice), { what: 'the focus on the choice' });
    // The lists are read once the window is open.
    await choice.locator('option').nth(1).waitFor({ state: 'attached' });
    // No list of another kind, and not the one where they are.
    expect(await choice.locator('option').allInnerTexts()).toEqual(['Choose one', 'to']);
    await page.keyboard.type('to');
    await dialog.getByText('~2 changed').first().waitFor();
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    await press(page, dialog.getByRole('button', { name: 'Move', exact: true }));
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('2 entries are in to now.').waitFor();
    expect(await entriesOf(fromId)).toHaveLength(1);
    const moved = await entriesOf(toId);
    expect(moved).toHaveLength(2);
    const left = new Set((await entriesOf(fromId)).map(({ cidr }) => cidr));
    expect(moved.find(({ cidr }) => cidr === '45.0.0.0/24')?.note ?? null).toBe(
      left.has('45.0.0.0/24') ? null : 'of a customer',
    );
    await waitFor(async () => (await revisions()) > before, { what: 'the revision' });
    expect(await revisions()).toBe(before + 1);
    await bird.waitRoutes(3);
  });

  test('come back by the key that says so', async () => {
    const { page } = scene;
    await page.keyboard.press('z');
    await page.getByText('It is back as it was.').waitFor();
    expect(await entriesOf(toId)).toEqual([]);
    expect(await entriesOf(fromId)).toEqual([
      { cidr: '45.0.0.0/24', note: 'of a customer' },
      { cidr: '45.0.2.0/24', note: null },
      { cidr: '45.0.4.0/24', note: null },
    ]);
    await bird.waitRoutes(3);
  });

  test('what is there already is refused in the plan, and nothing moves', async () => {
    const { page, service } = scene;
    await service.post(`/v1/modules/${toId}/ip-range-entries`, { cidr: '45.0.0.0/24' });
    await scene.go(`modules/${fromId}?order=name`);
    await page.getByText('45.0.4.0/24').first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await press(page, scene.button('Move'));
    await waitFor(() => isFocused(scene.dialog().getByLabel('Module')), { what: 'the focus on the choice' });
    await page.keyboard.type('to');
    await scene.dialog().locator('.problem').waitFor();
    expect(await scene.dialog().getByRole('button', { name: 'Move', exact: true }).isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
    expect(await entriesOf(fromId)).toHaveLength(3);
    expect(scene.complaints).toEqual([]);
  });
});
