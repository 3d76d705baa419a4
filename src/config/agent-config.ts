/** The node agent's part of the configuration: `APP_AGENT_*`. */
import { join } from 'node:path';
import {
  readControlPlane,
  type ControlPlaneConfig,
  type ControlPlaneVariables,
} from './control-plane-config.ts';
import type { Environment } from './environment.ts';

export type AgentConfig = ControlPlaneConfig;

export const AGENT_VARIABLES: ControlPlaneVariables = {
  controlUrl: 'APP_AGENT_CONTROL_URL',
  token: 'APP_AGENT_TOKEN',
  tokenFile: 'APP_AGENT_TOKEN_FILE',
  dataDir: 'APP_AGENT_DATA_DIR',
  caFile: 'APP_AGENT_CA_FILE',
  allowHttp: 'APP_AGENT_ALLOW_HTTP',
};

export function readAgent(
  env: Environment,
  platform: { readonly isRoot: boolean; readonly home: string },
): AgentConfig {
  const state = env.XDG_DATA_HOME || join(platform.home, '.local', 'share');
  const defaultDataDir = platform.isRoot ? '/var/lib/prefixcast-agent' : join(state, 'prefixcast-agent');
  return Object.freeze(readControlPlane(env, AGENT_VARIABLES, defaultDataDir));
}
