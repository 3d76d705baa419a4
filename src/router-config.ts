/** The routing daemon on this machine that speakers of its kind live in: `APP_ROUTER_DAEMON` says which, the others how to reach it. */
import { isIPv4 } from 'node:net';
import {
  ConfigError,
  oneOf,
  readEndpoint,
  variable,
  type Endpoint,
  type Environment,
} from './environment.ts';

export const ROUTER_DAEMONS = ['bird'] as const;

/** A BIRD, as docs/bird.md sets it up. */
export interface BirdRouterConfig {
  readonly daemon: 'bird';
  /** Its control socket. */
  readonly socket: string;
  /** The directory of its configuration that is ours. */
  readonly configDir: string;
  /** Its program, which checks configurations. */
  readonly program: string;
  /** Its main configuration, which includes the directory. */
  readonly mainConfig: string;
  /** Sessions listen at their own address only, as those of the operator's do that are bound strictly. */
  readonly bindsOwnAddress: boolean;
  /** Where it takes the sessions that bring it routes: an IPv4 address of this machine, and a port of its own. */
  readonly feed: Endpoint;
}

export type RouterConfig = BirdRouterConfig;

export function readRouter(env: Environment): RouterConfig | null {
  const daemon = variable(
    env,
    'APP_ROUTER_DAEMON',
    'bird',
    `one of ${ROUTER_DAEMONS.join(', ')}`,
    oneOf(ROUTER_DAEMONS),
  );
  switch (daemon) {
    case 'bird':
      return readBird(env);
  }
}

function readBird(env: Environment): BirdRouterConfig | null {
  // The path stands in a string of the daemon's configuration, where it may hold no wildcard.
  const readPath = (value: string): string | undefined => (/^\/[\w./-]*\w$/.test(value) ? value : undefined);
  const path = 'an absolute path of letters, digits and . _ - /';
  const optional = (name: string): string | null => variable<string | null>(env, name, null, path, readPath);
  const socket = optional('APP_ROUTER_SOCKET');
  const configDir = optional('APP_ROUTER_CONFIG_DIR');
  const rest = {
    program: variable(env, 'APP_ROUTER_BIN', 'bird', 'a program, such as /usr/sbin/bird', (value) =>
      /^[^\s\0]+$/.test(value) ? value : undefined,
    ),
    mainConfig: variable(env, 'APP_ROUTER_CONFIG', '/etc/bird/bird.conf', path, readPath),
    bindsOwnAddress:
      variable(env, 'APP_ROUTER_BIND', 'any', 'any or own', oneOf(['any', 'own'] as const)) === 'own',
    feed: variable(
      env,
      'APP_ROUTER_FEED',
      { host: '127.0.0.1', port: 1179 },
      'an IPv4 address of this machine and a port, such as 127.0.0.1:1179',
      readFeed,
    ),
  };
  if (socket !== null && configDir !== null)
    return Object.freeze({ daemon: 'bird', socket, configDir, ...rest });
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

function readFeed(value: string): Endpoint | undefined {
  const endpoint = readEndpoint(value);
  return endpoint !== undefined && isIPv4(endpoint.host) && endpoint.port > 0 ? endpoint : undefined;
}
