/**
 * The routing daemon on this machine that holds speakers of its kind: `APP_ROUTER_DAEMON` names it, the other variables say how to reach
 * it.
 */
import { isIPv4 } from 'node:net';
import {
  ConfigError,
  choice,
  readEndpoint,
  variable,
  type Endpoint,
  type Environment,
} from './environment.ts';

const ROUTER_DAEMONS = ['bird', 'frr', 'gobgp', 'openbgpd'] as const;

/** A BIRD that is set up as in docs/routers/bird.md. */
export interface BirdRouterConfig {
  readonly daemon: 'bird';
  /** Path of its control socket. */
  readonly socket: string;
  /** The directory in its configuration that is ours. */
  readonly configDir: string;
  /** Path of its program, which checks configurations. */
  readonly program: string;
  /** Path of its main configuration, which includes the directory. */
  readonly mainConfig: string;
  /** Sessions listen only on their own address, as the operator's strictly bound sessions do. */
  readonly bindsOwnAddress: boolean;
  /** Where it accepts the route injection sessions: an IPv4 address of this machine, and a separate port. */
  readonly feed: Endpoint;
}

/** An FRR that is set up as in docs/routers/frr.md. */
export interface FrrRouterConfig {
  readonly daemon: 'frr';
  /** The directory of its daemons' sockets. */
  readonly socketDir: string;
  /** Path of `vtysh`, which checks commands. */
  readonly program: string;
  /** Where FRR fetches the routes: the address on which the builtin speaker listens. */
  readonly feed: Endpoint;
}

/** A GoBGP that is set up as in docs/routers/gobgp.md. */
export interface GobgpRouterConfig {
  readonly daemon: 'gobgp';
  /** Address of its API: `unix:/path` or `HOST:PORT`. */
  readonly api: string;
}

/** An OpenBGPD that is set up as in docs/routers/openbgpd.md. */
export interface OpenbgpdRouterConfig {
  readonly daemon: 'openbgpd';
  /** Path of its control socket. */
  readonly socket: string;
  /** The directory whose `prefixcast.conf` its main configuration includes. */
  readonly configDir: string;
  /** Path of `bgpd`, which checks configurations. */
  readonly program: string;
  /** Path of `bgpctl`, which controls it. */
  readonly controlProgram: string;
  readonly mainConfig: string;
}

export type RouterConfig = BirdRouterConfig | FrrRouterConfig | GobgpRouterConfig | OpenbgpdRouterConfig;

/** @param bgpListen where the builtin speaker listens */
export function readRouter(env: Environment, bgpListen: Endpoint): RouterConfig | null {
  const daemon = choice(env, 'APP_ROUTER_DAEMON', 'bird', ROUTER_DAEMONS);
  switch (daemon) {
    case 'bird':
      return readBird(env);
    case 'frr':
      return readFrr(env, bgpListen);
    case 'gobgp':
      return readGobgp(env);
    case 'openbgpd':
      return readOpenbgpd(env);
  }
}

function readBird(env: Environment): BirdRouterConfig | null {
  const place = readPlace(env);
  const rest = {
    program: readProgram(env, 'APP_ROUTER_BIN', 'bird'),
    mainConfig: variable(env, 'APP_ROUTER_CONFIG', '/etc/bird/bird.conf', PATH, readPath),
    bindsOwnAddress: choice(env, 'APP_ROUTER_BIND', 'any', ['any', 'own']) === 'own',
    feed: variable(
      env,
      'APP_ROUTER_FEED',
      { host: '127.0.0.1', port: 1179 },
      'an IPv4 address of this machine and a port, such as 127.0.0.1:1179',
      readFeed,
    ),
  };
  return place === null ? null : Object.freeze({ daemon: 'bird', ...place, ...rest });
}

/** FRR connects over IPv4, and must know the port beforehand. */
function readFrr(env: Environment, { host, port }: Endpoint): FrrRouterConfig {
  const isEveryAddress = host === '0.0.0.0' || host === '::';
  if (port === 0 || !(isEveryAddress || isIPv4(host)))
    throw new ConfigError(
      'APP_BGP_LISTEN',
      `${host}:${port}`,
      'FRR fetches the routes there, so it needs an IPv4 address and a port, such as 127.0.0.1:1790',
    );
  return Object.freeze({
    daemon: 'frr',
    socketDir: variable(env, 'APP_ROUTER_SOCKET', '/run/frr', PATH, readPath),
    program: readProgram(env, 'APP_ROUTER_BIN', 'vtysh'),
    feed: { host: isEveryAddress ? '127.0.0.1' : host, port },
  });
}

function readOpenbgpd(env: Environment): OpenbgpdRouterConfig | null {
  const place = readPlace(env);
  const rest = {
    program: readProgram(env, 'APP_ROUTER_BIN', 'bgpd'),
    controlProgram: readProgram(env, 'APP_ROUTER_CTL', 'bgpctl'),
    mainConfig: variable(env, 'APP_ROUTER_CONFIG', '/etc/bgpd.conf', PATH, readPath),
  };
  return place === null ? null : Object.freeze({ daemon: 'openbgpd', ...place, ...rest });
}

/** The daemon's socket and the directory in its configuration that is ours; null: there is none. */
function readPlace(env: Environment): { readonly socket: string; readonly configDir: string } | null {
  const optional = (name: string): string | null => variable<string | null>(env, name, null, PATH, readPath);
  const socket = optional('APP_ROUTER_SOCKET');
  const configDir = optional('APP_ROUTER_CONFIG_DIR');
  if (socket !== null && configDir !== null) return { socket, configDir };
  if (socket !== null)
    throw new ConfigError('APP_ROUTER_SOCKET', socket, 'it needs APP_ROUTER_CONFIG_DIR; set both or neither');
  if (configDir !== null)
    throw new ConfigError(
      'APP_ROUTER_CONFIG_DIR',
      configDir,
      'it needs APP_ROUTER_SOCKET; set both or neither',
    );
  return null;
}

const PATH = 'an absolute path of letters, digits and . _ - /';

/** The path may be used in a string of the daemon's configuration, where a wildcard is not allowed. */
function readPath(value: string): string | undefined {
  return /^\/[\w./-]*\w$/.test(value) ? value : undefined;
}

function readProgram(env: Environment, name: string, fallback: string): string {
  return variable(env, name, fallback, `a program, such as /usr/sbin/${fallback}`, (value) =>
    /^[^\s\0]+$/.test(value) ? value : undefined,
  );
}

function readGobgp(env: Environment): GobgpRouterConfig {
  const readApi = (value: string): string | undefined =>
    /^unix:\/[^\s\0]+$/.test(value) || readEndpoint(value) !== undefined ? value : undefined;
  const allowed = 'unix:/path or HOST:PORT, such as 127.0.0.1:50051';
  const api = variable(env, 'APP_ROUTER_SOCKET', '127.0.0.1:50051', allowed, readApi);
  return Object.freeze({ daemon: 'gobgp', api });
}

function readFeed(value: string): Endpoint | undefined {
  const endpoint = readEndpoint(value);
  return endpoint !== undefined && isIPv4(endpoint.host) && endpoint.port > 0 ? endpoint : undefined;
}
