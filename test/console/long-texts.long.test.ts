/** A long text of entries while it is saved: how far it is, and that nobody waits for the same plan twice. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { press, tabTo } from './keyboard.ts';
import { signIn } from './pages.ts';
import { Scene } from './scene.ts';
import { startEmptyWorld } from './world.ts';

/** More than what is previewed as it is written. */
const LINES = 2_000;
const TEXT = [
  'cidr,note,enabled,community,expires_at',
  ...Array.from({ length: LINES }, (_, at) => `45.${at >> 7}.${(at & 127) * 2}.0/24,of a customer,true,,`),
].join('\n');

describe.skipIf(requireDaemon('chromium-headless-shell') === null)('a long text', () => {
  let scene: Scene<Awaited<ReturnType<typeof startEmptyWorld>>>;
  let moduleId: string;
  beforeAll(async () => {
    scene = await Scene.open(await startEmptyWorld());
    const { service } = scene;
    ({ id: moduleId } = await service.post<{ id: string }>('/v1/modules', {
      ...{ name: 'ranges', type: 'IP_RANGES' },
    }));
    await scene.page.goto(scene.base);
    await signIn(scene.page, service.key);
  });
  afterAll(() => scene?.close());

  /** Holds such writes until somebody lets them go. */
  const hold = async (pattern: string) => {
    const { promise: isLetGo, resolve: letGo } = Promise.withResolvers<void>();
    let asked = 0;
    await scene.page.route(pattern, async (route) => {
      if (route.request().method() === 'GET') return route.continue();
      asked++;
      await isLetGo;
      return route.continue();
    });
    return { letGo, asked: () => asked };
  };
  const aside = () => scene.page.getByRole('complementary', { name: 'What would change' });

  test('says what is being done with how many lines and since when, and is planned once', async () => {
    const { page } = scene;
    const plans = await hold('**/v1/revisions/plan');
    const saves = await hold('**/entries.csv*');
    await scene.go(`modules/${moduleId}?tab=text`);
    await tabTo(page, page.getByRole('textbox', { name: 'Entries as CSV' }));
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText(TEXT);
    await aside().getByText('The text is long').waitFor();
    await page.keyboard.press('Control+Enter');
    await aside().getByText('What 2,000 lines would change is being computed').waitFor();
    await aside()
      .getByRole('timer')
      .filter({ hasText: /^\d+ s$/ })
      .waitFor();
    // Whoever saves does not wait for the preview first.
    await page.keyboard.press('Control+s');
    await waitFor(() => Promise.resolve(plans.asked() === 1), { what: 'the plan to be asked for' });
    plans.letGo();
    await aside().getByText('Step 2 of 2: 2,000 lines are being saved').waitFor();
    expect(await aside().getByText('The text is long').count()).toBe(0);
    saves.letGo();
    await page.getByText('Saved: 2,000 new, 0 changed, 0 deleted.').waitFor();
    expect(plans.asked()).toBe(1);
    await page.unrouteAll();
    // The text is what is stored by now.
    await aside().getByText('The text is what is stored.').waitFor();
  });

  test('that is saved without a preview says that it is planned first, and the window that asks how far it is', async () => {
    const { page } = scene;
    await tabTo(page, page.getByRole('textbox', { name: 'Entries as CSV' }));
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText('cidr\nnothing');
    await aside().getByText('1 line is not right').waitFor();
    const plans = await hold('**/v1/revisions/plan');
    const saves = await hold('**/entries.csv*');
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText(TEXT.split('\n').slice(0, 1_801).join('\n'));
    await page.keyboard.press('Control+s');
    await aside().getByText('Step 1 of 2: what 1,800 lines would change is being computed').waitFor();
    plans.letGo();
    const dialog = scene.dialog();
    await dialog.getByText('200 deleted').waitFor();
    await press(page, dialog.getByRole('button', { name: 'Save' }));
    await dialog.getByText('Step 2 of 2: 1,800 lines are being saved').waitFor();
    await dialog.getByRole('timer').waitFor();
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    saves.letGo();
    await page.getByText('Saved: 0 new, 0 changed, 200 deleted.').waitFor();
    expect(plans.asked()).toBe(1);
    expect(scene.complaints).toEqual([]);
  });
});
