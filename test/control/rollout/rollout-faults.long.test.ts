import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Job } from '../../../src/api/activity/jobs.ts';
import { createPeer } from '../../../src/control/speakers/peers.ts';
import { rollbackRevision } from '../../../src/control/rollout/rollback-revision.ts';
import { changeSettings } from '../../../src/control/tenants/settings.ts';
import { createSpeaker } from '../../../src/control/speakers/speakers.ts';
import { speakerTag } from '../../../src/speakers/bird/config/names.ts';
import type { Bird } from '../../daemons/bird/bird.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import { startWorld, type World } from '../../speakers/bird/world.ts';
import type { HolderArguments } from '../speakers/holder-process.ts';
import { PLANE_SECRET, startPlane, type Plane } from '../plane.ts';
import { GrowingModule, inPhase, speakerResults } from './rollout.ts';

const HOLDER = fileURLToPath(new URL('../speakers/holder-process.ts', import.meta.url));

let plane: Plane;
let world: World;
let peer: Bird;
let holder: ChildProcess;
let canary: string;
let module: GrowingModule;

describe.skipIf(requireDaemon('bird') === null)('a speaker in a BIRD, held by a process of its own', () => {
  beforeAll(async () => {
    [plane, world] = await Promise.all([startPlane(), startWorld()]);
    await plane.run((tx) =>
      changeSettings(tx, { auto_apply: false, deploy_confirm_timeout_seconds: 6, guard_no_export: false }),
    );
    module = await GrowingModule.create(plane);
    peer = await world.peer();
    const speaker = { name: 'canary', daemon: 'bird', local_asn: 64512, local_ipv4: world.address } as const;
    canary = (await plane.run((tx) => createSpeaker(tx, plane.context, speaker))).resource.id;
    const { address, port, localAsn: remote_asn } = peer;
    const body2 = { name: 'router', address, port, remote_asn, multihop: 2, speaker_ids: [canary] };
    await plane.run((tx) => createPeer(tx, plane.context, body2));
    holder = hold();
    await plane.succeeded(await plane.apply(await nextRevision()));
    await peer.waitRoutes(module.size);
  });
  afterAll(async () => {
    holder?.kill('SIGKILL');
    await plane?.close();
    await world?.stop();
  });
  beforeEach(async () => {
    await plane.run((tx) => changeSettings(tx, { deploy_canary_speaker_ids: [] }));
    await settled();
  });
  afterEach(() => holder.kill('SIGCONT'));

  test('that runs the content already is not reconfigured, and its peer receives nothing', async () => {
    const { applied_revision_id: before, live } = await plane.speaker(canary);
    const [reconfigured, heard] = [await lastReconfigured(), peer.updates().length];
    // Another revision of the same content.
    const { resource: other } = await plane.run((tx) => rollbackRevision(tx, plane.context, before!));
    expect(other.id).not.toBe(before);
    const ended = await plane.ended(await plane.apply(other.id));
    expect(speakerResults(ended)).toMatchObject([{ speaker_id: canary, status: 'unchanged', announced: 0 }]);
    expect((await plane.speaker(canary)).applied_revision_id).toBe(other.id);
    expect(await lastReconfigured()).toBe(reconfigured);
    expect(peer.updates().length).toBe(heard);
    expect((await plane.speaker(canary)).live?.sessions[0]?.since).toBe(live?.sessions[0]?.since);
  });

  test('that is stopped before it confirms: BIRD goes back by itself, and the apply says so', async () => {
    let failed: Job | null = null;
    // A quick process may have confirmed before it is stopped.
    for (let attempt = 0; failed === null && attempt < 5; attempt++) {
      const had = (await peer.routes()).length;
      const running = await mark();
      const job = await plane.apply(await nextRevision());
      await waitFor(async () => (await mark()) !== running, { what: 'BIRD to try it', everyMs: 5 });
      holder.kill('SIGSTOP');
      await waitFor(
        async () => (await mark()) === running || (await plane.job(job.id)).finished_at !== null,
        {
          what: 'BIRD to go back',
          timeoutMs: 15_000,
        },
      ).catch(() => undefined);
      const wentBack = (await mark()) === running;
      if (wentBack) await peer.waitRoutes(had);
      holder.kill('SIGCONT');
      const ended = await plane.ended(job);
      if (wentBack) failed = ended;
    }
    expect(failed).toMatchObject({ state: 'failed', error: { code: 'apply_failed' } });
    expect(speakerResults(failed!)).toMatchObject([
      { speaker_id: canary, status: 'failed', code: 'confirm_timeout' },
    ]);
    expect(speakerResults(failed!)[0]!.error).toContain('deploy_confirm_timeout_seconds');
    await plane.succeeded(await plane.apply());
    await peer.waitRoutes(module.size);
  });

  test('that is killed while it tries: the next one takes it up, and it comes about', async () => {
    const running = await mark();
    const job = await plane.apply(await nextRevision());
    await waitFor(async () => (await mark()) !== running, { what: 'BIRD to try it', everyMs: 5 });
    await kill();
    holder = hold();
    expect(await plane.ended(job)).toMatchObject({ state: 'succeeded', attempt: 1 });
    await peer.waitRoutes(module.size);
    expect((await world.bird.command('show status')).map(({ text }) => text)).not.toContain(
      'Reconfiguration',
    );
  });

  test('that is killed while it is watched: BIRD keeps the session, and the canary passes', async () => {
    await watch(15);
    const speakerResults = peer.updates().length;
    const job = await plane.apply(await nextRevision());
    await inPhase(plane, job, 'soak');
    await kill();
    holder = hold();
    const ended = await plane.ended(job);
    expect(ended).toMatchObject({ state: 'succeeded', attempt: 1 });
    await peer.waitRoutes(module.size);
    expect(peer.withdrawnSince(speakerResults)).toEqual([]);
  });

  test('that sends its peer too little while it is watched goes back, as soon as it can', async () => {
    await watch(600);
    const had = (await peer.routes()).length;
    const before = (await plane.speaker(canary)).applied_revision_id;
    const job = await plane.apply(await nextRevision());
    await inPhase(plane, job, 'soak');
    const statics = `${speakerTag(canary)}_*`;
    const names = (await world.bird.command(`show protocols "${statics}"`)).flatMap(
      ({ text }) => /^(pc_\w+)\s+Static/.exec(text)?.[1] ?? [],
    );
    for (const name of names) await world.bird.command(`disable ${name}`);
    await waitFor(
      async () => {
        const { progress, finished_at: end } = await plane.job(job.id);
        return progress?.phase === 'canary undo' || end !== null;
      },
      { what: 'the way back to begin' },
    );
    for (const name of names) await world.bird.command(`enable ${name}`);
    const ended = await plane.ended(job);
    expect(ended).toMatchObject({ state: 'failed', error: { code: 'canary_failed' } });
    expect(ended.error?.detail).toMatch(/router is sent 0 of its \d+ routes/);
    expect(speakerResults(ended)).toMatchObject([
      { speaker_id: canary, status: 'undone', code: 'canary_failed' },
    ]);
    expect((await plane.speaker(canary)).applied_revision_id).toBe(before);
    await peer.waitRoutes(had);
  });
});

