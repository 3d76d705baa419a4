import { describe } from 'vitest';
import { requireDaemon } from '../daemons/programs.ts';
import { startWorld } from '../speakers/gobgp/world.ts';
import { testRouter } from './router.ts';

const lacks = (['bird', 'gobgpd'] as const).some((name) => requireDaemon(name) === null);

describe.skipIf(lacks)('a service beside a GoBGP', { timeout: 300_000 }, () => {
  testRouter(async () => {
    const world = await startWorld();
    return {
      daemon: 'gobgp',
      env: { APP_ROUTER_SOCKET: world.gobgp.api },
      listen: { address: world.address, port: world.port },
      keepsRoutes: true,
      kill: () => world.gobgp.kill('SIGKILL'),
      restart: () => world.restart(),
      stop: () => world.stop(),
    };
  });
});
