/** Entries are deleted by keys alone, and nobody deletes one that they have not seen named, or whose plan they have not seen. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { isFocused, press, tabTo } from './keyboard.ts';
import { signIn } from './pages.ts';
import { Scene } from './scene.ts';
import { startEmptyWorld } from './world.ts';

const CIDRS = Array.from({ length: 10 }, (_, at) => `45.0.${at * 2}.0/24`);

describe.skipIf(requireDaemon('chromium-headless-shell') === null)('entries that are deleted', () => {
  let scene: Scene<Awaited<ReturnType<typeof startEmptyWorld>>>;
  let path: string;

  beforeAll(async () => {
    scene = await Scene.open(await startEmptyWorld());
    const { service } = scene;
    const { id } = await service.post<{ id: string }>('/v1/modules', { name: 'ranges', type: 'IP_RANGES' });
    path = `/v1/modules/${id}/ip-range-entries`;
    await service.post(path, { items: CIDRS.map((cidr) => ({ cidr })) });
    await scene.page.goto(scene.base);
    await signIn(scene.page, service.key);
    await scene.go(`modules/${id}?order=name`);
    await scene.page
      .locator('.entry')
      .nth(CIDRS.length - 1)
      .waitFor();
  });
  afterAll(() => scene?.close());

  const active = () => scene.page.locator('.entry.is-active');
  const stored = async () => {
    const { items } = await scene.service.get<{ items: { cidr: string }[] }>(path);
    return items.map(({ cidr }) => cidr);
  };

  test('j begins at the first row, as in every table', async () => {
    const { page } = scene;
    await page.keyboard.press('j');
    expect(await active().innerText()).toContain(CIDRS[0]);
    await page.keyboard.press('j');
    await active().getByText(CIDRS[1]!).waitFor();
    await page.keyboard.press('k');
    await active().getByText(CIDRS[0]!).waitFor();
  });

  test('the help names the key', async () => {
    const { page } = scene;
    await page.keyboard.press('?');
    await scene.dialog().getByText('Delete what is selected').waitFor();
    await page.keyboard.press('Escape');
    await scene.dialog().waitFor({ state: 'detached' });
  });

  test('the window names the entry, and its button waits for the plan', async () => {
    const { page } = scene;
    let answer = (): void => undefined;
    const isAnswered = new Promise<void>((resolve) => (answer = resolve));
    await page.route('**/v1/revisions/plan*', async (route) => {
      await isAnswered;
      await route.continue();
    });
    await page.keyboard.press('Delete');
    const dialog = page.getByRole('dialog', { name: `Delete ${CIDRS[0]}` });
    await dialog.getByText('What would change is being computed').waitFor();
    await scene.focusIsOnCancel();
    const button = dialog.getByRole('button', { name: 'Delete' });
    await tabTo(page, button);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    expect(await stored()).toContain(CIDRS[0]);
    answer();
    await dialog.locator('.plan').first().waitFor();
    expect(await isFocused(button)).toBe(true);
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await waitFor(async () => !(await stored()).includes(CIDRS[0]!), { what: 'the entry to be deleted' });
    await page.unroute('**/v1/revisions/plan*');
  });

  test('of several, the window says which', async () => {
    const { page } = scene;
    const grid = page.getByRole('grid');
    await tabTo(page, grid);
    await page.keyboard.press('Home');
    for (let at = 1; at < CIDRS.length; at++) {
      await page.keyboard.press('x');
      await page.keyboard.press('j');
    }
    await page.keyboard.press('Delete');
    const dialog = page.getByRole('dialog', { name: 'Delete 9 entries' });
    await dialog.getByText(`${CIDRS.slice(1, 9).join(', ')} and 1 more`).waitFor();
    await press(page, dialog.getByRole('button', { name: 'Delete' }));
    await dialog.waitFor({ state: 'detached' });
    expect(await stored()).toEqual([]);
  });

  test('no page complained', () => expect(scene.complaints).toEqual([]));
});
