/** Commands about the caller: which service, as whom. */
import { command, group, type Command, type CommandGroup } from '../table/command.ts';
import { OUTPUT, remote, exitsFor } from './remote-command.ts';

const account = () => import('../tenant/account.ts');
const EXITS = { exitCodes: exitsFor({}) };

const login = command({
  name: 'login',
  summary: 'keep a service and a key for it as a context',
  details: [
    'Reads the key from PREFIXCAST_KEY, or asks for it. With --key-command, a shell command prints it whenever it is needed, and no file holds it. ' +
      'On the machine of the service, its own user needs no login.',
  ],
  args: [{ name: 'URL' }],
  options: {
    context: {
      value: 'NAME',
      about: 'what to call it; the host of the URL, with its port, where nothing is said',
    },
    'key-command': { value: 'COMMAND', about: 'what prints the key, for vaults' },
  },
  examples: [
    'prefixcast login https://routes.example.net --context prod',
    'prefixcast login https://routes.example.net --key-command "pass prefixcast/prod"',
  ],
  ...EXITS,
  run: async ({ options, args }) => (await account()).login(args[0]!, options),
});

const logout = command({
  name: 'logout',
  summary: 'forget a context and its key; the current one where none is named',
  args: [{ name: 'CONTEXT', names: 'context', optional: true }],
  examples: ['prefixcast logout'],
  ...EXITS,
  run: async ({ args }) => (await account()).logout(args[0]),
});

const whoami = remote({
  name: 'whoami',
  summary: 'show the service, the tenant and the role of your key',
  examples: ['prefixcast whoami'],
  run: async ({ options }) => {
    const [{ runRemote }, { whoami: show }] = await Promise.all([
      import('../session/run-remote.ts'),
      account(),
    ]);
    return runRemote(options, (one) => show(one, options.context));
  },
});

const context = group({
  name: 'context',
  summary: 'services that this user has logged in to',
  commands: () => [
    command({
      name: 'list',
      summary: 'list contexts',
      options: { output: { ...OUTPUT, fallback: 'table' } },
      examples: ['prefixcast context list'],
      ...EXITS,
      run: async ({ options }) => (await account()).listContexts(options.output),
    }),
    command({
      name: 'use',
      summary: 'ask this service from now on',
      details: ['The service of this machine, which its own user needs no login for, is called local.'],
      args: [{ name: 'CONTEXT', names: 'context' }],
      examples: ['prefixcast context use prod'],
      ...EXITS,
      run: async ({ args }) => (await account()).useContext(args[0]!),
    }),
    {
      ...login,
      name: 'add',
      summary: 'the same as login',
      examples: ['prefixcast context add https://routes.example.net'],
    },
    {
      ...logout,
      name: 'remove',
      summary: 'the same as logout',
      examples: ['prefixcast context remove prod'],
    },
  ],
});

export const ACCOUNT_TREE: readonly (Command | CommandGroup)[] = [login, logout, whoami, context];
