/** Commands about the service and its machine: resolvers, daemons, log files, maintenance, the database; and what became of a prefix. */
import { group, type Command } from '../table/command.ts';
import { nounGroup } from './noun-commands.ts';
import { LIMITS, remote } from './remote-command.ts';

const session = () => import('../session/run-remote.ts');
const upkeep = () => import('../tenant/upkeep.ts');

/** Of a job from which no revision follows. */
const WAIT_FOR_JOB = {
  wait: { about: 'wait until it has ended' },
  timeout: { value: 'DURATION', type: 'seconds', about: 'wait no longer than this, such as 90s or 2m' },
} as const;

export const HISTORY = remote({
  name: 'history',
  summary:
    'show what became of an address or a prefix: which revisions announced, withdrew or changed it, by whose entries',
  args: [{ name: 'PREFIX' }],
  missing: 'Name an address or a prefix: prefixcast history 192.0.2.0/24',
  options: LIMITS,
  examples: ['prefixcast history 192.0.2.7', 'prefixcast history 192.0.2.0/24 -o wide'],
  run: async ({ options, args }) => {
    const [{ runRemote }, { history }] = await Promise.all([session(), import('../watch/history.ts')]);
    return runRemote(options, (one) => history(one, args[0]!, options));
  },
});

export const DOH_GROUP = nounGroup('doh', 'DoH profiles: resolvers of domains', () => [
  remote({
    name: 'test',
    summary: 'ask a resolver for a name as a refresh would, and keep nothing',
    args: [
      { name: 'NAME', names: 'doh' },
      { name: 'DOMAIN', optional: true },
    ],
    examples: ['prefixcast doh test quad9 www.example.com'],
    run: async ({ options, args }) => {
      const [{ runRemote }, { testResolver }] = await Promise.all([session(), upkeep()]);
      return runRemote(options, (one) => testResolver(one, args[0]!, args[1]));
    },
  }),
]);

export const POLICY_GROUP = nounGroup('policy', 'maintenance policies', () => [
  remote({
    name: 'run',
    summary: 'run a maintenance policy now, whatever its schedule says',
    args: [{ name: 'NAME', names: 'policy' }],
    options: { 'dry-run': { about: 'say what it would remove, and remove nothing' }, ...WAIT_FOR_JOB },
    examples: ['prefixcast policy run old-audit --dry-run', 'prefixcast policy run old-audit --wait'],
    run: async ({ options, args }) => {
      const [{ runRemote }, { runPolicy }] = await Promise.all([session(), upkeep()]);
      return runRemote(options, (one) => runPolicy(one, args[0]!, options));
    },
  }),
  remote({
    name: 'runs',
    summary: 'list when a maintenance policy ran, and what it removed, the newest first',
    args: [{ name: 'NAME', names: 'policy' }],
    options: LIMITS,
    examples: ['prefixcast policy runs old-audit'],
    run: async ({ options, args }) => {
      const [{ runRemote }, { listRuns }] = await Promise.all([session(), upkeep()]);
      return runRemote(options, (one) => listRuns(one, args[0]!, options));
    },
  }),
]);

export const ROUTER_GROUP = group({
  name: 'router',
  summary: 'routing daemons of the machine that the service runs on',
  commands: () => [
    remote({
      name: 'status',
      summary: 'show the daemons: whether they answer, their versions and sessions',
      examples: ['prefixcast router status', 'prefixcast router status -o wide'],
      run: async ({ options }) => {
        const [{ runRemote }, { routerStatus }] = await Promise.all([session(), upkeep()]);
        return runRemote(options, routerStatus);
      },
    }),
    remote({
      name: 'reload',
      summary: 'have the daemons read their configuration again, once they have checked it',
      options: WAIT_FOR_JOB,
      examples: ['prefixcast router reload --wait'],
      run: async ({ options }) => {
        const [{ runRemote }, { reloadRouter }] = await Promise.all([session(), upkeep()]);
        return runRemote(options, (one) => reloadRouter(one, options));
      },
    }),
  ],
});

const OPERATIONS = [
  ['vacuum', 'make the room of dead rows free for new ones'],
  ['analyze', 'renew what the planner knows of tables'],
  ['reindex', 'build the indexes of tables again, while they are used'],
] as const;

export const DATABASE_GROUP = group({
  name: 'database',
  summary: 'the PostgreSQL of the service',
  commands: () => [
    remote({
      name: 'status',
      summary: 'show how the database is: its size, connections, locks that wait, and every table',
      examples: ['prefixcast database status', 'prefixcast database status -o json'],
      run: async ({ options }) => {
        const [{ runRemote }, { databaseStatus }] = await Promise.all([session(), upkeep()]);
        return runRemote(options, databaseStatus);
      },
    }),
    ...OPERATIONS.map(([name, summary]): Command =>
      remote({
        name,
        summary: `${summary}; all tables of the service where none is named`,
        args: [{ name: 'TABLE', optional: true }],
        options: WAIT_FOR_JOB,
        examples: [`prefixcast database ${name} audit_record --wait`],
        run: async ({ options, args }) => {
          const [{ runRemote }, { maintainDatabase }] = await Promise.all([session(), upkeep()]);
          return runRemote(options, (one) => maintainDatabase(one, name, args[0], options));
        },
      }),
    ),
  ],
});

export const LOGS = remote({
  name: 'logs',
  summary: 'show the end of a log file, or the files that there are',
  details: [
    '--empty takes all lines out of FILE, which its writer goes on with. --clean empties or deletes the files that the settings runtime_logs_* call too large, as the service does by itself. Both are in audit list.',
  ],
  args: [{ name: 'FILE', optional: true }],
  options: {
    lines: { value: 'N', type: 'count', about: 'the last ones' },
    level: {
      value: 'LEVEL',
      choices: ['trace', 'debug', 'info', 'warn', 'error', 'fatal'],
      about: 'this or more severe',
    },
    grep: { value: 'TEXT', about: 'lines that have this text' },
    follow: { short: 'f', about: 'go on with new lines, until Ctrl-C' },
    empty: { about: 'take all lines out of FILE' },
    clean: { about: 'clean the files that are too large' },
    'dry-run': { about: 'with --clean: say what it would clean, and clean nothing' },
  },
  examples: [
    'prefixcast logs',
    'prefixcast logs app-all.log --level warn -f',
    'prefixcast logs --clean --dry-run',
  ],
  run: async ({ options, args }) => {
    const [{ runRemote }, { logs: read }] = await Promise.all([session(), import('../watch/logs.ts')]);
    return runRemote(options, (one) => read(one, args[0], options));
  },
});

export const CONSOLE = remote({
  name: 'console',
  summary: 'print a link that signs a browser in to the console, once, within ten minutes',
  details: ['Whoever opens it signs in as the key of this command, without seeing it.'],
  examples: ['prefixcast console', 'prefixcast console --context office'],
  run: async ({ options }) => {
    const [{ runRemote }, { signInLink }] = await Promise.all([session(), import('../tenant/account.ts')]);
    return runRemote(options, signInLink);
  },
});
