/** What takes long in the life of a node: kills at any moment of a change, and a time without the control plane. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { startWorld, type AgentProcess, type NodeWorld } from './world.ts';

const lacks = requireDaemon('bird') === null;

const STAYS = '45.0.0.0/24';
const SECOND = [STAYS, '45.0.4.0/24', '2a00:100::/32'];

// Each step may take its time where many tests share the machine.

describe.skipIf(lacks)('a node', () => {
  let world: NodeWorld;
  let agent: AgentProcess;
  let sentBefore: number;
  beforeAll(async () => {
    world = await startWorld();
    agent = await world.enrolled();
    await world.announce([STAYS]);
    sentBefore = world.bird.updates().length;
  });
  afterAll(() => world?.close());

  // A test for each kill: what one of them takes on a busy machine leaves the next its time.
  test.each([0, 1, 2, 3, 4])(
    'that is killed at any moment of a change ends up with it, and what stays is never withdrawn (kill %i)',
    async (kill) => {
      const job = await world.ask([STAYS, `46.0.${kill}.0/24`]);
      // From before the bundle is asked for to after it was confirmed.
      await sleep(Math.random() * 300);
      await agent.stop('SIGKILL');
      agent = await world.start({ dataDir: agent.dataDir });
      await world.service.succeeded(job);
      await world.received([STAYS, `46.0.${kill}.0/24`]);
      expect(world.bird.withdrawnSince(sentBefore)).not.toContain(STAYS);
    },
  );

  test('starts without the control plane and announces what it did; then it goes straight to the latest', async () => {
    await world.announce(SECOND);
    await agent.stop('SIGKILL');
    const third = ['45.0.8.0/24'];
    await world.ask(third); // which nobody takes yet
    await world.stopService('SIGKILL');
    sentBefore = world.bird.updates().length;
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
