/** An apply that is watched: canaries, the soak that counts down, the others, and a canary that goes back, each in words. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AgentProcess, startAgent } from '../agent/world.ts';
import type { Bird } from '../daemons/bird/bird.ts';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { SPEAKER_ASN } from '../e2e/casting.ts';
import { press } from './keyboard.ts';
import { signIn } from './pages.ts';
import { Scene } from './scene.ts';
import { startEmptyWorld } from './world.ts';

const lacks = requireDaemon('bird') === null || requireDaemon('chromium-headless-shell') === null;
/** Of a node, on a machine that is busy. */
/** Longer than somebody looks at it. */
const LONG = 600;

interface Job {
  readonly id: string;
  readonly state: string;
  readonly progress: { readonly phase: string } | null;
}

describe.skipIf(lacks)('an apply', () => {
  let scene: Scene<Awaited<ReturnType<typeof startEmptyWorld>>>;
  let bird: Bird;
  let moduleId: string;
  let agent: AgentProcess | null = null;

  const soakFor = (seconds: number) =>
    scene.service.call('PATCH', '/v1/settings', { deploy_canary_soak_seconds: seconds });
  const newest = async (): Promise<Job> =>
    (await scene.service.get<{ items: Job[] }>('/v1/jobs?type=apply&limit=1')).items[0]!;
  const limit = (importLimit?: number): Promise<void> =>
    bird.configure({
      neighbors: [
        {
          ...{ address: '127.0.0.1', port: 1, asn: SPEAKER_ASN, passive: true },
          ...{ families: ['ipv4', 'ipv6'], gracefulRestart: true, extendedMessages: true },
          ...(importLimit === undefined ? {} : { importLimit }),
        },
      ],
    });
  /** The page of an apply of one more range, while its canary is watched. */
  const watch = async (cidr: string): Promise<void> => {
    const { service } = scene;
    const before = (await newest()).id;
    await service.post(`/v1/modules/${moduleId}/ip-range-entries`, { cidr });
    const job = await waitFor(
      async () => {
        const found = await newest();
        return found.id !== before && found.progress?.phase === 'soak' && found;
      },
      { what: 'the soak' },
    );
    await scene.go(`applies/${job.id}`);
  };
  const column = (title: string) =>
    scene.page
      .locator('.waves > li')
      .filter({ has: scene.page.getByRole('heading', { name: title, exact: true }) });

  beforeAll(async () => {
    scene = await Scene.open(await startEmptyWorld());
    const { service, world } = scene;
    bird = await world.casting.addBird();
    const { id: communityId } = await service.post<{ id: string }>('/v1/communities', {
      ...{ community: '64500:7', title: 'ranges' },
    });
    ({ id: moduleId } = await service.post<{ id: string }>('/v1/modules', {
      ...{ name: 'ranges', type: 'IP_RANGES', community_id: communityId },
    }));
    const { items } = await service.get<{ items: { id: string }[] }>('/v1/speakers');
    const peers = await service.get<{ items: { id: string }[] }>('/v1/peers');
    // Both speakers would call the router from the same address, and it takes one session from there.
    await service.call('PATCH', `/v1/peers/${peers.items[0]!.id}`, { speaker_ids: [items[0]!.id] });
    const { id } = await service.post<{ id: string }>('/v1/speakers', {
      ...{ name: 'pop1', mode: 'agent', daemon: 'builtin', local_asn: SPEAKER_ASN },
    });
    const { token } = await service.post<{ token: string }>(`/v1/speakers/${id}/enrollment-tokens`);
    agent = await startAgent({ url: service.url, token }, world.casting.dataDir);
    const isThere = async () =>
      (await service.get<{ live: { reachable: boolean } }>(`/v1/speakers/${id}?live=true`)).live.reachable;
    await waitFor(isThere, { what: 'the node', details: agent.said });
    await service.call('PATCH', '/v1/settings', {
      ...{ auto_revision: null, deploy_canary_soak_seconds: 1 },
      deploy_canary_speaker_ids: [items[0]!.id],
    });
    await service.post(`/v1/modules/${moduleId}/ip-range-entries`, { cidr: '61.0.0.0/24' });
    await bird.waitRoutes(1);
    await waitFor(async () => (await newest()).state === 'succeeded', { what: 'the first apply' });
    await soakFor(LONG);
    await scene.page.goto(scene.base);
    await signIn(scene.page, service.key);
  });
  afterAll(async () => {
    await agent?.stop();
    await scene?.close();
  });

  test('shows the canary that is watched, for how long still, and goes on to the others by itself', async () => {
    const { page } = scene;
    await watch('61.0.2.0/24');
    const progress = page.locator('.job-progress');
    await progress.getByText('Canaries are watched before the others begin').waitFor();
    const left = progress.locator('.number');
    const first = await left.innerText();
    expect(first).toMatch(/^\d+:\d\d$/);
    await waitFor(async () => (await left.innerText()) !== first, { what: 'the countdown' });
    await column('Canaries').getByText('builtin').waitFor();
    await column('Canaries').getByText('has it', { exact: true }).waitFor();
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    await soakFor(1);
    // By events alone: nobody loads the page again.
    await scene.heading('Apply done').waitFor();
    await column('Wave 1').getByText('pop1').waitFor();
    await column('Wave 1').getByText('has it', { exact: true }).waitFor();
    expect(await column('Canaries').getByText('pop1').count()).toBe(0);
  });

  test('that loses a session of its canary goes back there, says so of each speaker, and why', async () => {
    const { page } = scene;
    await soakFor(LONG);
    await watch('61.0.4.0/24');
    await column('Canaries').getByText('has it', { exact: true }).waitFor();
    await limit(2);
    await scene.heading('Apply failed').waitFor();
    await column('Canaries').getByText('went back', { exact: true }).waitFor();
    await column('Wave 1').getByText('left out', { exact: true }).waitFor();
    await column('Canaries').getByText('the session with bird1 went down').waitFor();
    // In words, not in codes.
    expect(await page.locator('.waves').innerText()).not.toMatch(/[a-z]+_[a-z]+/);
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    await bird.waitRoutes(2);
    await limit();
  });

  test('that somebody cancels ends, and its speakers keep what they have', async () => {
    const { page } = scene;
    await watch('61.0.6.0/24');
    await press(page, scene.button('Cancel the apply'));
    await scene.heading('Apply cancelled').waitFor();
    await column('Canaries').getByText('has it', { exact: true }).waitFor();
    await bird.waitRoutes(4);
  });

  test('no page complained', () => expect(scene.complaints).toEqual([]));
});
