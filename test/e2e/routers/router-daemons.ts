/** The routing daemons that a service drives, one of each kind and way; what they lack here is said beside each. */
import { rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Bird, startBird } from '../../daemons/bird/bird.ts';
import { startFrr } from '../../daemons/frr/frr.ts';
import { requireOpenbgpd } from '../../daemons/openbgpd/openbgpd.ts';
import { freePort, loopbackAddress } from '../../daemons/machine/ports.ts';
import { daemonDirectory } from '../../daemons/process.ts';
import { programPath, requireDaemon, unavailable } from '../../daemons/programs.ts';
import { startWorld as startGobgpWorld } from '../../speakers/gobgp/world.ts';
import { startWorld as startOpenbgpdWorld } from '../../speakers/openbgpd/world.ts';
import type { Router } from './router.ts';

/** BIRD listens on the port of BGP for the sessions of a service. */
export const lacksBird = (): boolean =>
  requireDaemon('bird') === null ||
  (process.getuid?.() !== 0 && unavailable('port 179', 'only root may bind it') === null);

export async function startBirdRouter(routes: 'static' | 'feed'): Promise<Router> {
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

export const lacksFrr = (): boolean =>
  (['bird', 'frr-bgpd', 'vtysh'] as const).some((name) => requireDaemon(name) === null);

export async function startFrrRouter(): Promise<Router> {
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
}

export const lacksGobgp = (): boolean =>
  (['bird', 'gobgpd'] as const).some((name) => requireDaemon(name) === null);

export async function startGobgpRouter(): Promise<Router> {
  const world = await startGobgpWorld();
  return {
    daemon: 'gobgp',
    env: { APP_ROUTER_SOCKET: world.gobgp.api },
    listen: { address: world.address, port: world.port },
    keepsRoutes: true,
    kill: () => world.gobgp.kill('SIGKILL'),
    restart: () => world.restart(),
    stop: () => world.stop(),
  };
}

export const lacksOpenbgpd = (): boolean => requireOpenbgpd() === null || requireDaemon('bird') === null;

export async function startOpenbgpdRouter(): Promise<Router> {
  const world = await startOpenbgpdWorld();
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
}

/** A daemon beside a service or an agent. */
export interface RouterDaemon {
  readonly name: string;
  readonly lacks: () => boolean;
  readonly start: () => Promise<Router>;
}

/** A BIRD that has its routes over a session. */
export const FED_BIRD: RouterDaemon = {
  ...{ name: 'BIRD that is fed', lacks: lacksBird },
  start: () => startBirdRouter('feed'),
};

export const OTHER_ROUTERS: readonly RouterDaemon[] = [
  { name: 'FRR', lacks: lacksFrr, start: startFrrRouter },
  { name: 'GoBGP', lacks: lacksGobgp, start: startGobgpRouter },
  { name: 'OpenBGPD', lacks: lacksOpenbgpd, start: startOpenbgpdRouter },
];

/** Each daemon once. */
export const ROUTERS: readonly RouterDaemon[] = [
  { name: 'BIRD', lacks: lacksBird, start: () => startBirdRouter('static') },
  ...OTHER_ROUTERS,
];
