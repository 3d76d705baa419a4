/** What forms of peers and speakers say before they are saved: of routers that are down nothing that only a session has, and “all” where an empty choice means that. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { press, tabTo } from './keyboard.ts';
import { openRanges, type Ranges } from './ranges-scene.ts';

/** Nobody listens there. */
const CLOSED_PORT = 9;

describe.skipIf(requireDaemon('chromium-headless-shell') === null)('words of a plan', () => {
  let scene: Ranges['scene'];
  let peerId: string;
  let speakerId: string;

  beforeAll(async () => {
    ({ scene } = await openRanges());
    const { service } = scene;
    ({ id: speakerId } = await service.post<{ id: string }>('/v1/speakers', {
      ...{ name: 'pop1', daemon: 'builtin', local_asn: 64_500 },
    }));
    ({ id: peerId } = await service.post<{ id: string }>('/v1/peers', {
      ...{ name: 'edge', address: '127.0.0.1', port: CLOSED_PORT, remote_asn: 64_501, hold_time: 30 },
    }));
    await waitFor(
      async () => {
        const speaker = await service.get<{ applied_revision_id: string | null; live: object | null }>(
          `/v1/speakers/${speakerId}?live=true`,
        );
        return speaker.applied_revision_id !== null && JSON.stringify(speaker.live).includes('"edge"');
      },
      { what: 'the speaker to have routes for a router that is down' },
    );
  });
  afterAll(() => scene?.close());

  const question = () => scene.page.getByRole('dialog', { name: 'What would change' });
  const openForm = async (path: string) => {
    await scene.go(path);
    await press(scene.page, scene.button('Edit'));
    return scene.dialog();
  };

  test('a router that is down loses no session and no routes', async () => {
    const { page } = scene;
    const form = await openForm(`speakers/${speakerId}`);
    await tabTo(page, form.getByLabel('IPv4 source address'));
    await page.keyboard.type('127.0.0.2');
    await page.keyboard.press('Enter');
    const down = question().getByText('is down: it holds no routes, and is sent 5 once its session is up');
    await down.waitFor();
    expect(await question().textContent()).not.toMatch(/its session ends|withdrawn|→ 5 routes/);
    await page.keyboard.press('Escape');
    await question().waitFor({ state: 'detached' });
  });

  test('an empty choice of speakers is all of them, and an empty hold time what its hint says', async () => {
    const { page, service } = scene;
    await service.post('/v1/speakers', {
      name: 'pop2',
      daemon: 'builtin',
      local_asn: 64_500,
      enabled: false,
    });
    const form = await openForm(`peers/${peerId}`);
    await press(page, form.getByRole('checkbox', { name: 'pop2' }), ' ');
    await tabTo(page, form.getByLabel('Hold time in seconds'));
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Delete');
    await page.keyboard.press('Enter');
    await question().getByText('Speakers: all of them → pop2').waitFor();
    await question().getByText('Hold time in seconds: 30 → 90').waitFor();
    await press(page, question().getByRole('button', { name: 'Save', exact: true }));
    await scene.dialog().first().waitFor({ state: 'detached' });
    const stored = await service.get<object>(`/v1/peers/${peerId}`);
    expect(stored).toMatchObject({ hold_time: 90 });
  });

  test('a speaker that is off names the peers that it has no session with', async () => {
    const { page } = scene;
    const { items } = await scene.service.get<{ items: { id: string; name: string }[] }>('/v1/speakers');
    await scene.go(`speakers/${items.find(({ name }) => name === 'pop2')!.id}`);
    await page.getByText('It is off, so it has no session with these peers:').waitFor();
    await page.locator('main').getByRole('link', { name: 'edge' }).waitFor();
    expect(await page.getByText('It has no peers.').count()).toBe(0);
  });

  test('no page complained', () => expect(scene.complaints).toEqual([]));
});
