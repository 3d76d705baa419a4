/** What `prefixcast agent` does: enroll this machine as a node, run the agent, and see how it is. Options stand for variables. */
import { counted } from './api/shapes/counted.ts';
import { resolve } from 'node:path';
import { AgentFault } from './agent/agent-fault.ts';
import { DAEMON_NAMES, type Daemon } from './api/speakers/speakers.ts';
import { DataDirectory } from './agent/data-directory.ts';
import { EXIT } from './cli/process/command-error.ts';
import { readStatus, type AgentStatus } from './agent/status-file.ts';
import { presentError } from './speakers/session-fault.ts';
import { processExists } from './concurrency/process-identity.ts';
import { currentPlatform, parseConfig, type Config } from './config/config.ts';

interface Setup {
  readonly 'control-url'?: string | undefined;
  readonly 'token-file'?: string | undefined;
  readonly 'data-dir'?: string | undefined;
}

export async function runAgent(options: Setup): Promise<number> {
  const { runService } = await import('./main.ts');
  return runService(configOf(options));
}

/** What the command says counts before the environment. */
function configOf(options: Setup): Config {
  const { 'control-url': controlUrl, 'token-file': tokenFile, 'data-dir': dataDir } = options;
  const given = {
    APP_SERVICE: 'app-agent',
    ...(controlUrl === undefined ? {} : { APP_AGENT_CONTROL_URL: controlUrl }),
    ...(tokenFile === undefined ? {} : { APP_AGENT_TOKEN_FILE: resolve(tokenFile) }),
    ...(dataDir === undefined ? {} : { APP_AGENT_DATA_DIR: resolve(dataDir) }),
  };
  return parseConfig({ ...process.env, ...given }, currentPlatform());
}

export async function enroll(options: Setup): Promise<number> {
  const { enrollNow } = await import('./agent-parts.ts');
  const { speaker_name: name, speaker_id: id, daemon } = await enrollNow(configOf(options));
  console.log(`This machine is the node of the speaker ${name} (${id}, ${daemon}). Run: prefixcast agent`);
  return EXIT.ok;
}

/** Resolves to 1 when the agent does not run or is not well. */
export async function showStatus(options: Setup & { readonly output: 'text' | 'json' }): Promise<number> {
  const directory = new DataDirectory(configOf(options).agent.dataDir);
  const status = await readStatus(directory);
  if (status === null)
    throw new AgentFault('wrong_setup', `No agent has run in ${directory.path}. Start one: prefixcast agent`);
  const runs = processExists(status.pid);
  console.log(
    options.output === 'json' ? JSON.stringify({ ...status, runs }, null, 2) : describe(status, runs),
  );
  const isWell = runs && status.control.error === null && status.last_apply.status !== 'failed';
  return isWell ? EXIT.ok : EXIT.failed;
}

function describe(
  { speaker, control, running, last_apply, daemon, peers = [], ...agent }: AgentStatus,
  runs: boolean,
): string {
  const names = new Map(peers.map(({ id, name }) => [id, name]));
  const sessions = (daemon?.sessions ?? []).map((session) => {
    const { peerId, state, routesExported } = session;
    const error = presentError(session);
    return `  ${names.get(peerId) ?? peerId}  ${runs ? '' : 'was '}${state}, ${counted(routesExported, 'route')}${error === null ? '' : `: ${error}`}`;
  });
  const followed = runs ? 'followed' : 'not followed, since the agent does not run';
  return [
    `agent      ${runs ? `runs as process ${agent.pid}` : 'does not run'}, version ${agent.version}, as of ${agent.updated_at}`,
    `speaker    ${speaker.name}`,
    `control    ${control.url}: ${control.error ?? followed}${control.believed ? '' : '; another agent with this identity is believed'}`,
    runs ? `announces  ${announced(running)}` : withoutAgent(speaker.daemon, announced(running)),
    ...(last_apply.status === 'failed' ? [`failed     ${last_apply.error}`] : []),
    `daemon     ${runs || daemon === null ? daemonText(daemon) : `${daemonText(daemon)}, as of then`}`,
    ...sessions,
  ].join('\n');
}

function daemonText(daemon: AgentStatus['daemon']): string {
  return daemon?.error ?? (daemon?.reachable === true ? `answers, ${daemon.version}` : 'does not answer');
}

/** What its own sessions announced has ended with the agent. @param daemon undefined: nobody knows which */
function withoutAgent(daemon: Daemon | undefined, what: string): string {
  if (daemon === undefined) return `announced  ${what}`;
  if (daemon === 'builtin')
    return `announced  ${what}; its sessions ended with it, and peers with graceful restart (RFC 4724) keep the routes for a while`;
  return `announces  ${what}; ${DAEMON_NAMES[daemon]} goes on with that without the agent, if it runs`;
}

function announced(running: AgentStatus['running']): string {
  if (running === null) return 'nothing yet';
  const { revision_number: number, prefix_count: count, expires_at: until } = running;
  const what =
    number === 0 ? 'nothing any more' : `revision ${number}, ${counted(count.ipv4 + count.ipv6, 'prefix')}`;
  return `${what}, signed until ${until}`;
}
