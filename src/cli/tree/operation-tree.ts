/** Commands about what runs: routers and sessions, applies, jobs, access, and what happens. */
import { group, type Command, type CommandGroup } from '../table/command.ts';
import { APPLY_FILES, DECLARED_TREE } from './declared-tree.ts';
import { APPLY_EXITS, LIMITS, remote, VALID, WAIT } from './remote-command.ts';
import { nounGroup } from './noun-commands.ts';
import { FEED_GROUP, WEBHOOK_GROUP } from './outlet-tree.ts';
import {
  CONSOLE,
  DATABASE_GROUP,
  DOH_GROUP,
  HISTORY,
  LOGS,
  POLICY_GROUP,
  ROUTER_GROUP,
} from './service-tree.ts';
import { SETTINGS_GROUP } from './settings-tree.ts';
import { TENANT_GROUP } from './tenant-tree.ts';

const session = () => import('../session/run-remote.ts');
const jobs = () => import('../watch/jobs.ts');
const activity = () => import('../watch/activity.ts');
const operations = () => import('../tenant/operations.ts');
const secrets = () => import('../tenant/secrets.ts');
const sessions = () => import('../watch/sessions.ts');

const JOB = { name: 'JOB', names: 'job', optional: true } as const;
const APPLY = { ...JOB, names: 'apply' } as const;
const TIMEOUT = { timeout: WAIT.timeout } as const;

const apply = group({
  name: 'apply',
  fallback: 'files',
  summary: 'applies: how revisions reach speakers; the newest where no job is named',
  commands: () => [
    APPLY_FILES,
    remote({
      name: 'status',
      summary: 'show how an apply went at each speaker',
      args: [APPLY],
      examples: ['prefixcast apply status'],
      exits: APPLY_EXITS,
      run: async ({ options, args }) => {
        const [{ runRemote }, { applyStatus }] = await Promise.all([session(), jobs()]);
        return runRemote(options, (one) => applyStatus(one, args[0]));
      },
    }),
    remote({
      name: 'watch',
      summary: 'follow an apply until it has ended, then show how it went',
      args: [APPLY],
      options: TIMEOUT,
      examples: ['prefixcast apply watch'],
      run: async ({ options, args }) => {
        const [{ runRemote }, { applyWatch }] = await Promise.all([session(), jobs()]);
        return runRemote(options, (one) => applyWatch(one, args[0]));
      },
    }),
    remote({
      name: 'cancel',
      summary: 'stop an apply; speakers that have not begun keep what they announce, the others go on',
      args: [APPLY],
      examples: ['prefixcast apply cancel'],
      run: async ({ options, args }) => {
        const [{ runRemote }, { applyCancel }] = await Promise.all([session(), jobs()]);
        return runRemote(options, (one) => applyCancel(one, args[0]));
      },
    }),
    remote({
      name: 'retry',
      summary: 'apply the same revision again, to the speakers that failed or were skipped',
      args: [APPLY],
      options: WAIT,
      examples: ['prefixcast apply retry --wait'],
      run: async ({ options, args }) => {
        const [{ runRemote }, { applyRetry }] = await Promise.all([session(), jobs()]);
        return runRemote(options, (one) => applyRetry(one, args[0], options));
      },
    }),
  ],
});

const job = group({
  name: 'job',
  summary: 'jobs: work that takes time',
  commands: () => [
    remote({
      name: 'list',
      summary: 'list jobs, the newest first',
      options: {
        type: { value: 'TYPE', about: 'such as apply or module_refresh' },
        state: {
          value: 'STATE',
          choices: ['queued', 'running', 'succeeded', 'failed', 'cancelled'],
          about: 'in this state',
        },
        ...LIMITS,
      },
      examples: ['prefixcast job list --state failed'],
      run: async ({ options }) => {
        const [{ runRemote }, { list }] = await Promise.all([session(), jobs()]);
        return runRemote(options, (one) => list(one, options));
      },
    }),
    remote({
      name: 'watch',
      summary: 'follow a job, and what follows from it; the newest where none is named',
      args: [JOB],
      options: TIMEOUT,
      examples: ['prefixcast job watch'],
      run: async ({ options, args }) => {
        const [{ runRemote }, { watch }] = await Promise.all([session(), jobs()]);
        return runRemote(options, (one) => watch(one, args[0]));
      },
    }),
    remote({
      name: 'cancel',
      summary: 'cancel a job; the newest where none is named',
      args: [JOB],
      examples: ['prefixcast job cancel'],
      run: async ({ options, args }) => {
        const [{ runRemote }, { cancel }] = await Promise.all([session(), jobs()]);
        return runRemote(options, (one) => cancel(one, args[0]));
      },
    }),
  ],
});