function hold(): ChildProcess {
  const address = plane.database.address;
  const what: HolderArguments = { address, bird: world.options, secretKey: PLANE_SECRET.toString('hex') };
  return spawn(process.execPath, [HOLDER, JSON.stringify(what)], { stdio: 'inherit' });
}

async function kill(): Promise<void> {
  const gone = once(holder, 'exit');
  holder.kill('SIGKILL');
  await gone;
}

/** The hash of the configuration that BIRD runs. */
async function mark(): Promise<string | undefined> {
  const lines = await world.bird.command(`show protocols all "${speakerTag(canary)}"`).catch(() => []);
  return lines.map(({ text }) => text).find((text) => text.includes('Description:'));
}

const lastReconfigured = async (): Promise<string | undefined> =>
  (await world.bird.command('show status'))
    .map(({ text }) => text)
    .find((text) => text.startsWith('Last reconfiguration'));

const nextRevision = (): Promise<string> => module.nextRevision();

const watch = (seconds: number): Promise<unknown> =>
  plane.run((tx) =>
    changeSettings(tx, { deploy_canary_speaker_ids: [canary], deploy_canary_soak_seconds: seconds }),
  );

async function settled(): Promise<void> {
  await plane.idle();
  await waitFor(async () => (await plane.speaker(canary)).live?.sessions[0]?.state === 'established', {
    what: 'the session to be reported',
  });
}
