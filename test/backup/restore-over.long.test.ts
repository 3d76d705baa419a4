/**
 * A backup is restored over a database that has gone on since: what was taken away meanwhile is there again, what came since is gone, and a
 * router, a node and whoever has a key meet the service of then, which goes on from there.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWorld, type AgentProcess, type NodeWorld } from '../agent/world.ts';
import { typist, type Typed } from '../cli/desk/typing.ts';
import { type Bird, startBird } from '../daemons/bird/bird.ts';
import { freePort, loopbackAddress } from '../daemons/machine/ports.ts';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';

const THEN = ['45.0.1.0/24', '45.0.3.0/24', '2a00:100::/32'];
const SINCE = ['45.0.3.0/24', '45.0.5.0/24', '45.0.7.0/24'];
const LATER = ['45.0.9.0/24'];

interface Item {
  readonly id: string;
  readonly name: string;
}
interface Key extends Item {
  readonly secret: string;
}

describe.skipIf(requireDaemon('bird') === null)('a restore over what has changed since', () => {
  let world: NodeWorld;
  let agent: AgentProcess;
  /** Peers of the speaker of the service: one that the backup knows, and one that it does not. */
  let [router, newcomer]: (Bird | undefined)[] = [];
  let run: (...words: string[]) => Promise<Typed>;
  let file: string;
  const keys: Record<'revoked since' | 'made since', Key | undefined> = {
    'revoked since': undefined,
    'made since': undefined,
  };

  beforeAll(async () => {
    world = await startWorld();
    agent = await world.enrolled();
    router = await addRouter('router', 64497);
    keys['revoked since'] = await makeKey('revoked since');
    await announced(THEN);
    run = typist({ APP_DATA_DIR: join(world.directory, 'service') });
    file = join(world.directory, 'backup.tar');
    expect(await run('backup', file)).toMatchObject({ code: 0 });

    await announced(SINCE);
    // With graceful restart it would keep the routes for as long as that takes.
    newcomer = await addRouter('newcomer', 64498, false);
    await has(newcomer, SINCE);
    keys['made since'] = await makeKey('made since');
    await world.service.call('DELETE', `/v1/api-keys/${keys['revoked since'].id}`);
    await world.service.post('/v1/modules', { name: 'made since', type: 'IP_RANGES' });
  });
  afterAll(async () => {
    await newcomer?.stop();
    await router?.stop();
    await world?.close();
  });

  const makeKey = (name: string): Promise<Key> =>
    world.service.post<Key>('/v1/api-keys', { name, role: 'viewer' });

  async function addRouter(name: string, asn: number, gracefulRestart = true): Promise<Bird> {
    const address = loopbackAddress();
    const neighbor = { address: '127.0.0.1', port: 1, asn: 64512, passive: true, gracefulRestart };
    const bird = await startBird({
      ...{ listen: { address, port: await freePort(address) }, routerId: address, localAsn: asn },
      neighbors: [{ ...neighbor, families: ['ipv4', 'ipv6'] }],
    });
    const { items } = await world.service.get<{ items: Item[] }>('/v1/speakers');
    const { id } = items.find((speaker) => speaker.name === 'builtin')!;
    await world.service.post('/v1/peers', {
      ...{ name, address, port: bird.port, remote_asn: asn, speaker_ids: [id] },
      next_hop_ipv6: '2001:db8::1',
    });
    return bird;
  }

  async function has(bird: Bird, prefixes: readonly string[]): Promise<void> {
    const wanted = JSON.stringify([...prefixes].sort());
    const fresh = async (): Promise<string[]> =>
      (await bird.routes()).filter(({ stale }) => stale !== true).map(({ prefix }) => prefix);
    await waitFor(async () => JSON.stringify((await fresh()).sort()) === wanted, {
      what: `a router to have exactly ${prefixes.join(' ')}`,
      details: agent.said,
    });
  }

  /** Everywhere: at the node's router, and at that of the service. */
  async function announced(prefixes: readonly string[]): Promise<void> {
    await world.announce(prefixes);
    await has(router!, prefixes);
  }

  const names = async (path: string): Promise<string[]> =>
    (await world.service.get<{ items: Item[] }>(path)).items.map(({ name }) => name);
  const statusOf = async ({ secret }: Key): Promise<number> => {
    const headers = { authorization: `Bearer ${secret}` };
    return (await world.service.request('GET', '/v1/modules', undefined, headers)).status;
  };

  test('is refused while the service runs, even with --replace, and nobody notices', async () => {
    const ended = router!.endedSessions();
    for (const more of [[], ['--replace']]) {
      const refused = await run('restore', file, ...more);
      expect(refused.code, refused.err).not.toBe(0);
    }
    expect(await names('/v1/modules')).toContain('made since');
    await has(router!, SINCE);
    expect(router!.endedSessions()).toBe(ended);
  });

  test('is refused where the database holds something, and replaces it when told to', async () => {
    await world.stopService();
    const refused = await run('restore', file);
    expect(refused.code).not.toBe(0);
    expect(refused.err).toContain('--replace');
    const replaced = await run('restore', file, '--replace');
    expect(replaced, replaced.err).toMatchObject({ code: 0 });
    await world.startService();
  });

  test('everybody has what was announced then, and what the service does not know is gone with its session', async () => {
    await has(router!, THEN);
    await world.received(THEN);
    expect(agent.child.exitCode).toBeNull();
    await has(newcomer!, []);
    expect(await names('/v1/peers')).not.toContain('newcomer');
    expect(await names('/v1/modules')).not.toContain('made since');
  });

  test('a key that was made since is none, and one that was revoked since works, as the manual warns', async () => {
    expect(await statusOf(keys['made since']!)).toBe(401);
    expect(await statusOf(keys['revoked since']!)).toBe(200);
  });

  test('nothing waits for ever, and what comes next reaches everybody', async () => {
    const open = async (): Promise<number> => {
      const lists = await Promise.all(
        ['queued', 'running'].map((state) => world.service.get<{ items: Item[] }>(`/v1/jobs?state=${state}`)),
      );
      return lists.flatMap(({ items }) => items).length;
    };
    await waitFor(async () => (await open()) === 0, { what: 'every job to end' });
    await announced(LATER);
    const { live } = await world.speaker();
    expect(live).toMatchObject({ reachable: true, sessions: [{ state: 'established' }] });
  });
});
