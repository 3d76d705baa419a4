import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireDaemon, unavailable } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { startWorld, type AgentProcess, type NodeWorld } from './world.ts';

const lacks = requireDaemon('bird') === null || requireMounts() === null;

/** Whether this user may mount a file system where nobody else sees it. */
function requireMounts(): true | null {
  try {
    execFileSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'], { stdio: 'pipe' });
    return true;
  } catch (error) {
    return unavailable(
      'mounts of a test',
      `"unshare --mount" fails here (${(error as Error).message.trim()})`,
    );
  }
}

const FIRST = ['45.3.0.0/24', '2a00:300::/32'];
const SECOND = ['45.3.2.0/24', '2a00:300::/32'];

// Each step may take its time where many tests share the machine.

describe.skipIf(lacks)('a node whose disk is full', () => {
  let world: NodeWorld;
  let agent: AgentProcess;
  let disk: string;
  beforeAll(async () => {
    world = await startWorld();
    disk = join(world.directory, 'disk');
    mkdirSync(disk);
    // A disk of its own, that only the agent sees.
    const mounting = `mount -t tmpfs -o size=128k tmpfs ${disk} && exec "$@"`;
    const wrapper = ['unshare', '--mount', 'sh', '-c', mounting, 'sh'];
    agent = await world.enrolled({ dataDir: join(disk, 'state'), wrapper });
    await world.announce(FIRST);
  });
  afterAll(() => world?.close());

  /** The disk, as the agent has it. */
  const inside = (name: string): string => `/proc/${agent.child.pid}/root${join(disk, name)}`;

  test('keeps its routes, says what is wrong, and goes on when there is room', async () => {
    for (let i = 0; fills(inside(`filler-${i}`)); i++) expect(i).toBeLessThan(1_000);
    await world.ask(SECOND);
    const error = await waitFor(async () => (await world.speaker()).last_apply?.error ?? false, {
      what: 'the control plane to hear of it',
      details: agent.said,
    });
    expect(error).toMatch(/^state_unwritable: The disk that holds .*disk\/state is full\. Make room/);
    expect((await world.bird.routes()).map(({ prefix }) => prefix).sort()).toEqual([...FIRST].sort());
    expect((await world.speaker()).live).toMatchObject({ reachable: true });
    rmSync(inside('filler-0'));
    await world.received(SECOND);
    await waitFor(async () => (await world.speaker()).last_apply?.status === 'ok', { what: 'the good end' });
  });
});

/** Whether a file of this name found room. */
function fills(path: string): boolean {
  try {
    writeFileSync(path, Buffer.alloc(16 * 1024));
    return true;
  } catch {
    return false;
  }
}
