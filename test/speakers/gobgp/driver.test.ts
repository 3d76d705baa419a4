import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { requireDaemon } from '../../daemons/programs.ts';
import { heardBy, mixedRoutes as routes, never, routesModel, waitSession } from '../builtin/models.ts';
import { startWorld, type World } from './world.ts';

describe.skipIf(requireDaemon('gobgpd') === null)('a speaker in GoBGP', () => {
  let world: World;
  beforeEach(async () => {
    world = await startWorld();
  });
  afterEach(() => world?.stop());

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
    const [first, , , , last] = await peer.routes();
    expect(first).toMatchObject({ nextHop: world.address, asPath: '64512' });
    expect(last).toMatchObject({ nextHop: '2001:db8:ffff::1' });
    const session = await waitSession(driver, 'five routes', ({ routesExported }) => routesExported === 5);
    expect(session).toMatchObject({ state: 'established', lastError: null, families: ['ipv4', 'ipv6'] });
    const status = await driver.status();
    expect(status).toMatchObject({ reachable: true, routerId: '192.0.2.2', version: 'GoBGP', error: null });
  });
});