const bgpSession = group({
  name: 'session',
  summary: 'BGP sessions of all speakers',
  commands: () => [
    remote({
      name: 'list',
      summary: 'list sessions, those that are down first',
      examples: ['prefixcast session list'],
      run: async ({ options }) => {
        const [{ runRemote }, { list }] = await Promise.all([session(), sessions()]);
        return runRemote(options, list);
      },
    }),
    remote({
      name: 'watch',
      summary: 'show the sessions as they are, until Ctrl-C',
      examples: ['prefixcast session watch'],
      formats: [],
      run: async ({ options }) => {
        const [{ runRemote }, { watch }] = await Promise.all([session(), sessions()]);
        return runRemote(options, watch);
      },
    }),
    remote({
      name: 'connect',
      summary: 'connect to a peer now, as once its router was corrected, and wait for its session',
      details: [
        'Speakers call a router that was away again by themselves, after up to a minute. A builtin speaker calls at once, here or at a node, once a minute at most; daemons call when their configuration says. Waits for the session, 30 s at most.',
      ],
      args: [{ name: 'PEER', names: 'peer' }],
      missing: 'Name the peer: prefixcast session connect PEER',
      options: { timeout: WAIT.timeout },
      examples: ['prefixcast session connect edge1'],
      run: async ({ options, args: [peer] }) => {
        const [{ runRemote }, { connect }] = await Promise.all([
          session(),
          import('../watch/connect-session.ts'),
        ]);
        return runRemote(options, (remote) => connect(remote, peer!));
      },
    }),
  ],
});

const audit = group({
  name: 'audit',
  summary: 'the audit log: who changed what',
  commands: () => [
    remote({
      name: 'list',
      summary: 'list changes, the newest first',
      options: {
        action: { value: 'ACTION', about: 'such as module.create' },
        actor: { value: 'ACTOR', about: 'such as key:ops' },
        severity: {
          value: 'SEVERITY',
          choices: ['info', 'notice', 'warning', 'critical'],
          about: 'of this severity',
        },
        since: { value: 'TIME', about: 'not before: how long ago, such as 1h, or 2027-01-31T12:00:00Z' },
        prefix: { value: 'PREFIX', about: 'of ranges that are this address or prefix, or contain it' },
        find: { value: 'TEXT', about: 'with this text in actor, action, name or entries' },
        ...LIMITS,
      },
      examples: [
        'prefixcast audit list --severity critical --since 24h',
        'prefixcast audit list --prefix 45.83.64.7',
      ],
      run: async ({ options }) => {
        const [{ runRemote }, { audit: read }] = await Promise.all([session(), activity()]);
        return runRemote(options, (one) => read(one, options));
      },
    }),
  ],
});

const node = group({
  name: 'node',
  summary: 'nodes: other machines that run a speaker',
  commands: () => [
    remote({
      name: 'enroll',
      summary: 'print a token with which a machine becomes the node of a speaker, once',
      args: [{ name: 'SPEAKER', names: 'node' }],
      options: VALID,
      examples: ['prefixcast node enroll frankfurt > token'],
      run: async ({ options, args }) => {
        const [{ runRemote }, { enrollNode }] = await Promise.all([session(), secrets()]);
        return runRemote(options, (one) => enrollNode(one, args[0]!, options));
      },
    }),
  ],
});

