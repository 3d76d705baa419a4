/** What takes long in the life of a node: kills at any moment of a change, and a time without the control plane. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { startWorld, type AgentProcess, type NodeWorld } from './world.ts';

const lacks = requireDaemon('bird') === null;

const SECOND = ['45.0.0.0/24', '45.0.4.0/24', '2a00:100::/32'];

// Each step may take its time where many tests share the machine.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

describe.skipIf(lacks)('a node', () => {
  let world: NodeWorld;
  let agent: AgentProcess;
  beforeAll(async () => {
    world = await startWorld();
    agent = await world.enrolled();
    await world.announce(SECOND);
  });
  afterAll(() => world?.close());

  test('that is killed at any moment of a change ends up with it, and what stays is never withdrawn', async () => {
    const sentBefore = world.bird.updates().length;
    const stays = SECOND[0]!;
    for (let round = 0; round < 5; round++) {
      const job = await world.ask([stays, `46.0.${round}.0/24`]);
      // From before the bundle is asked for to after it was confirmed.
      await sleep(Math.random() * 300);
      await agent.stop('SIGKILL');
      agent = await world.start({ dataDir: agent.dataDir });
      await world.service.succeeded(job);
      await world.received([stays, `46.0.${round}.0/24`]);
    }
    expect(world.bird.withdrawnSince(sentBefore)).not.toContain(stays);
    await world.announce(SECOND);
  });

  test('starts without the control plane and announces what it did; then it goes straight to the latest', async () => {
    await agent.stop('SIGKILL');
    const third = ['45.0.8.0/24'];
    await world.ask(third); // which nobody takes yet
    await world.stopService('SIGKILL');
    const sentBefore = world.bird.updates().length;
    agent = await world.start({ dataDir: agent.dataDir });
    await world.bird.waitEstablished();
    await agent.hears('does not answer');
    await world.received(SECOND);
    expect(world.bird.withdrawnSince(sentBefore)).toEqual([]);
    await world.startService();
    await world.received(third);
    await waitFor(async () => (await world.speaker()).last_apply?.status === 'ok', { what: 'the report' });
  });
});
