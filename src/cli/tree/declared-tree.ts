/** Commands about a tenant as files. */
import { EXIT } from '../process/command-error.ts';
import { command, type Command } from '../table/command.ts';
import { remote, WAIT } from './remote-command.ts';

const load = async () => {
  const [declared, { runRemote }] = await Promise.all([
    import('../remote/declared.ts'),
    import('../session/run-remote.ts'),
  ]);
  return { ...declared, runRemote };
};

const DIRECTORY = {
  directory: { value: 'DIR', short: 'f', type: 'directory', about: 'the directory of YAML files' },
} as const;

const RENEW = {
  'renew-secrets': { about: 'write secrets that are there already too, since nobody can compare them' },
} as const;

const CHOICES = {
  prune: { about: 'delete what this set owns and its files name no more' },
  'take-over': { about: 'let this set have what belongs to another one' },
  ...RENEW,
} as const;

const APPLIED = {
  'allow-empty': { about: 'let an empty file of entries delete all of a module' },
  yes: { about: 'ask nothing' },
  ...WAIT,
} as const;

export const PLAN = remote({
  name: 'plan',
  summary: 'show what an apply of files would change, announce and withdraw',
  details: [
    'The directory has YAML, one object each, that refer to each other by name, and entries in CSV files beside them. A plan changes nothing, needs no secret and runs no command of ' +
      'the files. It ends with exit code 3 where something would change. --out keeps it: apply --plan does exactly that, or refuses.',
  ],
  options: {
    ...DIRECTORY,
    ...CHOICES,
    out: { value: 'FILE', type: 'file', about: 'keep the plan for apply --plan' },
  },
  examples: ['prefixcast plan -f lists', 'prefixcast plan -f lists --prune --out plan.json'],
  exits: { [EXIT.ok]: 'nothing would change', [EXIT.changes]: 'something would change' },
  run: async ({ options }) => {
    const { plan, runRemote } = await load();
    return runRemote(options, (session) => plan(session, options));
  },
});

export const APPLY_FILES = remote({
  name: 'files',
  summary: 'bring the tenant to what files say, all or nothing',
  details: [
    'prefixcast apply -f DIR is the same. What a file names has exactly what the file says; members that it does not name have their defaults. What no file names stays as it is: only --prune deletes it, and only ' +
      'where this set has applied it before. On a terminal the plan is shown first, and you are asked.',
  ],
  options: {
    ...DIRECTORY,
    plan: { value: 'FILE', type: 'file', about: 'do what this plan showed, and nothing else' },
    ...CHOICES,
    ...APPLIED,
  },
  examples: [
    'prefixcast apply files -f lists --wait',
    'prefixcast apply files -f lists --plan plan.json --yes',
  ],
  run: async ({ options }) => {
    const { apply, runRemote } = await load();
    return runRemote(options, (session) => apply(session, options));
  },
});

export const DECLARED_TREE: readonly Command[] = [
  PLAN,
  remote({
    name: 'export',
    summary: 'write the tenant as files for plan and apply',
    details: [
      'Secrets are not exported: ${NAME} stands in their place, an environment variable that an apply reads.',
    ],
    options: {
      directory: { ...DIRECTORY.directory, about: 'a directory that is empty or does not exist' },
      set: { value: 'NAME', about: 'what to call the set; the name of the directory where nothing is said' },
    },
    examples: ['prefixcast export -f lists'],
    run: async ({ options }) => {
      const { exportSet, runRemote } = await load();
      return runRemote(options, (session) => exportSet(session, options));
    },
  }),
  remote({
    name: 'import',
    summary: 'create and change what files name, without owning it: to move or restore a tenant',
    options: { ...DIRECTORY, ...RENEW, ...APPLIED },
    examples: ['prefixcast import -f lists --context lab'],
    run: async ({ options }) => {
      const { importSet, runRemote } = await load();
      return runRemote(options, (session) => importSet(session, options));
    },
  }),
  command({
    name: 'schema',
    summary: 'print the JSON Schema of these files, for editors',
    examples: ['prefixcast schema > prefixcast.schema.json'],
    exitCodes: { [EXIT.ok]: 'done', [EXIT.usage]: 'wrong usage' },
    usageExit: EXIT.usage,
    run: async () => (await import('../remote/declared.ts')).schema(),
  }),
];
