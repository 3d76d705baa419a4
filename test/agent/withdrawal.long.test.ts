import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Job } from '../../src/api/activity/jobs.ts';
import { unpackBundle } from '../../src/bundle/bundle.ts';
import { speakerResults } from '../control/rollout/rollout.ts';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { testProgram } from '../program.ts';
import { isLatest, startProxy, type Proxy } from './proxy.ts';
import { startWorld, type AgentProcess, type NodeWorld } from './world.ts';

const lacks = requireDaemon('bird') === null;
const run = promisify(execFile);
const command = testProgram();

const FIRST = ['45.0.0.0/24', '45.0.2.0/24', '2a00:100::/32'];
const SECOND = ['45.0.0.0/24'];

// Each step may take its time where many tests share the machine.

describe.skipIf(lacks).each([
  ['that hears of it', false],
  ['that is killed before it hears of it', true],
])('a node %s when its first apply is taken back', (_, isAway) => {
  let world: NodeWorld;
  let proxy: Proxy;
  let agent: AgentProcess;
  beforeAll(async () => {
    world = await startWorld();
    proxy = await startProxy(world.service.url);
    agent = await world.enrolled(proxy);
    await world.service.call('PATCH', '/v1/settings', {
      deploy_canary_speaker_ids: [world.speakerId],
      deploy_canary_soak_seconds: 600,
    });
  });
  afterAll(async () => {
    await world?.close();
    await proxy?.close();
  });

  /** Has BIRD end the session when it is sent more IPv4 routes than so many. */
  const limit = (importLimit?: number): Promise<void> =>
    world.bird.configure({
      neighbors: [
        {
          ...{ address: '127.0.0.1', port: 1, asn: 64512, passive: true, families: ['ipv4', 'ipv6'] },
          gracefulRestart: true,
          ...(importLimit === undefined ? {} : { importLimit }),
        },
      ],
    });

  const bundle = (): { format: number; revision_id: string; sequence: number } => {
    const { manifest } = unpackBundle(readFileSync(join(agent.dataDir, 'bundle.tar')));
    return JSON.parse(Buffer.from(manifest).toString()) as ReturnType<typeof bundle>;
  };

  /** Waits until the session is up and BIRD has received on it that there is nothing. */
  const announcesNothing = async (): Promise<void> => {
    await waitFor(
      async () => {
        const [session] = (await world.speaker()).live.sessions;
        return session?.state === 'established' && session.routes_exported === 0;
      },
      { what: 'the session to be up without routes', details: agent.said },
    );
    await world.received([]);
  };

  test('announces nothing any more, and says so', async () => {
    const apply = await world.ask(FIRST);
    await world.received(FIRST);
    const phase = async () => (await world.service.get<Job>(`/v1/jobs/${apply.id}`)).progress?.phase;
    await waitFor(async () => (await phase()) === 'soak', { what: 'the canary to be watched' });
    await waitFor(async () => (await world.speaker()).live.sessions[0]?.routes_exported === FIRST.length, {
      what: 'the session to be reported',
    });
    // The bundle is kept once its apply is confirmed, which is a moment after its routes are at BIRD.
    const before = bundle();
    expect(before.format).toBe(1);
    if (isAway) proxy.tamper = (path, answer) => (isLatest(path) ? { ...answer, status: 503 } : answer);
    await limit(1);
    if (isAway) {
      await waitFor(async () => (await phase()) === 'canary undo', { what: 'the undo' });
      await agent.stop('SIGKILL');
      await limit();
      proxy.tamper = (_path, answer) => answer;
      // It comes back to what it knows, and goes on from there.
      agent = await world.start({ url: proxy.url, dataDir: agent.dataDir });
    }
    const job = (await world.service.ended(apply)) as unknown as Job;
    expect(job).toMatchObject({ state: 'failed', error: { code: 'canary_failed' } });
    expect(speakerResults(job).find(({ speaker_id: id }) => id === world.speakerId)).toMatchObject({
      ...{ wave: 0, status: 'undone', code: 'canary_failed' },
    });
    await limit();
    await announcesNothing();
    expect(await world.speaker()).toMatchObject({
      applied_revision_id: null,
      last_apply: { status: 'failed' },
    });
    expect(bundle()).toMatchObject({ format: 2, revision_number: 0 });
    expect(bundle().sequence).toBeGreaterThan(before.sequence);
    const args = [command, 'agent', 'status', '--data-dir', agent.dataDir];
    await waitFor(async () => (await run(process.execPath, args)).stdout.includes('nothing any more'), {
      what: 'the node to show it',
    });
  });

  test('announces nothing after a restart without the service either', async () => {
    const received = world.bird.updates().length;
    await agent.stop('SIGKILL');
    await world.stopService();
    agent = await world.start({ url: proxy.url, dataDir: agent.dataDir });
    await world.bird.waitEstablished();
    await agent.hears(/does not answer|answers 5/);
    await world.received([]);
    const speakerResults = world.bird.updates().slice(received);
    expect(speakerResults.flatMap(({ announced }) => announced)).toEqual([]);
    await world.startService();
    await announcesNothing();
  });

  test('takes the next apply like any other', async () => {
    await world.service.call('PATCH', '/v1/settings', { deploy_canary_speaker_ids: [] });
    await world.announce(SECOND);
    expect(bundle()).toMatchObject({ format: 1 });
    await waitFor(async () => (await world.speaker()).last_apply?.status === 'ok', {
      what: 'the report',
    });
    expect((await world.speaker()).applied_revision_id).toBe(bundle().revision_id);
  });
});
