/** The node agent's part of the configuration: `APP_AGENT_*`. */
import { isAbsolute, join } from 'node:path';
import { ConfigError, oneOf, variable, type Environment } from './environment.ts';
import { isEnrollmentTokenText } from '../store/api-key-secret.ts';

export interface AgentConfig {
  /** Where the control plane answers, without a slash at its end; null: where it did when the node enrolled. */
  readonly controlUrl: string | null;
  /** What the node enrolls with, unless it has already. */
  readonly token: string | null;
  /** A file that holds the token. */
  readonly tokenFile: string | null;
  readonly dataDir: string;
  /** Authorities in PEM; null: those of the system. */
  readonly caFile: string | null;
  /** Keys and routes may travel in clear, also to other machines. */
  readonly allowHttp: boolean;
}

const PATH = 'an absolute path';
const readPath = (value: string): string | undefined => (isAbsolute(value) ? value : undefined);

export function readAgent(
  env: Environment,
  platform: { readonly isRoot: boolean; readonly home: string },
): AgentConfig {
  const state = env.XDG_DATA_HOME || join(platform.home, '.local', 'share');
  const defaultDataDir = platform.isRoot ? '/var/lib/prefixcast-agent' : join(state, 'prefixcast-agent');
  const allowHttp = variable(
    env,
    'APP_AGENT_ALLOW_HTTP',
    'false',
    'true or false',
    oneOf(['true', 'false'] as const),
  );
  const controlUrl = variable<string | null>(
    env,
    'APP_AGENT_CONTROL_URL',
    null,
    'an https URL without query, such as https://prefixcast.example.net',
    readUrl,
  );
  if (controlUrl !== null && allowHttp === 'false' && !isSafe(controlUrl))
    throw new ConfigError(
      'APP_AGENT_CONTROL_URL',
      controlUrl,
      'http goes to this machine only; use https, or set APP_AGENT_ALLOW_HTTP=true on a network that nobody else is on',
    );
  return Object.freeze({
    controlUrl,
    token: variable<string | null>(
      env,
      'APP_AGENT_TOKEN',
      null,
      'a whole enrollment token like pc_e_… with its right checksum',
      (value) => (isEnrollmentTokenText(value) ? value : undefined),
    ),
    tokenFile: variable<string | null>(env, 'APP_AGENT_TOKEN_FILE', null, PATH, readPath),
    dataDir: variable(env, 'APP_AGENT_DATA_DIR', defaultDataDir, PATH, readPath),
    caFile: variable<string | null>(env, 'APP_AGENT_CA_FILE', null, PATH, readPath),
    allowHttp: allowHttp === 'true',
  });
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
  return protocol === 'https:' || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
