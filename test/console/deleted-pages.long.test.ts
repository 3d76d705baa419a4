/** The page of something that a colleague deletes says so, and who it was; what is being written there stays. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { isFocused, press } from './keyboard.ts';
import { signIn } from './pages.ts';
import { Scene } from './scene.ts';
import { startEmptyWorld } from './world.ts';

describe.skipIf(requireDaemon('chromium-headless-shell') === null)('what a colleague deletes', () => {
  let scene: Scene<Awaited<ReturnType<typeof startEmptyWorld>>>;

  const makePeer = (name: string, address: string): Promise<{ readonly id: string }> =>
    scene.service.post('/v1/peers', { name, address, remote_asn: 64_500, enabled: false });

  beforeAll(async () => {
    scene = await Scene.open(await startEmptyWorld());
    await scene.page.goto(scene.base);
    await signIn(scene.page, scene.service.key);
  });
  afterAll(() => scene?.close());

  const gone = () => scene.page.locator('#content').getByText(/There is no such peer, or not any more/);

  test('is not on its page any more, without a reload', async () => {
    const { page, service } = scene;
    const { id } = await makePeer('tmp1', '192.0.2.77');
    await scene.go(`peers/${id}`);
    await scene.heading('tmp1 off').waitFor();
    await service.call('DELETE', `/v1/peers/${id}`);
    await gone().waitFor();
    await page.getByText(/^Deleted by key:/).waitFor();
    expect(await scene.button('Edit').count()).toBe(0);
    expect(await scene.violations()).toEqual([]);
  });

  test('stays below a form with something in it, which says the same once it is saved', async () => {
    const { page, service } = scene;
    const { id } = await makePeer('tmp2', '192.0.2.78');
    await scene.go(`peers/${id}`);
    await press(page, scene.button('Edit'));
    const description = scene.dialog().getByLabel('Description');
    await description.fill('of the lab');
    const asked = page.waitForResponse(
      (answer) => answer.url().includes(`/v1/peers/${id}`) && answer.status() === 404,
    );
    await service.call('DELETE', `/v1/peers/${id}`);
    await asked;
    expect(await description.inputValue()).toBe('of the lab');
    await press(page, scene.dialog().getByRole('button', { name: 'Save' }));
    await scene
      .dialog()
      .getByText(/There is no such peer, or not any more/)
      .waitFor();
    // Within what has the focus, and so in sight with it.
    const said = scene.dialog().getByRole('alert');
    await said.getByText(/^Deleted by key:/).waitFor();
    await waitFor(() => isFocused(said), { what: 'the focus on what was refused' });
    await page.keyboard.press('Escape');
    await press(page, scene.button('Leave without saving'));
    await gone().waitFor();
  });

  test('is made again from its form, with what was written there', async () => {
    const { page, service } = scene;
    const { id } = await makePeer('tmp3', '192.0.2.79');
    await service.call('PATCH', `/v1/peers/${id}`, { multihop: 7 });
    await scene.go(`peers/${id}`);
    await press(page, scene.button('Edit'));
    await scene.dialog().getByLabel('Description').fill('of the lab');
    await service.call('DELETE', `/v1/peers/${id}`);
    await press(page, scene.dialog().getByRole('button', { name: 'Save' }));
    const again = scene.dialog().getByRole('button', { name: 'Make it again' });
    await again.waitFor();
    // It comes into sight, however small the window is.
    const below = async () => (await again.boundingBox())!.y + (await again.boundingBox())!.height;
    const end = async () => (await scene.dialog().locator('.dialog-actions').boundingBox())!.y;
    await waitFor(async () => (await below()) <= (await end()), { what: 'the button in sight' });
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    await press(page, again);
    await scene.dialog().waitFor({ state: 'detached' });
    await scene.heading('tmp3 off').waitFor();
    await page.locator('.facts').getByText('of the lab').waitFor();
    const { items } = await service.get<{ items: { id: string; name: string }[] }>('/v1/peers');
    const made = items.find(({ name }) => name === 'tmp3')!;
    expect(made).toMatchObject({ description: 'of the lab', multihop: 7, enabled: false });
    expect(new URL(page.url()).pathname).toBe(`/console/peers/${made.id}`);
  });

  test('so is a row of a list, and its secret is shown', async () => {
    const { page, service } = scene;
    const { id } = await service.post<{ id: string }>('/v1/feeds', { name: 'drop', format: 'nft' });
    await scene.go('feeds');
    await press(
      page,
      page.getByRole('row').filter({ hasText: 'drop' }).getByRole('button', { name: 'Edit' }),
    );
    await scene.dialog().getByLabel('Description').fill('of the edge');
    await service.call('DELETE', `/v1/feeds/${id}`);
    await press(page, scene.dialog().getByRole('button', { name: 'Save' }));
    await press(page, scene.dialog().getByRole('button', { name: 'Make it again' }));
    await scene.dialog().locator('.command code').first().waitFor();
    await press(page, scene.dialog().getByRole('checkbox'), ' ');
    await press(page, scene.dialog().getByRole('button', { name: 'Close' }));
    const { items } = await service.get<{ items: object[] }>('/v1/feeds');
    expect(items).toMatchObject([{ name: 'drop', format: 'nft', description: 'of the edge' }]);
  });

  test('what has left at its end says so; made again, it is refused at its field until it has another', async () => {
    const { page, service } = scene;
    const module = await service.post<{ id: string }>('/v1/modules', { name: 'ranges', type: 'IP_RANGES' });
    const path = `/v1/modules/${module.id}/ip-range-entries`;
    const end = new Date(Math.ceil(Date.now() / 1000) * 1000 + 12_000).toISOString();
    await service.post(path, { cidr: '45.0.0.0/24', expires_at: end });
    await scene.go(`modules/${module.id}`);
    await page.locator('.entry').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('e');
    await scene.dialog().getByLabel('Note').fill('ticket 17');
    const stored = async () => (await service.get<{ items: object[] }>(path)).items;
    await waitFor(async () => (await stored()).length === 0, { what: 'the end of the entry' });
    await press(page, scene.dialog().getByRole('button', { name: 'Save' }));
    await scene.dialog().getByText('It has left by itself, at its end:').waitFor();
    const again = scene.dialog().getByRole('button', { name: 'Make it again' });
    await press(page, again);
    const field = scene.dialog().getByLabel('Expires at');
    await scene
      .dialog()
      .locator('.field-error')
      .getByText(/ is over/)
      .waitFor();
    await waitFor(() => isFocused(field), { what: 'the focus in the field that is refused' });
    await field.fill('');
    await press(page, again);
    await scene.dialog().waitFor({ state: 'detached' });
    expect(await stored()).toMatchObject([{ cidr: '45.0.0.0/24', note: 'ticket 17', expires_at: null }]);
  });

  test('no page complained', () => expect(scene.complaints).toEqual([]));
});
