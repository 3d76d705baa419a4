import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { startWorld, type AgentProcess, type NodeWorld } from './world.ts';

const lacks = requireDaemon('bird') === null;
const FIRST = ['45.1.0.0/24'];
const SECOND = ['45.1.2.0/24'];
const THIRD = ['45.1.4.0/24'];

// Each step may take its time where many tests share the machine.

describe.skipIf(lacks)('the identity of a node', () => {
  let world: NodeWorld;
  let agent: AgentProcess;
  beforeAll(async () => {
    world = await startWorld();
    agent = await world.enrolled();
    await world.announce(FIRST);
  });
  afterAll(() => world?.close());

  const keyId = (): string => {
    const text = readFileSync(join(agent.dataDir, 'identity.json'), 'utf8');
    return (JSON.parse(text) as { api_key: { id: string } }).api_key.id;
  };

  test('that two agents have: both follow, the later one is believed, and the speaker says so', async () => {
    const dataDir = join(world.directory, 'copy');
    cpSync(agent.dataDir, dataDir, { recursive: true });
    const second = await world.start({ dataDir });
    await agent.hears('Another agent with the identity of this node was started later');
    await waitFor(async () => (await world.speaker()).live.error?.includes('Two agents') === true, {
      what: 'the speaker to tell of two agents',
    });
    await world.announce(SECOND);
    expect(second.said()).not.toContain('Another agent');
    await second.stop();
    // The one that is left is believed again, when the other has been silent.
    await agent.hears('No other agent with the identity of this node reports any more');
    await waitFor(async () => (await world.speaker()).live.error === null, {
      what: 'the speaker to be well',
    });
  });

  test('that is taken back: the routes stay, the node says so, and does not hammer', async () => {
    const id = keyId();
    await world.service.call('DELETE', `/v1/api-keys/${id}`);
    await agent.hears('unauthorized');
    await world.ask(THIRD);
    const refused = agent.said().split('unauthorized').length;
    expect(refused).toBeLessThan(5);
    expect(await world.bird.routes()).toMatchObject(SECOND.map((prefix) => ({ prefix })));
    // A restart changes nothing of it.
    await agent.stop();
    agent = await world.start({ dataDir: agent.dataDir });
    await agent.hears('unauthorized');
    await world.bird.waitEstablished();
    await world.received(SECOND);
  });

  test('that is given again: the node goes on with it, from where it was', async () => {
    await agent.stop();
    const before = keyId();
    const enrolling = await world.start({
      dataDir: agent.dataDir,
      token: await world.token(),
      args: ['enroll'],
    });
    await waitFor(() => enrolling.child.exitCode !== null, { what: 'the command to end' });
    expect(enrolling.child.exitCode, enrolling.said()).toBe(0);
    expect(enrolling.said()).toContain('is the node of the speaker edge');
    expect(keyId()).not.toBe(before);
    agent = await world.start({ dataDir: agent.dataDir });
    await world.received(THIRD);
  });

  test('is not given twice by one token', async () => {
    const token = await world.token();
    const first = await world.start({ token, args: ['enroll'] });
    await waitFor(() => first.child.exitCode !== null, { what: 'the first to end' });
    expect(first.child.exitCode, first.said()).toBe(0);
    const second = await world.start({ token, args: ['enroll'] });
    await waitFor(() => second.child.exitCode !== null, { what: 'the second to end' });
    expect(second.child.exitCode).toBe(1);
    expect(second.said()).toMatch(/unauthenticated: The enrollment token was used/);
    // The node that was before has lost its key, and keeps its routes.
    await agent.hears('unauthorized');
    await world.received(THIRD);
  });
});
