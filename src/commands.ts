/** Every command of `prefixcast`. What one does is loaded when it runs. */
import { LIST_COMMANDS } from './cli/list-commands.ts';
import { LISTEN } from './cli/listen-command.ts';
import { EXIT } from './cli/process/command-error.ts';
import { type Command, command, type CommandGroup } from './cli/table/command.ts';
import { ACCOUNT_TREE } from './cli/tree/account-tree.ts';
import { BUNDLE_GROUP } from './cli/tree/bundle-tree.ts';
import { completionGroup } from './cli/tree/completion-tree.ts';
import { LIST_TREE } from './cli/tree/list-tree.ts';
import { doctorCommand, localTree, migrateDatabaseCommand } from './cli/tree/local-tree.ts';
import { OPERATION_TREE } from './cli/tree/operation-tree.ts';
import { FIREWALL_GROUPS } from './cli/tree/outlet-tree.ts';
import { restartWithRuntimeOptions } from './runtime-options.ts';

const CONFIGURATION = { [EXIT.configuration]: 'the configuration is wrong' } as const;

const start = command({
  name: 'start',
  summary: 'run the service; the environment configures it',
  examples: ['prefixcast start', 'APP_DATA_DIR=/srv/prefixcast APP_PORT=8081 prefixcast start'],
  exitCodes: { [EXIT.ok]: 'stopped by a signal', [EXIT.failed]: 'it could not start', ...CONFIGURATION },
  run: async () => {
    restartWithRuntimeOptions();
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
      examples: [
        'prefixcast agent run',
        'prefixcast agent run --control-url https://routes.example.net --token-file /root/token',
      ],
      exitCodes: CONFIGURATION,
      run: async ({ options }) => {
        restartWithRuntimeOptions();
        const { runAgent } = await import('./agent-command.ts');
        return runAgent(options);
      },
    }),
    command({
      name: 'enroll',
      summary:
        'make this machine the node of the speaker that the token is for, even if it was a node before',
      options: AGENT_SETUP,
      examples: ['prefixcast agent enroll --control-url https://routes.example.net --token-file /root/token'],
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
      examples: [
        'prefixcast agent status',
        'prefixcast agent status --data-dir /var/lib/prefixcast-agent --output json',
      ],
      exitCodes: { [EXIT.ok]: 'it runs and is well', [EXIT.failed]: 'it is not well, or does not run' },
      run: async ({ options }) => {
        const { showStatus } = await import('./agent-command.ts');
        return showStatus(options);
      },
    }),
  ],
};

const FIREWALL_DIR = {
  value: 'PATH',
  type: 'directory',
  about: 'where the client keeps its state (APP_FIREWALL_DATA_DIR)',
} as const;

const FIREWALL_SETUP = {
  'control-url': { value: 'URL', about: 'where the service answers (APP_FIREWALL_CONTROL_URL)' },
  'token-file': {
    value: 'FILE',
    type: 'file',
    about: 'a file that holds the enrollment token (APP_FIREWALL_TOKEN_FILE)',
  },
  'data-dir': FIREWALL_DIR,
} as const;

const firewall: CommandGroup = {
  name: 'firewall',
  summary: "the firewall client: keep this host's packet filter to the rules of the service",
  fallback: 'run',
  commands: [
    command({
      name: 'run',
      summary: 'run the client; it enrolls first if it has not yet',
      options: FIREWALL_SETUP,
      examples: [
        'prefixcast firewall run',
        'prefixcast firewall run --control-url https://routes.example.net --token-file /root/token',
      ],
      exitCodes: CONFIGURATION,
      run: async ({ options }) => {
        const { run } = await import('./firewall-command.ts');
        return run(options);
      },
    }),
    command({
      name: 'enroll',
      summary: 'make this host a firewall client, even if it was one before',
      options: {
        ...FIREWALL_SETUP,
        name: { value: 'NAME', about: 'what to call the client; its host name where nothing is said' },
      },
      examples: [
        'prefixcast firewall enroll --control-url https://routes.example.net --token-file token --name web1',
      ],
      exitCodes: CONFIGURATION,
      run: async ({ options }) => {
        const { enroll } = await import('./firewall-command.ts');
        return enroll(options);
      },
    }),
    command({
      name: 'restore',
      summary: 'bring back what was in force, without the service: for the start of the machine',
      options: { 'data-dir': FIREWALL_DIR },
      examples: ['prefixcast firewall restore --data-dir /var/lib/prefixcast-firewall'],
      exitCodes: CONFIGURATION,
      run: async ({ options }) => {
        const { restore } = await import('./firewall-command.ts');
        return restore(options);
      },
    }),
    command({
      name: 'status',
      summary: 'show the state of the client on this host',
      options: {
        'data-dir': FIREWALL_DIR,
        output: { value: 'FORM', choices: ['text', 'json'], fallback: 'text', about: 'how to print it' },
      },
      examples: ['prefixcast firewall status', 'prefixcast firewall status --output json'],
      exitCodes: { [EXIT.ok]: 'it runs and is well', [EXIT.failed]: 'it is not well, or does not run' },
      run: async ({ options }) => {
        const { showStatus } = await import('./firewall-command.ts');
        return showStatus(options);
      },
    }),
    command({
      name: 'remove',
      summary: 'take all rules out of the packet filter, and forget the client; stop it first',
      options: { 'data-dir': FIREWALL_DIR },
      examples: ['prefixcast firewall remove'],
      exitCodes: CONFIGURATION,
      run: async ({ options }) => {
        const { remove } = await import('./firewall-command.ts');
        return remove(options);
      },
    }),
    ...FIREWALL_GROUPS,
  ],
};

const keys: CommandGroup = {
  name: 'keys',
  summary: 'API keys without a running service',
  commands: [
    command({
      name: 'generate',
      summary: 'print a fresh super_admin key, for APP_BOOTSTRAP_API_KEY',
      examples: ['prefixcast keys generate'],
      run: async () => {
        const { mintApiKey } = await import('./store/keys/api-key-secret.ts');
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
  commands: [
    ...[start, ...ACCOUNT_TREE, ...LIST_TREE, ...OPERATION_TREE, firewall],
    doctorCommand(async () => (await import('./doctor-command.ts')).doctor),
    ...localTree(async () => (await import('./backup-command.ts')).backupCommands),
    migrateDatabaseCommand(async () => (await import('./migrate-database-command.ts')).migrateDatabase),
    ...[completionGroup(() => COMMANDS), LISTEN, agent, BUNDLE_GROUP, keys, ...LIST_COMMANDS],
  ] satisfies readonly (Command | CommandGroup)[],
};
