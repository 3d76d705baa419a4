/** What is released is what the window shows, whatever a list becomes while somebody looks at it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { addCdnModule, refresh, serve } from '../e2e/casting.ts';
import { press, tabTo } from './keyboard.ts';
import { signIn } from './pages.ts';
import { Scene } from './scene.ts';
import { startEmptyWorld } from './world.ts';

const COMMUNITY = '64500:100';
const NAME = `module ${COMMUNITY}`;

interface Counts {
  readonly prefix_count: { readonly ipv4: number };
}

describe.skipIf(requireDaemon('chromium-headless-shell') === null)('a release', () => {
  let scene: Scene<Awaited<ReturnType<typeof startEmptyWorld>>>;
  let moduleId: string;
  /** What answers about the effect of a release wait for. */
  let isOpen: Promise<void> = Promise.resolve();

  /** The list has that many prefixes from now on, and is read. */
  const becomes = async (count: number): Promise<void> => {
    const prefixes = Array.from({ length: count }, (_, at) => `45.${at >> 7}.${(at & 127) * 2}.0/24`);
    scene.world.casting.sources.set('/list', serve(prefixes.join('\n')));
    await refresh(scene.world.casting, moduleId);
  };
  const latest = async (): Promise<number> => {
    const { prefix_count: count } = await scene.service.get<Counts>('/v1/revisions/latest');
    return count.ipv4;
  };
  const release = () => scene.dialog().getByRole('button', { name: 'Release' });
  const tick = () => scene.dialog().getByRole('checkbox');

  beforeAll(async () => {
    scene = await Scene.open(await startEmptyWorld());
    scene.world.casting.sources.set('/list', serve(''));
    ({ moduleId } = await addCdnModule(scene.world.casting, COMMUNITY, { path: '/list' }));
    await becomes(1_000);
    await becomes(30);
    await scene.page.route('**/held/diff*', async (route) => {
      await isOpen;
      await route.continue();
    });
    await scene.page.goto(scene.base);
    await signIn(scene.page, scene.service.key);
  });
  afterAll(() => scene?.close());

  test('that is to come has left the lists of an address that is announced still', async () => {
    const { page } = scene;
    await scene.go('lookup?q=45.7.0.1');
    const entry = page.locator('.chain-entry').filter({ hasText: NAME });
    await entry.first().waitFor();
    await page.getByText('As the announced revision was built: no list has it any more.').waitFor();
    // How an entry is collected is a word of programs.
    expect(await entry.locator('.muted').allInnerTexts()).not.toContain('cdn');
    // Why routers have it all the same, since when, and what ends that.
    await entry.getByText('Held', { exact: true }).waitFor();
    await entry
      .getByText(
        /^since .+ A guardrail holds what the list lost, so routers keep this\. A release withdraws it\.$/,
      )
      .waitFor();
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    await press(page, entry.getByRole('link', { name: 'What the hold keeps' }));
    await scene.button('Release').waitFor();
    // Of a change, each example says whether it would come or go.
    const examples = page.locator('.finding-examples').first();
    await examples.getByRole('img', { name: 'withdrawn' }).first().waitFor();
    const shown = await examples.locator('code, .prefix').count();
    expect(await examples.getByRole('img').count()).toBe(shown);
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
  });

  test('is what a source waits for that is added meanwhile, and who adds it reads that', async () => {
    const { page, service, world } = scene;
    world.casting.sources.set('/more', serve('9.50.0.0/24'));
    await scene.go(`modules/${moduleId}?tab=entries`);
    await scene.button('Add an entry').waitFor();
    await page.keyboard.press('n');
    await tabTo(page, scene.dialog().getByLabel('Name'));
    await page.keyboard.type('more');
    await tabTo(page, scene.dialog().getByLabel('Address of the list'));
    await page.keyboard.type(`${world.casting.sourceUrl}/more`);
    await page.keyboard.press('Enter');
    await page
      .getByText('more was added. The list is held: what it brings reaches no router until that is released.')
      .waitFor();
    const path = `/v1/modules/${moduleId}/cdn-sources`;
    const { items } = await service.get<{ items: { id: string; name: string }[] }>(path);
    await service.call('DELETE', `${path}/${items.find(({ name }) => name === 'more')!.id}`);
  });

  test('of what is held no more is refused, and the new numbers ask for the tick again', async () => {
    const { page } = scene;
    await scene.go(`modules/${moduleId}?tab=held`);
    const first = Promise.withResolvers<void>();
    isOpen = first.promise;
    await page.reload();
    await press(page, scene.button('Release'));
    // Nobody ticks what is not there yet.
    await tick().waitFor();
    expect(await tick().isDisabled()).toBe(true);
    await scene.dialog().getByText('what it would change, which is being computed').waitFor();
    first.resolve();
    await scene.dialog().getByText('−970 withdrawn').waitFor();
    await press(page, tick(), 'Space');
    await tabTo(page, scene.dialog().getByLabel('Reason'));
    await page.keyboard.type('the list has become smaller');
    await tabTo(page, scene.dialog().getByLabel(`Type ${NAME} to confirm`));
    await page.keyboard.type(NAME);
    await waitFor(() => release().isEnabled(), { what: 'the button' });
    // The page knows of what is held now before the numbers of it are there.
    const numbers = Promise.withResolvers<void>();
    isOpen = numbers.promise;
    await becomes(10);
    await page.locator('#content').getByText('10 v4').first().waitFor();
    await page.keyboard.press('Enter');
    await scene.dialog().getByText('is held for another snapshot by now').waitFor();
    expect(await latest()).toBe(1_000);
    numbers.resolve();
    await scene.dialog().getByText('−990 withdrawn').waitFor();
    await scene
      .dialog()
      .getByText(/^What is held has changed while this window was open/)
      .waitFor();
    expect(await scene.dialog().getByText('by now').count()).toBe(0);
    expect(await tick().isChecked()).toBe(false);
    expect(await release().isEnabled()).toBe(false);
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    await page.keyboard.press('Enter');
    expect(await latest()).toBe(1_000);
    await press(page, tick(), 'Space');
    await press(page, release());
    await scene.dialog().waitFor({ state: 'detached' });
    await waitFor(async () => (await latest()) === 10, { what: 'what was shown' });
  });

  test('of a list that a refresh has held is offered by the message about the refresh, which waits no more', async () => {
    const { page } = scene;
    await scene.go(`modules/${moduleId}`);
    scene.world.casting.sources.set('/list', serve('45.0.0.0/24'));
    await press(page, scene.button('Refresh'));
    const message = page.locator('.toast').filter({ hasText: 'Its job' });
    await message.getByText('done', { exact: true }).waitFor();
    await message.getByRole('link', { name: `${NAME} is held.` }).waitFor();
    expect(await message.innerText()).not.toContain('queued');
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
  });

  test('no page complained', () => expect(scene.complaints).toEqual([]));
});
