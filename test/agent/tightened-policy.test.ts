/** What a node is sent, and reports, when something else than its routes changes: the policy of its tenant, or a setting of a peer. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../daemons/programs.ts';
import { startWorld, type AgentProcess, type NodeWorld } from './world.ts';

const lacks = requireDaemon('bird') === null;
const ALL = ['45.0.0.0/24', '45.0.2.0/24', '2a00:100::/32'];

// Each step may take its time where many tests share the machine.

describe.skipIf(lacks)('a node that runs a revision', () => {
  let world: NodeWorld;
  let agent: AgentProcess;
  beforeAll(async () => {
    world = await startWorld();
    agent = await world.enrolled();
    await world.announce(ALL);
  });
  afterAll(() => world?.close());

  async function allow(prefixes: readonly string[] | null): Promise<void> {
    const { items } = await world.service.get<{ items: { id: string; slug: string }[] }>('/v1/tenants');
    const { id } = items.find(({ slug }) => slug === 'default')!;
    await world.service.call('PATCH', `/v1/tenants/${id}`, { policy: { allowed_prefixes: prefixes } });
  }
  const revisions = async (): Promise<number> =>
    (await world.service.get<{ items: unknown[] }>('/v1/revisions')).items.length;

  test('withdraws at once what a tightened policy does not allow, and keeps to it when it starts again', async () => {
    const before = await revisions();
    await allow(['45.0.0.0/23', '2a00::/16']);
    await world.received(['45.0.0.0/24', '2a00:100::/32']);
    await agent.hears(
      /The speaker edge runs revision \d+ .*1 withdrawn.*Other settings: routes that the policy of the tenant allows/,
    );
    await agent.stop('SIGKILL');
    agent = await world.start({ dataDir: agent.dataDir });
    await agent.hears('The daemon runs what it ran before the agent was stopped');
    await world.received(['45.0.0.0/24', '2a00:100::/32']);
    // What comes next starts from the whole of what it has.
    await world.announce(['45.0.0.0/24', '45.0.1.0/25', '2a00:100::/32']);
    await allow(null);
    await world.announce(ALL);
    expect(await revisions()).toBe(before + 2);
  });

  test('says that a setting changed where the routes are the same', async () => {
    const { items } = await world.service.get<{ items: { id: string }[] }>('/v1/peers');
    await world.service.call('PATCH', `/v1/peers/${items[0]!.id}`, { hold_time: 33 });
    await agent.hears(/The speaker edge runs revision \d+ as before, with other settings: bird: hold time/);
    await world.received(ALL);
  });
});
