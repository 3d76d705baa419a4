/** Whoever opens the page of an apply while its canaries are watched sees them called so. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { SPEAKER_ASN } from '../e2e/casting.ts';
import { signIn } from './pages.ts';
import { Scene } from './scene.ts';
import { startEmptyWorld } from './world.ts';

const lacks = requireDaemon('bird') === null || requireDaemon('chromium-headless-shell') === null;

describe.skipIf(lacks)('an apply with a canary', () => {
  let scene: Scene<Awaited<ReturnType<typeof startEmptyWorld>>>;

  beforeAll(async () => {
    scene = await Scene.open(await startEmptyWorld());
    await scene.page.goto(scene.base);
    await signIn(scene.page, scene.service.key);
  });
  afterAll(() => scene?.close());

  test('has its canary under “Canaries” while it is watched, and no wave yet', async () => {
    const { page, service, world } = scene;
    await world.casting.addBird();
    interface All {
      readonly items: readonly { readonly id: string; readonly name: string }[];
    }
    const { items: speakers } = await service.get<All>('/v1/speakers');
    const { items: peers } = await service.get<All>('/v1/peers');
    const canary = speakers.find(({ name }) => name === 'builtin')!;
    await service.call('PATCH', `/v1/peers/${peers[0]!.id}`, { speaker_ids: [canary.id] });
    await service.post('/v1/speakers', { name: 'second', daemon: 'builtin', local_asn: SPEAKER_ASN });
    const { id: community_id } = await service.post<{ id: string }>('/v1/communities', {
      ...{ community: '64500:7', title: 'ours' },
    });
    const { id } = await service.post<{ id: string }>('/v1/modules', {
      ...{ name: 'list', type: 'IP_RANGES', community_id },
    });
    await service.call('PATCH', '/v1/settings', {
      ...{ auto_revision: null, deploy_canary_speaker_ids: [canary.id], deploy_canary_soak_seconds: 600 },
    });
    await service.post(`/v1/modules/${id}/ip-range-entries`, { items: [{ cidr: '61.0.0.0/24' }] });
    const job = await waitFor(
      async () => {
        const { items } = await service.get<{
          items: { id: string; progress: { phase: string } | null }[];
        }>('/v1/jobs?type=apply&state=running');
        return items.find(({ progress }) => progress?.phase === 'soak') ?? false;
      },
      { what: 'the canary to be watched' },
    );
    await scene.go(`applies/${job.id}`);
    await page.getByRole('heading', { name: 'Canaries', level: 2 }).waitFor();
    await page.locator('.waves').getByRole('link', { name: 'builtin' }).waitFor();
    expect(await page.getByRole('heading', { name: 'Wave 1' }).count()).toBe(0);
    // Its router has the revision, and who waits for it is named.
    const column = (title: string) =>
      page.locator('.waves > li').filter({ has: page.getByRole('heading', { name: title, exact: true }) });
    await column('Canaries').locator('p').filter({ hasText: 'bird1 has it' }).waitFor();
    await column('Then').getByRole('link', { name: 'second' }).waitFor();
    await column('Then').getByText('waits', { exact: true }).waitFor();
    expect(await scene.violations()).toEqual([]);
    await service.post(`/v1/jobs/${job.id}/cancel`);
    expect(scene.complaints).toEqual([]);
  });
});
