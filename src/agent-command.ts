/** The command `prefixcast agent`: enroll this machine as a node, run the agent, and see how it is. Options stand for variables. */
import { resolve } from 'node:path';
import { Command } from 'commander';
import { AgentFault } from './agent/agent-fault.ts';
import { DataDirectory } from './agent/data-directory.ts';
import { readStatus, type AgentStatus } from './agent/status-file.ts';
import { currentPlatform, parseConfig, type Config } from './config.ts';

interface Options {
  readonly controlUrl?: string;
  readonly tokenFile?: string;
  readonly dataDir?: string;
  readonly output?: 'text' | 'json';
}

export function agentCommand(): Command {
  const agent = new Command('agent').showHelpAfterError();
  const run = async (options: Options): Promise<void> => {
    const { runService } = await import('./main.ts');
    await runService(configOf(options));
  };
  withSetup(agent.command('run', { isDefault: true }))
    .description('run the agent; it enrolls first where it has not')
    .action(run);
  withSetup(agent.command('enroll'))
    .description(
      'make this machine the node of the speaker that the token is for, also when it was one before',
    )
    .action((options: Options) => told(() => enroll(options)));
  agent
    .command('status')
    .description('show how the agent on this machine is')
    .option('--data-dir <path>', 'where it keeps its state (APP_AGENT_DATA_DIR)')
    .option('--output <form>', 'text or json', 'text')
    .action((options: Options) => told(() => showStatus(options)));
  return agent;
}

function withSetup(command: Command): Command {
  return command
    .option('--control-url <url>', 'where the service answers (APP_AGENT_CONTROL_URL)')
    .option('--token-file <path>', 'a file that holds the enrollment token (APP_AGENT_TOKEN_FILE)')
    .option('--data-dir <path>', 'where to keep its state (APP_AGENT_DATA_DIR)');
}

/** What the command says counts before the environment. */
function configOf({ controlUrl, tokenFile, dataDir }: Options): Config {
  const given = {
    APP_SERVICE: 'app-agent',
    ...(controlUrl === undefined ? {} : { APP_AGENT_CONTROL_URL: controlUrl }),
    ...(tokenFile === undefined ? {} : { APP_AGENT_TOKEN_FILE: resolve(tokenFile) }),
    ...(dataDir === undefined ? {} : { APP_AGENT_DATA_DIR: resolve(dataDir) }),
  };
  return parseConfig({ ...process.env, ...given }, currentPlatform());
}

async function enroll(options: Options): Promise<void> {
  const { enrollNow } = await import('./agent-parts.ts');
  const { speaker_name: name, speaker_id: id, daemon } = await enrollNow(configOf(options));
  console.log(`This machine is the node of the speaker ${name} (${id}, ${daemon}). Run: prefixcast agent`);
}

async function showStatus(options: Options): Promise<void> {
  const directory = new DataDirectory(configOf(options).agent.dataDir);
  const status = await readStatus(directory);
  if (status === null)
    throw new AgentFault('wrong_setup', `No agent has run in ${directory.path}. Start one: prefixcast agent`);
  const runs = isRunning(status.pid);
  console.log(
    options.output === 'json' ? JSON.stringify({ ...status, runs }, null, 2) : describe(status, runs),
  );
  if (!runs || status.control.error !== null || status.last_apply.status === 'failed') process.exitCode = 1;
}

function describe(
  { speaker, control, running, last_apply, daemon, ...agent }: AgentStatus,
  runs: boolean,
): string {
  const sessions = (daemon?.sessions ?? []).map(
    ({ peerId, state, routesExported, lastError }) =>
      `  ${peerId}  ${state}, ${routesExported} routes${lastError === null ? '' : `: ${lastError}`}`,
  );
  return [
    `agent      ${runs ? `runs as process ${agent.pid}` : 'does not run'}, version ${agent.version}, as of ${agent.updated_at}`,
    `speaker    ${speaker.name} (${speaker.id})`,
    `control    ${control.url}: ${control.error ?? 'followed'}${control.believed ? '' : '; another agent with this identity is believed'}`,
    `announces  ${announced(running)}`,
    ...(last_apply.status === 'failed' ? [`failed     ${last_apply.error}`] : []),
    `daemon     ${daemon?.error ?? (daemon?.reachable === true ? `answers, ${daemon.version}` : 'does not answer')}`,
    ...sessions,
  ].join('\n');
}

function announced(running: AgentStatus['running']): string {
  if (running === null) return 'nothing yet';
  const { revision_number: number, prefix_count: count, expires_at: until } = running;
  const what = number === 0 ? 'nothing any more' : `revision ${number}, ${count.ipv4 + count.ipv6} prefixes`;
  return `${what}, signed until ${until}`;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It is somebody else's, and there.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** A fault that somebody can mend is a line, not a stack. */
async function told(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof AgentFault)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
