import { describe } from 'vitest';
import { requireOpenbgpd } from '../daemons/openbgpd.ts';
import { requireDaemon } from '../daemons/programs.ts';
import { startWorld } from '../speakers/openbgpd/world.ts';
import { testRouter } from './router.ts';

const lacks = requireOpenbgpd() === null || requireDaemon('bird') === null;

describe.skipIf(lacks)('a service beside an OpenBGPD', { timeout: 300_000 }, () => {
  testRouter(async () => {
    const world = await startWorld();
    const { socket, directory, program, controlProgram, mainConfig } = world.options;
    return {
      daemon: 'openbgpd',
      env: {
        APP_ROUTER_SOCKET: socket,
        APP_ROUTER_CONFIG_DIR: directory,
        APP_ROUTER_BIN: program,
        APP_ROUTER_CTL: controlProgram,
        APP_ROUTER_CONFIG: mainConfig,
      },
      listen: { address: world.openbgpd.address, port: world.openbgpd.port },
      kill: () => world.openbgpd.kill('SIGKILL'),
      restart: () => world.restart(),
      stop: () => world.stop(),
    };
  });
});
