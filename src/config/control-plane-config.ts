/**
 * How a program on another machine finds the control plane and enrolls there: `APP_AGENT_*` for nodes, `APP_FIREWALL_*` for firewall
 * clients.
 */
import { isLoopbackName } from '../core/loopback-name.ts';
import { isAbsolute } from 'node:path';
import { isEnrollmentTokenText } from '../store/keys/api-key-secret.ts';
import { ConfigError, choice, variable, type Environment } from './environment.ts';

/** The full names of a program's variables, so that a search finds them. */
export type ControlPlaneVariables = Readonly<Record<keyof ControlPlaneConfig, string>>;

export interface ControlPlaneConfig {
  /** URL of the control plane, without a trailing slash; null: the one of the enrolment. */
  readonly controlUrl: string | null;
  /** The enrolment token, unless the program has enrolled already. */
  readonly token: string | null;
  /** A file that contains the token. */
  readonly tokenFile: string | null;
  /** Where the program keeps its state. */
  readonly dataDir: string;
  /** Authorities in PEM; null: those of the system. */
  readonly caFile: string | null;
  /** Allows keys and routes to be sent unencrypted to other machines. */
  readonly allowHttp: boolean;
}

export const PATH = 'an absolute path';
export const readPath = (value: string): string | undefined => (isAbsolute(value) ? value : undefined);

export function readControlPlane(
  env: Environment,
  names: ControlPlaneVariables,
  defaultDataDir: string,
): ControlPlaneConfig {
  const allowHttp = choice(env, names.allowHttp, 'false', ['true', 'false']);
  const controlUrl = variable<string | null>(
    env,
    names.controlUrl,
    null,
    'an https URL without query, such as https://prefixcast.example.net',
    readUrl,
  );
  if (controlUrl !== null && allowHttp === 'false' && !isSafe(controlUrl))
    throw new ConfigError(
      names.controlUrl,
      controlUrl,
      `http goes to this machine only; use https, or set ${names.allowHttp}=true on a network that nobody else is on`,
    );
  return {
    controlUrl,
    token: variable<string | null>(
      env,
      names.token,
      null,
      'a whole enrollment token like pc_e_… with its right checksum',
      (value) => (isEnrollmentTokenText(value) ? value : undefined),
    ),
    tokenFile: variable<string | null>(env, names.tokenFile, null, PATH, readPath),
    dataDir: variable(env, names.dataDir, defaultDataDir, PATH, readPath),
    caFile: variable<string | null>(env, names.caFile, null, PATH, readPath),
    allowHttp: allowHttp === 'true',
  };
}

function readUrl(value: string): string | undefined {
  const url = URL.parse(value);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  if (url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') return undefined;
  return value.replace(/\/+$/, '');
}

/** Whether the connection is safe from eavesdroppers: TLS, or within this machine. */
export function isSafe(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || isLoopbackName(hostname);
}
