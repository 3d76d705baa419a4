import { describe } from 'vitest';
import { startFrr } from '../daemons/frr.ts';
import { freePort, loopbackAddress } from '../daemons/ports.ts';
import { programPath, requireDaemon } from '../daemons/programs.ts';
import { testRouter } from './router.ts';

const lacks = (['bird', 'frr-bgpd', 'vtysh'] as const).some((name) => requireDaemon(name) === null);

describe.skipIf(lacks)('a service beside an FRR', { timeout: 300_000 }, () => {
  testRouter(async () => {
    const address = loopbackAddress();
    const listen = { address, port: await freePort(address) };
    const frr = await startFrr({ listen, routerId: address, localAsn: 65_000, neighbors: [] });
    return {
      daemon: 'frr',
      env: { APP_ROUTER_SOCKET: frr.directory, APP_ROUTER_BIN: programPath('vtysh') },
      listen,
      keepsRoutes: true,
      kill: () => frr.kill('SIGKILL'),
      restart: () => frr.restart(),
      stop: () => frr.stop(),
    };
  });
});