const why = remote({
  name: 'why',
  summary: 'explain why addresses and names are announced, or are not, and since when',
  args: [{ name: 'ADDRESS', many: true }],
  missing: 'Name an address or a domain: prefixcast why 192.0.2.7',
  examples: ['prefixcast why 192.0.2.7', 'prefixcast why example.com 192.0.2.7 2001:db8::1'],
  run: async ({ options, args }) => {
    const [{ runRemote }, { why: explain }] = await Promise.all([session(), import('../watch/why.ts')]);
    return runRemote(options, (one) => explain(one, args));
  },
});

const holders = remote({
  name: 'holders',
  summary: 'ask which ASes hold addresses, such as those that fitting would add to a peer',
  args: [{ name: 'PREFIX', many: true }],
  missing: 'Name a prefix: prefixcast holders 198.51.100.0/24',
  examples: ['prefixcast holders 198.51.100.0/24 2001:db8::/48'],
  run: async ({ options, args }) => {
    const [{ runRemote }, remote] = await Promise.all([session(), import('../watch/holders.ts')]);
    return runRemote(options, (one) => remote.holders(one, args));
  },
});

const status = remote({
  name: 'status',
  summary: 'show what is announced, and what needs you: the first command of a day',
  details: [
    'Ends with 1 where something needs somebody. What is only under way, such as an apply, does not count.',
  ],
  examples: ['prefixcast status', 'prefixcast status -o json'],
  run: async ({ options }) => {
    const [{ runRemote }, { status: show }] = await Promise.all([session(), import('../status/status.ts')]);
    return runRemote(options, (one) => show(one));
  },
});

const freezes = [
  remote({
    name: 'freeze',
    summary: 'let no apply begin until unfreeze',
    options: {
      reason: { value: 'TEXT', about: 'why, for others who meet the freeze' },
      'dry-run': { about: 'say what it would do, and change nothing' },
    },
    examples: ['prefixcast freeze --reason "routers are moved until 3; ask Maria"'],
    run: async ({ options }) => {
      const [{ runRemote }, { freeze }] = await Promise.all([session(), operations()]);
      return runRemote(options, (one) => freeze(one, options));
    },
  }),
  remote({
    name: 'unfreeze',
    summary: 'let applies begin again; what the freeze stopped is applied',
    options: {
      'dry-run': { about: 'say what would be applied, and change nothing' },
      yes: { about: 'ask nothing, even where somebody else has frozen them' },
      ...WAIT,
    },
    examples: ['prefixcast unfreeze --dry-run', 'prefixcast unfreeze --wait'],
    run: async ({ options }) => {
      const [{ runRemote }, { unfreeze }] = await Promise.all([session(), operations()]);
      return runRemote(options, (one) => unfreeze(one, options));
    },
  }),
];

const events = remote({
  name: 'events',
  summary: 'show what happens, as it happens, until Ctrl-C',
  options: {
    kind: {
      value: 'KIND',
      many: true,
      choices: ['job', 'revision', 'session', 'apply', 'module', 'source', 'tenant', 'audit'],
      about: 'only these',
    },
    since: { value: 'ID', about: 'after this event' },
  },
  examples: ['prefixcast events --kind session', 'prefixcast events -o ndjson'],
  // One event a line.
  formats: ['table', 'json', 'ndjson'],
  run: async ({ options }) => {
    const [{ runRemote }, { events: follow }] = await Promise.all([session(), activity()]);
    return runRemote(options, (one) => follow(one, options));
  },
});

export const OPERATION_TREE: readonly (Command | CommandGroup)[] = [
  nounGroup('community', 'communities: the meaning of routes'),
  nounGroup('speaker', 'speakers: what announces routes'),
  nounGroup('peer', 'peers: routers'),
  ROUTER_GROUP,
  ...[...DECLARED_TREE, apply, ...freezes, status, bgpSession, why, HISTORY, holders, events, job, audit],
  ...[LOGS, node, DOH_GROUP],
  nounGroup('key', 'API keys'),
  CONSOLE,
  TENANT_GROUP,
  SETTINGS_GROUP,
  ...[POLICY_GROUP, DATABASE_GROUP, FEED_GROUP, WEBHOOK_GROUP],
];
