/** What `prefixcast firewall` does: enroll this host, keep its packet filter to the rules, and take them out again. Options stand for variables. */
import { counted } from './api/shapes/counted.ts';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { pino, type Logger } from 'pino';
import { AgentFault } from './agent/agent-fault.ts';
import { ControlClock } from './agent/control-clock.ts';
import { controlPlaneOf, enrollmentTokenOf, type Program } from './control-plane-setup.ts';
import { DataDirectory, LOCK_FILE } from './agent/data-directory.ts';
import { TRUST_FILE, readTrust, type Trust } from './agent/trust-file.ts';
import { CommandError, EXIT } from './cli/process/command-error.ts';
import { processExists } from './concurrency/process-identity.ts';
import { currentPlatform, parseConfig } from './config/config.ts';
import { FIREWALL_VARIABLES, readFirewall, type FirewallConfig } from './config/firewall-config.ts';
import { FirewallClient } from './firewall/client.ts';
import { FirewallPlane } from './firewall/firewall-plane.ts';
import { Host, LOCAL_FILE } from './firewall/host.ts';
import {
  CLIENT_REMEDY,
  IDENTITY_FILE,
  readFirewallIdentity,
  writeFirewallIdentity,
  type FirewallIdentity,
} from './firewall/identity.ts';
import { Kernel, SCRIPT_FILE } from './firewall/kernel.ts';
import { RULESET_FILE, removeLastGood } from './firewall/last-good.ts';
import { Nft } from './firewall/nft.ts';
import { STATUS_FILE, readFirewallStatus, type FirewallStatus } from './firewall/status-file.ts';
import { version } from './version.ts';

const HOST: Program = {
  ...{ variables: FIREWALL_VARIABLES, what: 'host' },
  tokenRequest: 'POST /v1/firewall/enrollment-tokens',
};

/** All that a client keeps; the one with its key first. */
const STATE_FILES = [IDENTITY_FILE, TRUST_FILE, RULESET_FILE, LOCAL_FILE, STATUS_FILE, SCRIPT_FILE];

interface Setup {
  readonly 'control-url'?: string | undefined;
  readonly 'token-file'?: string | undefined;
  readonly 'data-dir'?: string | undefined;
}

/** What the command says counts before the environment. */
function configOf({
  'control-url': url,
  'token-file': tokenFile,
  'data-dir': dataDir,
}: Setup): FirewallConfig {
  return readFirewall({
    ...process.env,
    ...(url === undefined ? {} : { APP_FIREWALL_CONTROL_URL: url }),
    ...(tokenFile === undefined ? {} : { APP_FIREWALL_TOKEN_FILE: resolve(tokenFile) }),
    ...(dataDir === undefined ? {} : { APP_FIREWALL_DATA_DIR: resolve(dataDir) }),
  });
}

function directoryOf({ dataDir }: FirewallConfig): DataDirectory {
  return new DataDirectory(dataDir, 'APP_FIREWALL_DATA_DIR');
}

export async function enroll(options: Setup & { readonly name?: string | undefined }): Promise<number> {
  const config = configOf(options);
  const directory = directoryOf(config);
  await directory.open();
  const { client_name: name, client_id: id } = await enrollNow(config, directory, options.name);
  console.log(`This host is the firewall client ${name} (${id}). Run: prefixcast firewall run`);
  return EXIT.ok;
}

async function enrollNow(
  config: FirewallConfig,
  directory: DataDirectory,
  name?: string,
): Promise<FirewallIdentity> {
  const { controlUrl } = config;
  const token = enrollmentTokenOf(HOST, config);
  // A token works once: what would not be kept is not asked for.
  await (await directory.stage('identity.json', [Buffer.alloc(4096)])).discard();
  const plane = connect(config, controlUrl, new ControlClock());
  try {
    const machine = {
      hostname: hostname(),
      version: version.version,
      ...(name === undefined ? {} : { name }),
    };
    const { tenant_id, client_id, client, api_key, signing_keys } = await plane.enroll(token, machine);
    const identity = { control_url: controlUrl!, tenant_id, client_id, client_name: client.name, api_key };
    const keys = signing_keys.map(({ key_id, public_key, not_after }) => ({ key_id, public_key, not_after }));
    const trust = await trustAfter(directory, identity, keys);
    if (trust.highest_sequence === null) await removeLastGood(directory);
    await writeFirewallIdentity(directory, identity, trust);
    return identity;
  } finally {
    await plane.close();
  }
}

/** A client that enrolls again stays what it was: what is in force stays good, and what is older than that is not believed. */
async function trustAfter(
  directory: DataDirectory,
  { tenant_id, client_id }: FirewallIdentity,
  keys: Trust['keys'],
): Promise<Trust> {
  const before = await readFirewallIdentity(directory).catch(() => null);
  const trust = before === null ? null : await readTrust(directory, CLIENT_REMEDY).catch(() => null);
  if (trust === null || before?.tenant_id !== tenant_id || before.client_id !== client_id)
    return { keys, highest_sequence: null };
  const others = trust.keys.filter(({ key_id }) => !keys.some((key) => key.key_id === key_id));
  return { ...trust, keys: [...keys, ...others] };
}

