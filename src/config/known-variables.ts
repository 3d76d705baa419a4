import { nearest } from '../api/problems/nearest.ts';
import type { Environment } from './environment.ts';

/** Every variable with the prefix that the service, a node agent or a firewall client reads. A test keeps it complete. */
export const KNOWN_VARIABLES = [
  'APP_AGENT_ALLOW_HTTP',
  'APP_AGENT_CA_FILE',
  'APP_AGENT_CONTROL_URL',
  'APP_AGENT_DATA_DIR',
  'APP_AGENT_TOKEN',
  'APP_AGENT_TOKEN_FILE',
  'APP_ASN_SOURCE',
  'APP_ASN_SOURCE_URL',
  'APP_BGP_LISTEN',
  'APP_BOOTSTRAP_API_KEY',
  'APP_CORS_ORIGINS',
  'APP_DATABASE_WAIT_SECONDS',
  'APP_DATA_DIR',
  'APP_FETCH_ALLOW',
  'APP_FIREWALL_ALLOW_HTTP',
  'APP_FIREWALL_CA_FILE',
  'APP_FIREWALL_CONFIRM_SECONDS',
  'APP_FIREWALL_CONTROL_URL',
  'APP_FIREWALL_DATA_DIR',
  'APP_FIREWALL_LOOK_SECONDS',
  'APP_FIREWALL_NFT',
  'APP_FIREWALL_PROTECT',
  'APP_FIREWALL_TOKEN',
  'APP_FIREWALL_TOKEN_FILE',
  'APP_HOST',
  'APP_IRR_HOST',
  'APP_LOG_FORMAT',
  'APP_LOG_LEVEL',
  'APP_METRICS_LISTEN',
  'APP_PEER_ALLOW',
  'APP_PORT',
  'APP_PUBLIC_URL',
  'APP_RATE_LIMIT_FAILURES',
  'APP_RATE_LIMIT_NODES',
  'APP_RATE_LIMIT_READS',
  'APP_RATE_LIMIT_WRITES',
  'APP_ROUTER_BIN',
  'APP_ROUTER_BIND',
  'APP_ROUTER_CONFIG',
  'APP_ROUTER_CONFIG_DIR',
  'APP_ROUTER_CTL',
  'APP_ROUTER_DAEMON',
  'APP_ROUTER_FEED',
  'APP_ROUTER_SOCKET',
  'APP_RUNTIME_LOGS_DIR',
  'APP_SECRET_KEY',
  'APP_SERVICE',
];

/** A warning for each variable that looks like one of the service but is unknown: a typo would go unnoticed otherwise. */
export function unknownVariables(env: Environment): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('APP_') && !KNOWN_VARIABLES.includes(name))
    .sort()
    .map((name) => {
      const meant = nearest(name, KNOWN_VARIABLES);
      return `${name} means nothing to the service${meant === undefined ? '' : `. Did you mean ${meant}?`}`;
    });
}
