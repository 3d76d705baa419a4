import { execFile } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { testProgram } from '../program.ts';
import { startWorld, type AgentProcess, type NodeWorld, type SpeakerNow } from './world.ts';

const lacks = requireDaemon('bird') === null;
const run = promisify(execFile);
const command = testProgram();

const FIRST = ['45.0.0.0/24', '45.0.2.0/24', '2a00:100::/32'];
const SECOND = ['45.0.0.0/24', '45.0.4.0/24', '2a00:100::/32'];

// Each step may take its time where many tests share the machine.

describe.skipIf(lacks)('a node', () => {
  let world: NodeWorld;
  let agent: AgentProcess;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world?.close());

  test('enrolls with a token, pulls what is applied, announces it, and reports how it is', async () => {
    agent = await world.enrolled();
    await world.announce(FIRST);
    const speaker = await world.speaker();
    expect(speaker).toMatchObject({ last_apply: { status: 'ok', error: null } });
    expect(speaker.applied_revision_id).not.toBeNull();
    await waitFor(async () => (await world.speaker()).live.sessions[0]?.routes_exported === 3, {
      what: 'the session to be reported',
    });
    expect((await world.speaker()).live).toMatchObject({
      reachable: true,
      error: null,
      sessions: [{ state: 'established' }],
    });
  });

  test('follows a change with the difference', async () => {
    const sentBefore = world.bird.updates().length;
    await world.announce(SECOND);
    expect(world.bird.withdrawnSince(sentBefore)).toEqual(['45.0.2.0/24']);
  });

  test('keeps its key where only its user can read it', () => {
    expect(statSync(agent.dataDir).mode & 0o777).toBe(0o700);
    for (const name of ['identity.json', 'trust.json', 'bundle.tar'])
      expect(statSync(join(agent.dataDir, name)).mode & 0o777, name).toBe(0o600);
    const { api_key } = JSON.parse(readFileSync(join(agent.dataDir, 'identity.json'), 'utf8')) as {
      api_key: { secret: string };
    };
    expect(agent.said()).not.toContain(api_key.secret);
  });

  test('shows how it is to whoever sits at it', async () => {
    const args = [command, 'agent', 'status', '--data-dir', agent.dataDir];
    const { stdout } = await run(process.execPath, args);
    expect(stdout).toContain('edge');
    expect(stdout).toContain('3 prefixes');
    expect(stdout).toContain('followed');
  });

  test('is alone in its directory: a second one ends, and says which process works there', async () => {
    const second = await world.start({ dataDir: agent.dataDir });
    await second.hears(
      `The service could not start. An agent works in ${agent.dataDir} already (process ${agent.child.pid}).`,
    );
    await waitFor(() => second.child.exitCode !== null, { what: 'the second one to end' });
    // Where the first one is just ending, the unit is to try again.
    expect(second.child.exitCode).toBe(1);
    expect(agent.child.exitCode).toBeNull();
    expect((await world.speaker()).live).toMatchObject({ reachable: true, error: null });
  });

  test('that is killed is back with its routes, and the peer never lost one', async () => {
    const sentBefore = world.bird.updates().length;
    await agent.stop('SIGKILL');
    await waitFor(async () => (await world.bird.session()).state !== 'established', {
      what: 'BIRD to notice',
    });
    await world.received(SECOND);
    agent = await world.start({ dataDir: agent.dataDir });
    await world.bird.waitEstablished();
    await world.received(SECOND);
    // A router that loses the session once more before it has all again drops what it kept (RFC 4724, section 4.2).
    const isSentAgain = (): boolean => {
      const sent = world.bird.updates().slice(sentBefore);
      const isEnded = sent.filter(({ endOfRib }) => endOfRib).length >= 2;
      return isEnded && SECOND.every((prefix) => sent.some(({ announced }) => announced.includes(prefix)));
    };
    await waitFor(isSentAgain, { what: 'all routes to be sent again' });
    expect(world.bird.withdrawnSince(sentBefore)).toEqual([]);
  });

  test('that stops in order leaves the routes with the peer too', async () => {
    const sentBefore = world.bird.updates().length;
    await agent.stop('SIGTERM');
    expect(agent.child.exitCode).toBe(0);
    expect((await world.speaker()).live).toMatchObject({
      reachable: false,
      error: expect.stringContaining('was stopped') as unknown,
      sessions: [],
    });
    // It had the sessions itself.
    expect((await world.speaker()).live).not.toHaveProperty('last_known_sessions');
    await world.received(SECOND);
    agent = await world.start({ dataDir: agent.dataDir });
    await world.bird.waitEstablished();
    await world.received(SECOND);
    expect(world.bird.withdrawnSince(sentBefore)).toEqual([]);
  });

  test('a further one is brought what the others run as soon as it has enrolled, and nobody asks for that', async () => {
    const id = await world.addSpeaker('further');
    const applies = async (): Promise<number> =>
      (await world.service.get<{ items: unknown[] }>('/v1/jobs?type=apply&limit=500')).items.length;
    const before = await applies();
    const further = await world.start({ token: await world.token(id) });
    const { applied_revision_id: revision } = await world.speaker();
    const runs = async (): Promise<boolean> =>
      (await world.service.get<SpeakerNow>(`/v1/speakers/${id}`)).applied_revision_id === revision;
    await waitFor(runs, { what: 'the further node to run that', details: further.said });
    expect(revision).not.toBeNull();
    expect(await applies()).toBe(before + 1);
  });
});