/** Keeps the packet filter to the rules until a signal. What is in force then stays. */
export async function run(options: Setup): Promise<number> {
  const config = configOf(options);
  const directory = directoryOf(config);
  await directory.open();
  const logger = loggerOf();
  const claim = await directory.claim('A firewall client', (error) =>
    logger.warn({ err: error }, `Nothing keeps a second client out of ${directory.path}: it has no locks`),
  );
  const known = (await readFirewallIdentity(directory)) ?? (await enrollNow(config, directory));
  const { client, plane, identity } = await open(config, directory, known, logger);
  await client.restore();
  client.start();
  logger.info(
    { client_id: identity.client_id, control_url: identity.control_url },
    `The firewall client ${identity.client_name} runs`,
  );
  const signal = await new Promise<string>((stopped) => {
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => stopped(name));
  });
  logger.info({ signal }, 'Stopping; what is in force stays');
  await client.close();
  await plane.close();
  claim.release();
  return EXIT.ok;
}

/**
 * Brings back what was in force, without the control plane: before the network is up. A host that has not enrolled has nothing to bring back.
 * @returns 1 when it could not
 */
export async function restore(options: Pick<Setup, 'data-dir'>): Promise<number> {
  const config = configOf(options);
  const directory = directoryOf(config);
  await directory.open();
  const identity = await readFirewallIdentity(directory);
  if (identity === null) return EXIT.ok;
  const { client, plane } = await open(config, directory, identity, loggerOf());
  const { fault } = await client.restore();
  await plane.close();
  return fault === null ? EXIT.ok : EXIT.failed;
}

/** Takes everything out of the kernel, and forgets the client. */
export async function remove(options: Pick<Setup, 'data-dir'>): Promise<number> {
  const config = configOf(options);
  const directory = directoryOf(config);
  // Whoever is locked out would be so again at the next look of a client that runs. Where there is no directory, none does.
  const claim = await directory
    .claim('A firewall client', () => undefined, 'It would put the rules back: stop it first.')
    .catch((error: Error) => {
      throw new CommandError(error.message, EXIT.conflict, { cause: error });
    });
  await new Kernel(new Nft(config.nft), config.dataDir).remove();
  for (const name of [...STATE_FILES, LOCK_FILE]) await directory.remove(name);
  claim.release();
  console.log(
    'The rules are out of the packet filter, and this host has forgotten that it was a firewall client.',
  );
  return EXIT.ok;
}

async function open(
  config: FirewallConfig,
  directory: DataDirectory,
  known: FirewallIdentity,
  logger: Logger,
): Promise<{
  readonly client: FirewallClient;
  readonly plane: FirewallPlane;
  readonly identity: FirewallIdentity;
}> {
  const clock = new ControlClock();
  // The control plane may have moved; whom the host believes, its keys say.
  const url = config.controlUrl ?? known.control_url;
  const identity = { ...known, control_url: url };
  const plane = connect(config, url, clock);
  const client = await FirewallClient.open({
    ...{ directory, identity, plane, clock },
    kernel: new Kernel(new Nft(config.nft), config.dataDir),
    host: new Host({ directory, url, protect: config.protect }),
    confirmSeconds: config.confirmSeconds,
    lookSeconds: config.lookSeconds,
    version: version.version,
    log: logger.child({ component: 'firewall' }),
  });
  return { client, plane, identity };
}

function connect(config: FirewallConfig, url: string | null, clock: ControlClock): FirewallPlane {
  return new FirewallPlane({ ...controlPlaneOf(HOST, config, url), clock });
}

function loggerOf(): Logger {
  const { log } = parseConfig({ ...process.env, APP_SERVICE: 'app-agent' }, currentPlatform());
  return pino({
    level: log.level,
    base: { service: 'app-firewall', pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    ...(log.format === 'pretty' ? { transport: { target: 'pino-pretty' } } : {}),
  });
}

/** Resolves to 1 when the client does not run or is not well. */
export async function showStatus(
  options: Pick<Setup, 'data-dir'> & { readonly output: 'text' | 'json' },
): Promise<number> {
  const directory = directoryOf(configOf(options));
  const status = await readFirewallStatus(directory);
  if (status === null)
    throw new AgentFault(
      'wrong_setup',
      `No firewall client has run in ${directory.path}. Start one: prefixcast firewall run`,
    );
  const runs = processExists(status.pid);
  console.log(
    options.output === 'json' ? JSON.stringify({ ...status, runs }, null, 2) : describe(status, runs),
  );
  return runs && status.control.error === null && status.error === null ? EXIT.ok : EXIT.failed;
}

function describe({ client, control, ruleset, ...status }: FirewallStatus, runs: boolean): string {
  const inForce =
    ruleset === null
      ? 'nothing'
      : `${counted(ruleset.rules, 'rule')} with ${counted(ruleset.prefixes, 'prefix')}, policy ${ruleset.policy}, sequence ${ruleset.sequence}`;
  return [
    `client     ${runs ? `runs as process ${status.pid}` : 'does not run'}, version ${status.version}, as of ${status.updated_at}`,
    `name       ${client.name} (${client.id})`,
    `control    ${control.url}: ${control.error ?? 'followed'}`,
    `in force   ${inForce}`,
    ...(status.error === null ? [] : [`${status.status.padEnd(10)} ${status.error}`]),
    ...status.counters.map(
      ({ rule_id, packets, bytes }) =>
        `  ${ruleset?.names?.[rule_id] ?? rule_id}  ${packets} packets, ${bytes} bytes`,
    ),
  ].join('\n');
}
