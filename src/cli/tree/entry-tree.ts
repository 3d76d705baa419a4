/** Commands about the entries of modules. */
import { OWN_FIELDS } from '../nouns/entry-kinds.ts';
import { group, type OptionSpec } from '../table/command.ts';
import { optionsOf } from './field-options.ts';
import { DRY_RUN, FIND, LEAVE_OUT_MISSING, LIMITS, remote, WAIT, YES } from './remote-command.ts';

const session = () => import('../session/run-remote.ts');
const entries = () => import('../lists/entries.ts');
const removed = () => import('../lists/removed.ts');

const MODULE = { name: 'MODULE', names: 'module' } as const;

const ENTRY_OPTIONS = {
  community: {
    value: 'COMMUNITY',
    names: 'community',
    many: true,
    about: 'of these routes, where it is not that of the module',
  },
  for: { value: 'DURATION', type: 'duration', about: 'leave by itself after this, such as 90m, 1h or 2d' },
  expires: { value: 'TIME', about: 'when it leaves by itself, such as 2027-01-31T12:00:00Z' },
  // Of some kinds; no command here asks for one by its name.
  ...(optionsOf(OWN_FIELDS) as Readonly<Record<never, OptionSpec>>),
} as const;

export const ENTRY_GROUP = group({
  name: 'entry',
  summary: 'entries of modules: prefixes, AS numbers, domains, sources',
  commands: () => [
    remote({
      name: 'list',
      summary: 'list the entries of a module',
      args: [MODULE],
      options: { ...FIND, ...LIMITS },
      examples: ['prefixcast entry list scanners --find 8.8.', 'prefixcast entry list scanners -o name'],
      run: async ({ options, args }) => {
        const [{ runRemote }, { list }] = await Promise.all([session(), entries()]);
        return runRemote(options, (one) => list(one, args[0]!, options));
      },
    }),
    remote({
      name: 'add',
      summary: 'add entries to a module: prefixes, AS numbers, domains, or the name of a source',
      args: [MODULE, { name: 'VALUE', many: true }],
      options: {
        ...ENTRY_OPTIONS,
        ...DRY_RUN,
        ...WAIT,
      },
      examples: [
        'prefixcast entry add scanners 8.8.4.0/24 9.9.9.0/24 --note "seen in March"',
        'prefixcast entry add attacked 9.9.9.7/32 --for 1h --wait',
        'prefixcast entry add clouds aws --url https://ip-ranges.amazonaws.com/ip-ranges.json',
      ],
      run: async ({ options, args }) => {
        const [{ runRemote }, { add }] = await Promise.all([session(), entries()]);
        return runRemote(options, (one) => add(one, args, options));
      },
    }),
    remote({
      name: 'edit',
      summary: 'change an entry of a module; none takes a value away',
      args: [MODULE, { name: 'VALUE', names: 'entry' }],
      options: {
        enabled: { value: 'yes|no', choices: ['yes', 'no'], about: 'whether it counts' },
        ...ENTRY_OPTIONS,
        ...DRY_RUN,
        ...YES,
        ...WAIT,
      },
      examples: [
        'prefixcast entry edit scanners 8.8.4.0/24 --enabled no --wait',
        'prefixcast entry edit scanners 8.8.4.0/24 --note none --expires 2027-01-31T12:00:00Z',
      ],
      run: async ({ options, args }) => {
        const [{ runRemote }, { edit }] = await Promise.all([session(), entries()]);
        return runRemote(options, (one) => edit(one, args, options));
      },
    }),
    remote({
      name: 'remove',
      summary: 'remove entries from a module, all of them or none',
      args: [MODULE, { name: 'VALUE', names: 'entry', many: true }],
      options: { ...DRY_RUN, ...YES, ...WAIT },
      examples: ['prefixcast entry remove scanners 8.8.4.0/24 --wait'],
      run: async ({ options, args }) => {
        const [{ runRemote }, { remove }] = await Promise.all([session(), entries()]);
        return runRemote(options, (one) => remove(one, args, options));
      },
    }),
    remote({
      name: 'removed',
      summary: 'list what was removed from a module, the last removal first',
      args: [MODULE],
      options: LIMITS,
      examples: ['prefixcast entry removed scanners'],
      run: async ({ options, args }) => {
        const [{ runRemote }, { listRemoved }] = await Promise.all([session(), removed()]);
        return runRemote(options, (one) => listRemoved(one, args[0]!, options));
      },
    }),
    remote({
      name: 'restore',
      summary: 'put back what was removed from a module',
      details: [
        'What one command or request removed is a batch, which comes back as a whole; entry removed lists them. Where none is named, it is the last one that is not back. ' +
          'Entries that have expired stay away, and what somebody has added again stays as it is.',
      ],
      args: [MODULE, { name: 'BATCH', optional: true }],
      options: {
        'undo-import': { about: 'also remove what the import created that removed them' },
        ...LEAVE_OUT_MISSING,
        ...DRY_RUN,
        ...WAIT,
      },
      examples: [
        'prefixcast entry restore scanners --dry-run',
        'prefixcast entry restore scanners --wait',
        'prefixcast entry restore scanners --undo-import --wait',
      ],
      run: async ({ options, args }) => {
        const [{ runRemote }, { RESTORE, restoreEntries }] = await Promise.all([session(), removed()]);
        return runRemote(options, (one) => restoreEntries(one, args, options), RESTORE);
      },
    }),
    remote({
      name: 'import',
      summary: 'import entries from a CSV file, or a file with a value in each line',
      details: ['All or nothing. FILE - is standard input.'],
      args: [MODULE, { name: 'FILE', type: 'file' }],
      options: {
        replace: { about: 'delete the entries that the file does not name' },
        remove: { about: 'delete the entries that the file names' },
        'allow-empty': { about: 'let --replace delete all entries where the file has none' },
        ...DRY_RUN,
        yes: { about: 'ask nothing, even where most entries would go' },
        ...WAIT,
      },
      examples: [
        'prefixcast entry import scanners scanners.csv --replace --dry-run',
        'prefixcast entry import scanners gone.txt --remove --wait',
      ],
      run: async ({ options, args }) => {
        const [{ runRemote }, { importEntries }] = await Promise.all([
          session(),
          import('../lists/import-entries.ts'),
        ]);
        return runRemote(options, (one) => importEntries(one, args, options));
      },
    }),
    remote({
      name: 'export',
      summary: 'print the entries of a module as CSV, as import reads it',
      args: [MODULE],
      examples: ['prefixcast entry export scanners > scanners.csv'],
      formats: ['csv'],
      run: async ({ options, args }) => {
        const [{ runRemote }, { exportEntries }] = await Promise.all([session(), entries()]);
        return runRemote(options, (one) => exportEntries(one, args[0]!));
      },
    }),
  ],
});
