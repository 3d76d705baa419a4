import { rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe } from 'vitest';
import { type Bird, startBird } from '../daemons/bird.ts';
import { freePort, loopbackAddress } from '../daemons/ports.ts';
import { daemonDirectory } from '../daemons/process.ts';
import { programPath, requireDaemon, unavailable } from '../daemons/programs.ts';
import { type Router, testRouter } from './router.ts';

/** BIRD listens on the port of BGP for the sessions of a service. */
const lacks =
  requireDaemon('bird') === null ||
  (process.getuid?.() !== 0 && unavailable('port 179', 'only root may bind it') === null);

describe.skipIf(lacks)('a service beside a BIRD that it writes files for', { timeout: 300_000 }, () => {
  testRouter(() => startRouter('static'));
});

describe.skipIf(lacks)('a service beside a BIRD that it feeds', { timeout: 300_000 }, () => {
  testRouter(() => startRouter('feed'));
});

async function startRouter(routes: 'static' | 'feed'): Promise<Router> {
  const listen = { address: loopbackAddress(), port: 179 };
  const directory = daemonDirectory('config');
  const main = daemonDirectory('bird');
  // Names that stay the same whichever BIRD is behind them.
  const [socket, mainConfig] = [join(main, 'bird.ctl'), join(main, 'bird.conf')];
  const start = async (): Promise<Bird> => {
    const started = await startBird({
      ...{ listen, routerId: listen.address, localAsn: 65_000, neighbors: [] },
      extraConfig: `include "${directory}/*.conf";`,
    });
    rmSync(socket, { force: true });
    rmSync(mainConfig, { force: true });
    symlinkSync(started.socketPath, socket);
    symlinkSync(join(dirname(started.socketPath), 'bird.conf'), mainConfig);
    return started;
  };
  let bird = await start();
  return {
    daemon: 'bird',
    env: {
      APP_ROUTER_SOCKET: socket,
      APP_ROUTER_CONFIG_DIR: directory,
      APP_ROUTER_BIN: programPath('bird'),
      APP_ROUTER_CONFIG: mainConfig,
      APP_ROUTER_BIND: 'own',
      APP_ROUTER_FEED: `${listen.address}:${await freePort(listen.address)}`,
    },
    listen,
    speaker: { policies_json: { bird_routes: routes } },
    kill: () => bird.kill('SIGKILL'),
    async restart() {
      await bird.stop();
      bird = await start();
    },
    async stop() {
      await bird.stop();
      for (const path of [directory, main]) rmSync(path, { recursive: true, force: true });
    },
  };
}
