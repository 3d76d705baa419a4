import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../daemons/machine/ports.ts';
import { requireDaemon } from '../daemons/programs.ts';
import { startWorld, type AgentProcess, type NodeWorld } from './world.ts';

const lacks = requireDaemon('bird') === null;
const FIRST = ['45.5.0.0/24'];

// Each step may take its time where many tests share the machine.

describe.skipIf(lacks)('a node that cannot bring back what it ran', () => {
  let world: NodeWorld;
  let agent: AgentProcess;
  beforeAll(async () => {
    world = await startWorld();
    agent = await world.enrolled();
    await world.announce(FIRST);
  });
  afterAll(() => world?.close());

  test('because the disk has it damaged says so, and takes it from the control plane', async () => {
    await agent.stop();
    const path = join(agent.dataDir, 'bundle.tar');
    const bytes = readFileSync(path);
    bytes[bytes.length - 1500] = bytes[bytes.length - 1500]! ^ 1;
    writeFileSync(path, bytes);
    agent = await world.start({ dataDir: agent.dataDir });
    await agent.hears('could not be brought back: bundle_corrupt');
    await agent.hears('runs revision 1 after');
    await world.received(FIRST);
    await agent.stop();
    agent = await world.start({ dataDir: agent.dataDir });
    await agent.hears('The daemon runs what it ran before');
  });

  test('because its daemon cannot take it now follows the control plane all the same', async () => {
    const { items } = await world.service.get<{ items: { id: string }[] }>('/v1/peers');
    const path = `/v1/peers/${items[0]!.id}`;
    const listen = `127.0.0.1:${await freePort()}`;
    await world.service.call('PATCH', path, { passive: true });
    await agent.hears('as before, with other settings: bird: passive');
    await agent.stop();
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(Number(listen.split(':')[1]), '127.0.0.1', resolve));
    try {
      agent = await world.start({ dataDir: agent.dataDir, env: { APP_BGP_LISTEN: listen } });
      await agent.hears('could not be brought back: listen_failed');
      await world.service.call('PATCH', path, { passive: false });
      await world.bird.waitEstablished();
      await world.received(FIRST);
    } finally {
      taken.close();
    }
    expect(agent.child.exitCode).toBeNull();
  });
});
