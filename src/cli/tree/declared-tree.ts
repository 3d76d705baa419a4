/** Commands about a tenant as files. */
import { EXIT } from '../process/command-error.ts';
import { command, type Command } from '../table/command.ts';
import { remote, WAIT } from './remote-command.ts';

const load = () => import('../tenant/declared.ts');

const TENANT = {
  tenant: { value: 'SLUG', many: true, about: 'only this one of a directory with several tenants' },
} as const;

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

/** A plan is text like a difference of git, or data. */
const PLAN_FORMATS = ['table', 'json'] as const;

const EMPTY = {
  'allow-empty': { about: 'let an empty file of entries delete all of a module' },
} as const;

const APPLIED = {
  ...EMPTY,
  yes: { about: 'ask nothing' },
  ...WAIT,
} as const;

const PLAN = remote({
  name: 'plan',
  summary: 'show what an apply of files would change, announce and withdraw',
  details: [
    'The directory has YAML, one object each, that refer to each other by name, and entries in CSV files beside them. A plan changes nothing, needs no secret and runs no command of ' +
      'the files. It ends with exit code 3 where something would change. --out keeps it: apply -f DIR --plan FILE does exactly that, or refuses.',
    'A file with kind: tenants in the directory names a folder for each of several tenants, and the context or the key of each.',
  ],
  options: {
    ...DIRECTORY,
    ...TENANT,
    ...CHOICES,
    ...EMPTY,
    out: { value: 'FILE', type: 'file', about: 'keep the plan for apply -f DIR --plan FILE' },
  },
  examples: ['prefixcast plan -f lists', 'prefixcast plan -f lists --prune --out plan.json'],
  exits: {
    [EXIT.ok]: 'nothing would change',
    [EXIT.changes]: 'something would change',
    [EXIT.held]: 'nothing would change, and a list of the files is held: routers lack what it says',
  },
  formats: PLAN_FORMATS,
  run: async ({ options }) => {
    const { plan } = await load();
    return plan(options);
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
    ...TENANT,
    plan: { value: 'FILE', type: 'file', about: 'do what this plan showed, and nothing else' },
    ...CHOICES,
    ...APPLIED,
  },
  examples: [
    'prefixcast apply files -f lists --wait',
    'prefixcast apply files -f lists --plan plan.json --yes',
  ],
  formats: PLAN_FORMATS,
  run: async ({ options }) => {
    const { apply } = await load();
    return apply(options);
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
      tenant: {
        value: 'CONTEXT',
        names: 'context',
        many: true,
        about: 'a folder for the tenant of this context; write it again for each',
      },
    },
    examples: ['prefixcast export -f lists', 'prefixcast export -f lists --tenant acme --tenant globex'],
    run: async ({ options }) => {
      const { exportSet } = await load();
      return exportSet(options);
    },
  }),
  remote({
    name: 'import',
    summary: 'create and change what files name, without owning it: to move or restore a tenant',
    options: { ...DIRECTORY, ...TENANT, ...RENEW, ...APPLIED },
    examples: ['prefixcast import -f lists --context lab'],
    formats: PLAN_FORMATS,
    run: async ({ options }) => {
      const { importSet } = await load();
      return importSet(options);
    },
  }),
  command({
    name: 'schema',
    summary: 'print the JSON Schema of these files, for editors',
    examples: ['prefixcast schema > prefixcast.schema.json'],
    exitCodes: { [EXIT.ok]: 'done', [EXIT.usage]: 'wrong usage' },
    run: async () => (await import('../tenant/declared.ts')).schema(),
  }),
];
