/** The firewall client's part of the configuration: `APP_FIREWALL_*`. */
import { parsePrefix } from '../core/prefix.ts';
import {
  PATH,
  readControlPlane,
  readPath,
  type ControlPlaneConfig,
  type ControlPlaneVariables,
} from './control-plane-config.ts';
import { variable, type Environment } from './environment.ts';

export interface FirewallConfig extends ControlPlaneConfig {
  /** Networks that no rule may block on this host. */
  readonly protect: readonly string[];
  /** Seconds in which the control plane must be reached after an apply; otherwise the client reverts it. */
  readonly confirmSeconds: number;
  /** Seconds between checks of the kernel, each of which is reported. */
  readonly lookSeconds: number;
  /** Path of the program nft. */
  readonly nft: string;
}

export const FIREWALL_VARIABLES: ControlPlaneVariables = {
  controlUrl: 'APP_FIREWALL_CONTROL_URL',
  token: 'APP_FIREWALL_TOKEN',
  tokenFile: 'APP_FIREWALL_TOKEN_FILE',
  dataDir: 'APP_FIREWALL_DATA_DIR',
  caFile: 'APP_FIREWALL_CA_FILE',
  allowHttp: 'APP_FIREWALL_ALLOW_HTTP',
};

export function readFirewall(env: Environment): FirewallConfig {
  return Object.freeze({
    ...readControlPlane(env, FIREWALL_VARIABLES, '/var/lib/prefixcast-firewall'),
    protect: variable<readonly string[]>(
      env,
      'APP_FIREWALL_PROTECT',
      [],
      'networks separated by commas, such as 192.0.2.0/24,2001:db8::/32',
      readNetworks,
    ),
    confirmSeconds: variable(
      env,
      'APP_FIREWALL_CONFIRM_SECONDS',
      30,
      'seconds from 1 to 600',
      readSeconds(600),
    ),
    lookSeconds: variable(env, 'APP_FIREWALL_LOOK_SECONDS', 30, 'seconds from 1 to 60', readSeconds(60)),
    nft: variable(env, 'APP_FIREWALL_NFT', '/usr/sbin/nft', PATH, readPath),
  });
}

function readSeconds(most: number): (value: string) => number | undefined {
  return (value) => {
    const seconds = Number(value);
    return /^\d+$/.test(value) && seconds >= 1 && seconds <= most ? seconds : undefined;
  };
}

function readNetworks(value: string): readonly string[] | undefined {
  const texts = value.split(',').map((text) => text.trim());
  return texts.every((text) => parsePrefix(text).ok) ? texts : undefined;
}
