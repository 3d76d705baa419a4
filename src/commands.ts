/** Every command of `prefixcast`. What one does is loaded when it runs. */
import { LIST_COMMANDS } from './cli/list-commands.ts';
import { LISTEN } from './cli/listen-command.ts';
import { EXIT } from './cli/process/command-error.ts';
import { type Command, command, type CommandGroup } from './cli/table/command.ts';
import { startWithLeanMemory } from './lean-memory.ts';

const CONFIGURATION = { [EXIT.configuration]: 'the configuration is wrong' } as const;

const start = command({
  name: 'start',
  summary: 'run the service; the environment configures it',
  exitCodes: { [EXIT.ok]: 'stopped by a signal', [EXIT.failed]: 'it could not start', ...CONFIGURATION },
  run: async () => {
    startWithLeanMemory();
    const { currentPlatform, parseConfig } = await import('./config/config.ts');
    const { runService } = await import('./main.ts');
    return runService(parseConfig(process.env, currentPlatform()));
  },
});

const DATA_DIR = {
  value: 'PATH',
  type: 'directory',
  about: 'where the agent keeps its state (APP_AGENT_DATA_DIR)',
} as const;

const AGENT_SETUP = {
  'control-url': { value: 'URL', about: 'where the service answers (APP_AGENT_CONTROL_URL)' },
  'token-file': {
    value: 'FILE',
    type: 'file',
    about: 'a file that holds the enrollment token (APP_AGENT_TOKEN_FILE)',
  },
  'data-dir': DATA_DIR,
} as const;

const agent: CommandGroup = {
  name: 'agent',
  summary: 'the node agent: pull the routes of a speaker to this machine, and keep them announced',
  fallback: 'run',
  commands: [
    command({
      name: 'run',
      summary: 'run the agent; it enrolls first if it has not yet',
      options: AGENT_SETUP,
      exitCodes: CONFIGURATION,
      run: async ({ options }) => {
        startWithLeanMemory();
        const { runAgent } = await import('./agent-command.ts');
        return runAgent(options);
      },
    }),
    command({
      name: 'enroll',
      summary:
        'make this machine the node of the speaker that the token is for, even if it was a node before',
      options: AGENT_SETUP,
      exitCodes: CONFIGURATION,
      run: async ({ options }) => {
        const { enroll } = await import('./agent-command.ts');
        return enroll(options);
      },
    }),
    command({
      name: 'status',
      summary: 'show the state of the agent on this machine',
      options: {
        'data-dir': DATA_DIR,
        output: { value: 'FORM', choices: ['text', 'json'], fallback: 'text', about: 'how to print it' },
      },
      exitCodes: { [EXIT.ok]: 'it runs and is well', [EXIT.failed]: 'it is not well, or does not run' },
      run: async ({ options }) => {
        const { showStatus } = await import('./agent-command.ts');
        return showStatus(options);
      },
    }),
  ],
};

const keys: CommandGroup = {
  name: 'keys',
  summary: 'API keys without a running service',
  commands: [
    command({
      name: 'generate',
      summary: 'print a fresh super_admin key, for APP_BOOTSTRAP_API_KEY',
      run: async () => {
        const { mintApiKey } = await import('./store/api-key-secret.ts');
        console.log(mintApiKey('super_admin').secret);
        return EXIT.ok;
      },
    }),
  ],
};

export const COMMANDS: CommandGroup = {
  name: 'prefixcast',
  summary: 'git for route lists: collects prefixes, keeps immutable revisions, casts them over BGP',
  fallback: start.name,
  version: async () => {
    const { version } = await import('./version.ts');
    return version.version;
  },
  commands: [start, LISTEN, agent, keys, ...LIST_COMMANDS] satisfies readonly (Command | CommandGroup)[],
};
