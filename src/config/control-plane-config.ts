/** How a program of another machine finds the control plane and enrolls there: `APP_AGENT_*` of nodes, `APP_FIREWALL_*` of firewall clients. */
import { isLoopbackName } from '../core/loopback-name.ts';
import { isAbsolute } from 'node:path';
import { isEnrollmentTokenText } from '../store/keys/api-key-secret.ts';
import { ConfigError, choice, variable, type Environment } from './environment.ts';

/** The variables of a program, whole, so that they are found by their names. */
export type ControlPlaneVariables = Readonly<Record<keyof ControlPlaneConfig, string>>;

export interface ControlPlaneConfig {
  /** Where the control plane answers, without a slash at its end; null: where it did when the program enrolled. */
  readonly controlUrl: string | null;
  /** What the program enrolls with, unless it has already. */
  readonly token: string | null;
  /** A file that holds the token. */
  readonly tokenFile: string | null;
  /** Where the program keeps its state. */
  readonly dataDir: string;
  /** Authorities in PEM; null: those of the system. */
  readonly caFile: string | null;
  /** Keys and routes may travel in clear, also to other machines. */
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

/** Whether nobody in between can read along: TLS, or no way to go. */
export function isSafe(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || isLoopbackName(hostname);
}
