/** What the comparison of two revisions says of a part where nothing differs, and what its map begins with. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { isFocused, press } from './keyboard.ts';
import { signIn } from './pages.ts';
import { Scene } from './scene.ts';
import { startEmptyWorld } from './world.ts';

/** Longer than a column. */
const TITLE = 'Cloud providers of the second region';

interface Clipped {
  readonly scrollWidth: number;
  readonly clientWidth: number;
}

describe.skipIf(requireDaemon('chromium-headless-shell') === null)('a comparison', () => {
  let scene: Scene<Awaited<ReturnType<typeof startEmptyWorld>>>;

  beforeAll(async () => {
    scene = await Scene.open(await startEmptyWorld());
    const { service } = scene;
    const { id: communityId } = await service.post<{ id: string }>('/v1/communities', {
      ...{ community: '64500:1', title: TITLE },
    });
    const { id } = await service.post<{ id: string }>('/v1/modules', {
      ...{ name: 'ranges', type: 'IP_RANGES', community_id: communityId },
    });
    for (const cidr of ['45.0.0.0/24', '46.1.0.0/24']) {
      await service.post(`/v1/modules/${id}/ip-range-entries`, { cidr });
      await service.succeeded(await service.post(`/v1/modules/${id}/refresh`));
    }
    await scene.page.goto(scene.base);
    await signIn(scene.page, service.key);
  });
  afterAll(() => scene?.close());

  test('has the title of each community to its end', async () => {
    const { page } = scene;
    await scene.go('compare/1...2');
    const title = page.locator('.compare td .community .name');
    await title.waitFor();
    expect(await title.evaluate((cell: Clipped) => cell.scrollWidth - cell.clientWidth)).toBe(0);
    expect(await title.innerText()).toBe(TITLE);
    expect(await scene.cutTables()).toEqual([]);
  });

  test('begins its map at the selected route, says where nothing differs, and stands there again outside', async () => {
    const { page } = scene;
    await page.keyboard.press('m');
    const map = page.getByRole('application');
    await waitFor(() => isFocused(map), { what: 'the focus in the map' });
    const part = page.locator('.address-map [role=status] .prefix');
    expect(await part.textContent()).toBe('46.1.0.0/16');
    await page.keyboard.press('Shift+ArrowDown');
    const empty = (await part.textContent())!;
    expect(empty).not.toBe('46.1.0.0/16');
    await page.keyboard.press('Enter');
    await page.getByText(`No route differs in ${empty}.`).waitFor();
    expect(await page.locator('.diff').count()).toBe(0);
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    await map.focus();
    await page.keyboard.press('Backspace');
    await page.getByRole('application', { name: '0.0.0.0/0' }).waitFor();
    expect(await part.textContent()).toBe(empty);
  });

  test('of a revision with itself has no button that asks to be pressed', async () => {
    await scene.go('compare/2...2');
    await scene.page.getByText('Both announce the same routes.').waitFor();
    expect(await scene.button('Apply 2').getAttribute('class')).not.toContain('primary');
    await scene.go('compare/1...2');
    expect(await scene.button('Apply 2').getAttribute('class')).toContain('primary');
  });

  test('applies the later side by its button, with what that changes', async () => {
    const { page, service } = scene;
    await scene.go('compare/2...1');
    await press(page, scene.button('Apply 1'));
    await scene.dialog().getByText('−1 withdrawn').first().waitFor();
    await scene.focusIsOnCancel();
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    await press(page, scene.dialog().getByRole('button', { name: 'Apply', exact: true }));
    await scene.heading('Apply done').waitFor();
    expect(await service.get('/v1/revisions/applied')).toMatchObject({ number: 1 });
  });

  test('a revision that is pinned says so, and is let go by the same button', async () => {
    const { page, service } = scene;
    const isPinned = async () => (await service.get<{ pinned: boolean }>('/v1/revisions/1')).pinned;
    await scene.go('revisions/1');
    await press(page, scene.button('Pin'));
    await page.getByText('The revision is pinned: no prune removes it.').waitFor();
    expect(await isPinned()).toBe(true);
    await page.locator('#content').getByText('pinned', { exact: true }).waitFor();
    expect(await scene.violations()).toEqual([]);
    await press(page, scene.button('Unpin'));
    await page.getByText('The revision is no longer pinned.').waitFor();
    expect(await isPinned()).toBe(false);
  });

  test('no page complained', () => expect(scene.complaints).toEqual([]));
});
