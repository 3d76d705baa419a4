import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requireDaemon } from '../../daemons/programs.ts';
import { never, routesModel, tableOf, waitSession } from '../builtin/models.ts';
import type { Bird } from '../../daemons/bird.ts';
import { startWorld, type World } from './world.ts';

/** Prefixes with their communities, as the peer holds them. */
async function heardBy(bird: Bird): Promise<Record<string, string[]>> {
  const routes = await bird.routes();
  return Object.fromEntries(
    routes.map((route) => [route.prefix, [...route.communities, ...route.largeCommunities]]),
  );
}

const routes = tableOf({
  '10.0.0.0/8': ['65000:1'],
  '172.16.0.0/12': ['65000:1', '65000:2'],
  '192.168.0.0/16': ['65000:2', '65000:1:2'],
  '198.51.100.0/24': [],
  '2001:db8::/32': ['65000:1', 'blackhole'],
});

describe.skipIf(requireDaemon('bird') === null)('a speaker in BIRD', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world?.stop());

  it('announces every route with its communities, and says what it does', async () => {
    const driver = world.driver();
    const peer = await world.peer({ families: ['ipv4', 'ipv6'] });
    await driver.configure(world.modelOf([world.peerOf(peer, { families: ['ipv4', 'ipv6'] })]));
    const outcome = await driver.apply(routesModel(routes, { noExport: true }), never);
    expect(outcome).toEqual({ announced: 5, withdrawn: 0, changed: 0 });
    await peer.waitRoutes(5);
    expect(await heardBy(peer)).toEqual({
      '10.0.0.0/8': ['65000:1', '65535:65281'],
      '172.16.0.0/12': ['65000:1', '65000:2', '65535:65281'],
      '192.168.0.0/16': ['65000:2', '65535:65281', '65000:1:2'],
      '198.51.100.0/24': ['65535:65281'],
      '2001:db8::/32': ['65000:1', '65535:666', '65535:65281'],
    });
    const session = await waitSession(driver, 'five routes', ({ routesExported }) => routesExported === 5);
    expect(session).toMatchObject({ state: 'established', lastError: null });
    expect(await driver.status()).toMatchObject({ reachable: true, version: 'BIRD 2.0.12', error: null });
  });
});
