import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { startWorld, type AgentProcess, type NodeWorld } from './world.ts';

const lacks = requireDaemon('bird') === null;
const ROUTES = ['45.0.0.0/24', '45.0.2.0/24'];

// Each step may take its time where many tests share the machine.

describe.skipIf(lacks)('the speaker of a node', () => {
  let world: NodeWorld;
  let agent: AgentProcess;
  let path: string;
  beforeAll(async () => {
    world = await startWorld();
    path = `/v1/speakers/${world.speakerId}`;
    agent = await world.enrolled();
    await world.announce(ROUTES);
    // The only speaker of a peer is not deleted either.
    const speaker_ids = [world.speakerId, await world.addSpeaker('without a node')];
    const { items } = await world.service.get<{ items: { id: string }[] }>('/v1/peers');
    await world.service.call('PATCH', `/v1/peers/${items[0]!.id}`, { speaker_ids });
    await world.received(ROUTES);
  });
  afterAll(() => world?.close());

  test('is not deleted while the node announces, and nothing is lost by the attempt', async () => {
    await expect(world.service.call('DELETE', path)).rejects.toThrow(/Disable the speaker first/);
    await world.received(ROUTES);
    expect((await world.speaker()).live.reachable).toBe(true);
  });

  test('is disabled, the node withdraws and says so, and then it goes without anybody at the node', async () => {
    await world.service.call('PATCH', path, { enabled: false });
    await world.received([]);
    const isDeleted = async (): Promise<boolean> =>
      world.service.call('DELETE', path).then(
        () => true,
        (error: Error) => {
          expect(error.message).toContain('has not said yet');
          return false;
        },
      );
    await waitFor(isDeleted, { what: 'the node to say that its sessions have ended' });
    await agent.hears('401');
  });

  test('leaves a node behind that announces nothing, also after a restart', async () => {
    await agent.stop();
    agent = await world.start({ dataDir: agent.dataDir });
    await agent.hears('what it ran before');
    await agent.hears('401');
    await world.received([]);
    expect((await world.bird.session()).state).not.toBe('established');
  });
});

describe.skipIf(lacks)('a node that is given up, or whose key is revoked', () => {
  let world: NodeWorld;
  let agent: AgentProcess;
  beforeAll(async () => {
    world = await startWorld();
    agent = await world.enrolled();
    await world.announce(ROUTES);
  });
  afterAll(() => world?.close());

  test('goes on announcing without its key; its speaker reports that it is silent', async () => {
    const { items } = await world.service.get<{ items: { id: string; role: string }[] }>('/v1/api-keys');
    const { id } = items.find(({ role }) => role === 'node')!;
    await world.service.call('DELETE', `/v1/api-keys/${id}`);
    await agent.hears('401');
    await waitFor(async () => !(await world.speaker()).live.reachable, {
      what: 'the silence to be reported',
    });
    await world.received(ROUTES);
    await expect(world.service.call('DELETE', `/v1/speakers/${world.speakerId}`)).rejects.toThrow(
      /abandon_node=true/,
    );
  });

  test('goes on announcing without its speaker, until it is stopped where it is', async () => {
    const { items } = await world.service.get<{ items: { id: string }[] }>('/v1/peers');
    await world.service.call('DELETE', `/v1/peers/${items[0]!.id}`);
    await world.service.call('DELETE', `/v1/speakers/${world.speakerId}?abandon_node=true`);
    await expect(world.speaker()).rejects.toThrow();
    await agent.stop('SIGKILL');
    agent = await world.start({ dataDir: agent.dataDir });
    await world.bird.waitEstablished();
    await world.received(ROUTES);
  });
});
