import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PeerApplyResult } from '../../../src/api/revisions/apply.ts';
import type { Job } from '../../../src/api/activity/jobs.ts';
import { SETTINGS, type SettingsPatch } from '../../../src/api/operation/settings.ts';
import { changeSettings } from '../../../src/control/tenants/settings.ts';
import { changePeer, createPeer } from '../../../src/control/speakers/peers.ts';
import { getPeer } from '../../../src/store/speakers/peers.ts';
import { startBird, type Bird } from '../../daemons/bird/bird.ts';
import type { Neighbor } from '../../daemons/daemon.ts';
import { freePort, loopbackAddress } from '../../daemons/machine/ports.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import { startPlane, type Plane } from '../plane.ts';
import { GrowingModule, speakerResults } from './rollout.ts';

const NAMES = ['a', 'b', 'c', 'd'] as const;
type Name = (typeof NAMES)[number];

/** One speaker with four peers; the tests go on from one another. */
describe.skipIf(requireDaemon('bird') === null)('an apply to a speaker with several peers', () => {
  let plane: Plane;
  let module: GrowingModule;
  let speakerId: string;
  const birds = new Map<Name, Bird>();
  const ids = new Map<Name, string>();

  const neighbor = (more: Partial<Neighbor> = {}): Neighbor => ({
    ...{ address: '127.0.0.1', port: 1, asn: 64512, passive: true },
    ...more,
  });
  const set = (patch: SettingsPatch): Promise<unknown> => plane.run((tx) => changeSettings(tx, patch));

  beforeAll(async () => {
    plane = await startPlane();
    await set({ auto_apply: false, deploy_confirm_timeout_seconds: 20 });
    module = await GrowingModule.create(plane);
    speakerId = (await plane.addSpeaker('edge')).id;
    for (const name of NAMES) {
      const address = loopbackAddress();
      const listen = { address, port: await freePort(address) };
      const bird = await startBird({ listen, routerId: address, localAsn: 64496, neighbors: [neighbor()] });
      birds.set(name, bird);
      const body = { name, address, port: bird.port, remote_asn: 64496, speaker_ids: [speakerId] };
      ids.set(name, (await plane.run((tx) => createPeer(tx, plane.context, body))).resource.id);
    }
    await plane.hold(undefined, SETTINGS.deploy_calm_milliseconds.default);
    await plane.succeeded(await plane.apply(await module.nextRevision()));
    await hold(NAMES, 1);
  });
  afterAll(async () => {
    await plane?.close();
    for (const bird of birds.values()) await bird.stop();
  });

  const bird = (name: Name): Bird => birds.get(name)!;
  /** Waits until these peers have so many routes, and the API says so. */
  async function hold(names: readonly Name[], count: number): Promise<void> {
    for (const name of names) {
      await bird(name).waitRoutes(count);
      await waitFor(
        async () => {
          const { resource } = await plane.run((tx) => getPeer(tx, ids.get(name)!));
          const [session] = resource.session_on_speakers;
          return session?.state === 'established' && session.routes_exported === count;
        },
        { what: `the session of ${name} to be reported with ${count} routes` },
      );
    }
  }
  const limit = (name: Name, importLimit: number): Promise<void> =>
    bird(name).configure({ neighbors: [neighbor({ importLimit })] });
  /** A new revision, with one route more, and its apply. */
  async function applyNext(): Promise<Job> {
    return plane.ended(await plane.apply(await module.nextRevision()));
  }
  const at = (job: Job) => speakerResults(job).find(({ speaker_id: id }) => id === speakerId)!;
  const of = (job: Job): Record<string, PeerApplyResult> =>
    Object.fromEntries(at(job).peers.map((peer) => [peer.name, peer]));
  const change = (name: Name, patch: object): Promise<unknown> =>
    plane.run((tx) => changePeer(tx, plane.context, ids.get(name)!, patch, null));

  test('that is beyond max_prefixes_out of one says so for that peer, and is not plain applied', async () => {
    await change('a', { max_prefixes_out: 1 });
    await plane.idle();
    const job = await applyNext();
    expect(job.state).toBe('succeeded');
    expect(at(job)).toMatchObject({
      ...{ status: 'partial', announced: 1 },
      error: expect.stringMatching(
        /^1 of 4 peers .* a: its 2 routes are more than max_prefixes_out 1/,
      ) as string,
    });
    expect(of(job)).toMatchObject({
      a: { status: 'over_limit', announced: 1, expected: null, notification: null },
      ...{ b: { status: 'applied', announced: 2 }, c: { status: 'applied' }, d: { status: 'applied' } },
    });
    expect((await plane.speaker(speakerId)).last_apply).toMatchObject({ status: 'partial' });
    expect(await bird('a').routeCount()).toBe(1);
    await change('a', { max_prefixes_out: null });
    await hold(NAMES, 2);
    // What follows the change watches all sessions for a while: one that ended meanwhile would be put back.
    await plane.idle();
  });

  test('reaches one later that was down, which is no failure', async () => {
    await bird('b').command('disable n1');
    await waitFor(
      async () => {
        const { resource } = await plane.run((tx) => getPeer(tx, ids.get('b')!));
        return resource.session_on_speakers[0]?.state !== 'established';
      },
      { what: 'the end of the session to be reported' },
    );
    const job = await applyNext();
    expect(at(job)).toMatchObject({ status: 'applied', error: null });
    expect(of(job)).toMatchObject({
      b: { status: 'down', was_up: false, announced: 0 },
      ...{ a: { status: 'applied', announced: 3 }, c: { status: 'applied' }, d: { status: 'applied' } },
    });
    await bird('b').command('enable n1');
    await hold(NAMES, 3);
    expect(of(await applyNext())).toMatchObject({ b: { status: 'applied', was_up: true, announced: 4 } });
    await hold(NAMES, 4);
  });

  test('fails a canary by one of its peers, though the others took it, and goes to no other speaker', async () => {
    await limit('a', 4);
    const other = await plane.addSpeaker('other');
    await set({ deploy_canary_speaker_ids: [speakerId], deploy_canary_soak_seconds: 1 });
    const before = (await plane.speaker(speakerId)).applied_revision_id;
    const job = await applyNext();
    expect(job).toMatchObject({ state: 'failed', error: { code: 'canary_failed' } });
    expect(job.error!.detail).toContain('a: ');
    expect(speakerResults(job)).toMatchObject([
      { speaker_id: speakerId, wave: 0, status: 'undone' },
      { speaker_id: other.id, wave: 1, status: 'skipped' },
    ]);
    expect(of(job).a).toMatchObject({ notification: { code: 6, subcode: 1 } });
    expect((await plane.speaker(speakerId)).applied_revision_id).toBe(before);
    await set({ deploy_canary_speaker_ids: null, deploy_canary_soak_seconds: null });
    await hold(NAMES, 4);
  });

  test('is taken back as a whole when more fail than deploy_max_failed_peers_percent allows', async () => {
    await limit('b', 4);
    await set({ deploy_max_failed_peers_percent: 49 });
    const before = (await plane.speaker(speakerId)).applied_revision_id;
    const job = await applyNext();
    expect(job.state).toBe('failed');
    expect(at(job)).toMatchObject({
      ...{ status: 'failed', code: 'verification_failed' },
      error: expect.stringMatching(/That is 2 of 4 peers that were well/) as string,
    });
    const states = NAMES.map((name) => of(job)[name]!.status);
    expect(states).toEqual(['failed', 'failed', 'undone', 'undone']);
    expect((await plane.speaker(speakerId)).applied_revision_id).toBe(before);
    await hold(NAMES, 4);
  });

  test('stays when exactly as many fail as that allows', async () => {
    await set({ deploy_max_failed_peers_percent: 50 });
    const job = await applyNext();
    expect(at(job)).toMatchObject({ status: 'partial' });
    expect(of(job)).toMatchObject({
      ...{ a: { status: 'reverted', expected: 4 }, b: { status: 'reverted', expected: 4 } },
      ...{ c: { status: 'applied', announced: 7 }, d: { status: 'applied', announced: 7 } },
    });
    await hold(['c', 'd'], 7);
  });

  test('counts none that was put back before: of the two that are left, one is half', async () => {
    await limit('c', 7);
    const job = await applyNext();
    expect(at(job)).toMatchObject({ status: 'partial' });
    expect(of(job)).toMatchObject({
      a: { status: 'reverted', was_up: false, was_behind: true },
      b: { status: 'reverted', was_up: false, was_behind: true },
      c: { status: 'reverted', was_up: true, was_behind: false },
      d: { status: 'applied', announced: 8, was_behind: false },
    });
  });
});
