import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Service } from '../../../demo/service.ts';
import type { Job } from '../../../src/api/activity/jobs.ts';
import type { Speaker } from '../../../src/api/speakers/speakers.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import { speakerResults } from '../../control/rollout/rollout.ts';
import { cast, listOf, startCluster, type Cluster } from '../cluster.ts';

/** Every part of the service in a process of its own, which is killed while a canary is watched. */
describe.skipIf(requireDaemon('bird') === null)('kill -9 while a canary is watched', () => {
  let cluster: Cluster;
  let api: Service;
  let worker: ChildProcess;
  let speaker: ChildProcess;
  let canary: string;
  let other: string;
  let moduleId: string;

  beforeAll(async () => {
    cluster = await startCluster();
    api = await cluster.serve('app-api');
    worker = cluster.run('app-worker');
    speaker = cluster.run('app-speaker');
    cluster.list = listOf(100);
    moduleId = await cluster.prepare(api);
    canary = (await api.get<{ items: Speaker[] }>('/v1/speakers')).items[0]!.id;
    other = (await api.post<Speaker>('/v1/speakers', { name: 'other', local_asn: 64512 })).id;
    const { items: peers } = await api.get<{ items: { id: string }[] }>('/v1/peers');
    await api.call('PATCH', `/v1/peers/${peers[0]!.id}`, { speaker_ids: [canary] });
    await cast(api, moduleId);
    await cluster.bird.waitRoutes(100);
    await settled();
  });
  afterAll(() => cluster?.close());

  const job = (id: string): Promise<Job> => api.get<Job>(`/v1/jobs/${id}`);
  const ended = (id: string): Promise<Job> =>
    waitFor(
      async () => {
        const one = await job(id);
        return one.finished_at !== null && one;
      },
      { what: 'the apply to end' },
    );
  const applied = async (): Promise<(string | null)[]> =>
    Promise.all(
      [canary, other].map(async (id) => (await api.get<Speaker>(`/v1/speakers/${id}`)).applied_revision_id),
    );

  /** Waits until no apply is under way and the session is reported. */
  async function settled(): Promise<void> {
    await waitFor(
      async () => {
        const { items } = await api.get<{ items: Job[] }>('/v1/jobs?limit=500');
        const { items: speakers } = await api.get<{ items: Speaker[] }>('/v1/speakers?live=true');
        const { live } = speakers.find((speaker) => speaker.id === canary)!;
        const isUp = live?.sessions[0]?.state === 'established';
        return isUp && items.every(({ finished_at: end }) => end !== null);
      },
      { what: 'all to be quiet' },
    );
  }

  async function killed(child: ChildProcess): Promise<void> {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  /** A new revision of so many routes, on its way to the canary, which is being watched. */
  async function watching(routes: number, seconds: number): Promise<{ id: string; revision: string }> {
    const settings = { deploy_canary_speaker_ids: [canary], deploy_canary_soak_seconds: seconds };
    await api.call('PATCH', '/v1/settings', { auto_apply: false, ...settings });
    cluster.list = listOf(routes);
    const refresh = await api.post<Job>(`/v1/modules/${moduleId}/refresh`);
    const revision = String((await api.succeeded(refresh)).revision_id);
    const { id } = await api.post<Job>('/v1/apply', { revision_id: revision });
    await waitFor(async () => (await job(id)).progress?.phase === 'soak', { what: 'the soak' });
    return { id, revision };
  }

  test('of the worker: another one goes on watching where it was', async () => {
    const { id, revision } = await watching(120, 12);
    expect((await applied())[1]).not.toBe(revision);
    await waitFor(async () => (await job(id)).progress!.done >= 2, { what: 'the soak to go on' });
    await killed(worker);
    const { done } = (await job(id)).progress!;
    worker = cluster.run('app-worker');
    const seconds: number[] = [];
    const end = await waitFor(
      async () => {
        const one = await job(id);
        if (one.progress?.phase === 'soak') seconds.push(one.progress.done);
        return one.finished_at !== null && one;
      },
      { what: 'the apply to end' },
    );
    expect(end).toMatchObject({ state: 'succeeded' });
    for (const one of seconds) expect(one).toBeGreaterThanOrEqual(done);
    expect(await applied()).toEqual([revision, revision]);
    await cluster.bird.waitRoutes(120);
  });

  test('of the speaker: its sessions went down with it, so it goes back, and the others stay', async () => {
    await settled();
    const before = await applied();
    const { id } = await watching(130, 600);
    await cluster.bird.waitRoutes(130);
    await killed(speaker);
    speaker = cluster.run('app-speaker');
    const end = await ended(id);
    expect(end).toMatchObject({ state: 'failed', error: { code: 'canary_failed' } });
    expect(speakerResults(end)).toMatchObject([
      { speaker_id: canary, status: 'undone' },
      { speaker_id: other, status: 'skipped' },
    ]);
    expect(await applied()).toEqual(before);
    await cluster.bird.waitRoutes(120);
    await settled();
  });

  test('of both: what was decided is carried out by those who come after', async () => {
    const before = await applied();
    const { id } = await watching(140, 600);
    await cluster.bird.waitRoutes(140);
    await Promise.all([killed(worker), killed(speaker)]);
    worker = cluster.run('app-worker');
    speaker = cluster.run('app-speaker');
    expect(await ended(id)).toMatchObject({ state: 'failed', error: { code: 'canary_failed' } });
    expect(await applied()).toEqual(before);
    await cluster.bird.waitRoutes(120);
  });
});
