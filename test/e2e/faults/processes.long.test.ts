import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Service } from '../../../demo/service.ts';
import type { Peer } from '../../../src/api/speakers/peers.ts';
import type { RouterStatus } from '../../../src/api/speakers/router.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import { cast, type Cluster, listOf, startCluster } from '../cluster.ts';

const lacks = requireDaemon('bird') === null;

interface LiveSpeaker {
  readonly live: {
    readonly reachable: boolean;
    readonly error: string | null;
    readonly uptime_seconds: number;
    readonly sessions: { readonly state: string }[];
  };
}

async function live(service: Service): Promise<LiveSpeaker['live']> {
  const { items } = await service.get<{ items: LiveSpeaker[] }>('/v1/speakers?live=true');
  return items[0]!.live;
}

/** When the service holds a speaker, and by how much the machine was late to let it be asked meanwhile. */
async function takeOver(service: Service): Promise<{ at: number; late: number }> {
  let late = 0;
  for (;;) {
    const asked = performance.now();
    const metrics = await (await service.request('GET', '/metrics')).text();
    const at = performance.now();
    if (metrics.includes('\nprefixcast_speakers_held 1\n')) return { at, late: late + at - asked };
    await sleep(20); // as often as it asks
    late = Math.max(late, performance.now() - asked - 20);
    if (performance.now() - asked > 60_000) throw new Error('Nobody took the speaker over');
  }
}

describe.skipIf(lacks)('API, worker and speaker in processes of their own', () => {
  let cluster: Cluster;
  let api: Service;
  let speaker: ChildProcess;
  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(() => cluster?.close());

  test('bring a list to the peer together', async () => {
    api = await cluster.serve('app-api');
    expect(await live(api)).toMatchObject({ reachable: false });
    cluster.run('app-worker');
    speaker = cluster.run('app-speaker');
    cluster.list = listOf(100);
    const module = await cluster.prepare(api);
    await cast(api, module);
    await cluster.bird.waitRoutes(100);
    expect(await live(api)).toMatchObject({ reachable: true, sessions: [{ state: 'established' }] });
  });

  test.each(['SIGSTOP', 'SIGKILL'] as const)('say so soon when the speaker gets a %s', async (signal) => {
    const peer = async () => (await api.get<{ items: Peer[] }>('/v1/peers')).items[0]!;
    expect((await peer()).connected_speaker_id).not.toBeNull();
    speaker.kill(signal);
    // Within five seconds, and as many more for a busy machine.
    const silent = async () => !(await live(api)).reachable;
    await waitFor(silent, { what: 'its silence to be reported', timeoutMs: 10_000 });
    expect((await live(api)).error).toMatch(/has not reported since/);
    expect((await live(api)).sessions).toEqual([]);
    expect(await peer()).toMatchObject({
      ...{ connected_speaker_id: null, established_on_speakers: [], session_mismatch: true },
      session_on_speakers: [
        { state: 'idle', last_error: expect.stringMatching(/has not reported/) as string },
      ],
    });
    const status = await api.get<RouterStatus>('/v1/router/status');
    expect(status.items).toMatchObject([{ daemon: 'builtin', host: null, reachable: false }]);
    if (signal === 'SIGKILL') return;
    speaker.kill('SIGCONT');
    await waitFor(async () => (await peer()).connected_speaker_id !== null, {
      what: 'the session to be reported',
    });
    expect(await live(api)).toMatchObject({ reachable: true, error: null });
  });
});

describe.skipIf(lacks)('two whole services on one database', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(() => cluster?.close());

  test('share the work; when the one with the sessions is killed the other has them, and no route was withdrawn', async () => {
    const first = await cluster.serve('app-all');
    cluster.list = listOf(500);
    const module = await cluster.prepare(first);
    const second = await cluster.serve('app-all');
    await cast(second, module);
    await cluster.bird.waitRoutes(500);
    await cluster.bird.waitEstablished();
    expect((await live(second)).sessions).toMatchObject([{ state: 'established' }]);
    const received = cluster.bird.updates().length;
    const ended = cluster.bird.endedSessions();

    const killed = performance.now();
    await first.stop('SIGKILL');
    const takenOver = await takeOver(second);
    expect(takenOver.at - killed).toBeLessThan(5_000 + takenOver.late);
    // It may be established again by now.
    await waitFor(() => cluster.bird.endedSessions() > ended, {
      what: 'BIRD to notice',
    });
    expect((await cluster.bird.routes()).length).toBe(500);
    await cluster.bird.waitEstablished();
    await waitFor(async () => (await cluster.bird.routes()).every((route) => route.stale !== true), {
      what: 'every route to be fresh',
    });
    expect((await cluster.bird.routes()).length).toBe(500);
    const since = cluster.bird.updates().slice(received);
    expect(since.flatMap((update) => update.withdrawn)).toEqual([]);
    expect(await live(second)).toMatchObject({ reachable: true });

    // And it goes on alone.
    cluster.list = listOf(600);
    await cast(second, module);
    await cluster.bird.waitRoutes(600);
  });
});
