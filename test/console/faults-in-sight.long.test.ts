/** A long form of which the end is out of sight: what is refused is brought there, and nobody overwrites what they have not seen. */
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { isFocused, press, tabTo } from './keyboard.ts';
import { signIn } from './pages.ts';
import { Scene } from './scene.ts';
import { startEmptyWorld } from './world.ts';

/** In which a window takes the focus back. */
const TAKEN_BACK_MS = 400;

interface Peer {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
}

describe.skipIf(requireDaemon('chromium-headless-shell') === null)('a long form', () => {
  let scene: Scene<Awaited<ReturnType<typeof startEmptyWorld>>>;
  let peerId: string;

  beforeAll(async () => {
    scene = await Scene.open(await startEmptyWorld());
    const { service } = scene;
    const made = { name: 'edge1', address: '192.0.2.1', remote_asn: 64_500, enabled: false };
    ({ id: peerId } = await service.post<Peer>('/v1/peers', made));
    await scene.page.goto(scene.base);
    await signIn(scene.page, service.key);
  });
  afterAll(() => scene?.close());

  const path = () => `/v1/peers/${peerId}`;
  const peer = () => scene.service.get<Peer>(path());
  const field = (name: string) => scene.dialog().getByLabel(name, { exact: true });
  const note = () => scene.dialog().locator('.both-versions');
  const open = async () => {
    await scene.go(`peers/${peerId}`);
    await scene.page.setViewportSize({ width: 1280, height: 800 });
    await scene.button('Edit').waitFor();
    await scene.page.keyboard.press('e');
    await waitFor(() => isFocused(field('Name')), { what: 'the focus in the first field' });
  };
  const write = async (name: string, value: string) => {
    await tabTo(scene.page, field(name));
    await scene.page.keyboard.press('Control+a');
    await scene.page.keyboard.type(value);
  };
  /** With the focus, and between what is above the window's fields and the buttons that stay at its end. */
  const isInSight = async (target: Locator, seen = target) => {
    await waitFor(() => isFocused(target), { what: `the focus on ${target.toString()}` });
    const [box, window] = await Promise.all([seen.boundingBox(), scene.dialog().boundingBox()]);
    expect(box!.y).toBeGreaterThanOrEqual(window!.y - 1);
    expect(box!.y + 40).toBeLessThan(window!.y + window!.height);
  };

  test('a fault in a field far below has the focus, wherever Enter was pressed', async () => {
    const { page } = scene;
    await open();
    await write('IPv4 next hop', '1.2.3');
    await tabTo(page, field('Name'));
    await page.keyboard.press('Enter');
    await scene.dialog().locator('.field-error').first().waitFor();
    await isInSight(field('IPv4 next hop'));
    // Once, in words of the form.
    await scene
      .dialog()
      .getByText('must be an IPv4 address such as 192.0.2.1, or empty; it is "1.2.3"')
      .waitFor();
    await scene.dialog().getByText('What is wrong is said at: IPv4 next hop.').waitFor();
    expect(await scene.dialog().innerText()).not.toMatch(/null|next_hop|must be.*must be/s);
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
    await press(page, scene.dialog().getByRole('button', { name: 'Cancel' }));
    await scene.dialog().first().waitFor({ state: 'detached' });
  });

  test('what is refused as a whole is in sight as well', async () => {
    const { page, service } = scene;
    await service.post<Peer>('/v1/peers', {
      ...{ name: 'edge2', address: '192.0.2.2', remote_asn: 64_500, enabled: false },
    });
    await open();
    await write('Name', 'edge2');
    await tabTo(page, field('Description'));
    await page.keyboard.press('Enter');
    const refused = scene.dialog().locator('.problem');
    await refused.waitFor();
    await waitFor(async () => (await isFocused(refused)) || (await isFocused(field('Name'))), {
      what: 'the focus on what is said',
    });
    await press(page, scene.dialog().getByRole('button', { name: 'Cancel' }));
    await scene.dialog().first().waitFor({ state: 'detached' });
  });

  test('what somebody else saved meanwhile comes into sight, and Enter does not overwrite it', async () => {
    const { page, service } = scene;
    await open();
    await write('Description', 'mine');
    await service.call('PATCH', path(), { description: 'theirs, do not touch' });
    await page.keyboard.press('Enter');
    await note().getByText('theirs, do not touch').waitFor();
    await isInSight(note());
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
    // As often as somebody likes: where it is, and in a field.
    await page.keyboard.press('Enter');
    await tabTo(page, field('Description'));
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    expect(await scene.dialog().getByRole('button', { name: 'Save' }).count()).toBe(0);
    expect((await peer()).description).toBe('theirs, do not touch');
    await press(page, note().getByRole('button', { name: 'Overwrite it' }));
    await scene.dialog().first().waitFor({ state: 'detached' });
    expect((await peer()).description).toBe('mine');
  });

  test('both versions are in words, also when they come into sight once more', async () => {
    const { page, service } = scene;
    const [one, other] = await Promise.all(
      ['64500:1', '64500:2'].map((community) =>
        service.post<{ id: string }>('/v1/communities', { community, title: `of ${community}` }),
      ),
    );
    await open();
    await press(page, field('64500:1 of 64500:1'), ' ');
    await service.call('PATCH', path(), { community_ids: [other!.id] });
    // By the button, which makes way for those of the note.
    await press(page, scene.dialog().getByRole('button', { name: 'Save' }));
    const row = note().getByRole('row', { name: /^Communities/ });
    await row.waitFor();
    const cells = await row.getByRole('cell').allTextContents();
    expect(cells).toEqual(['64500:2 of 64500:2', '64500:1 of 64500:1']);
    await isInSight(note());
    // For the focus that the window must not have a moment later.
    await new Promise((resolve) => setTimeout(resolve, TAKEN_BACK_MS));
    await isInSight(note());
    await press(page, note().getByRole('button', { name: 'Overwrite it' }));
    await scene.dialog().first().waitFor({ state: 'detached' });
    expect((await service.get<{ community_ids: string[] }>(path())).community_ids).toEqual([one!.id]);
  });

  test('who takes what is there goes on in the first field, and saves as always', async () => {
    const { page, service } = scene;
    await open();
    await write('Description', 'mine again');
    await service.call('PATCH', path(), { description: 'theirs again' });
    await page.keyboard.press('Enter');
    await press(page, note().getByRole('button', { name: 'Take what is there' }));
    await waitFor(() => isFocused(field('Name')), { what: 'the focus in the first field' });
    expect(await field('Description').inputValue()).toBe('theirs again');
    await write('Name', 'edge9');
    await page.keyboard.press('Enter');
    await scene.dialog().first().waitFor({ state: 'detached' });
    expect(await peer()).toMatchObject({ name: 'edge9', description: 'theirs again' });
  });

  test('what an entry would change is shown where the key that asked for it is', async () => {
    const { page, service } = scene;
    const { id } = await service.post<{ id: string }>('/v1/modules', { name: 'lists', type: 'CDN_SOURCES' });
    await scene.go(`modules/${id}`);
    await page.setViewportSize({ width: 1280, height: 800 });
    await scene.button('Add an entry').waitFor();
    await page.keyboard.press('n');
    await write('Name', 'third');
    await write('Address of the list', 'https://198.51.100.9/list');
    const preview = scene.dialog().getByRole('button', { name: 'Preview' });
    await press(page, preview);
    const effect = scene.dialog().getByText('Nothing that is announced would change.');
    await effect.waitFor();
    const [said, button] = await Promise.all([effect.boundingBox(), preview.boundingBox()]);
    // The buttons lie above whatever does not fit.
    expect(said!.y + said!.height).toBeLessThan(button!.y);
    expect(await isFocused(preview)).toBe(true);
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
    await press(page, scene.dialog().getByRole('button', { name: 'Cancel' }));
    await scene.dialog().first().waitFor({ state: 'detached' });
  });

  test('no page complained', () => expect(scene.complaints).toEqual([]));
});
