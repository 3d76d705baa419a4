/** The commands of a noun, made of its row in the table of nouns. */
import type { Noun, NounName } from '../nouns/noun.ts';
import { NOUNS } from '../nouns/nouns.ts';
import { UsageError } from '../process/command-error.ts';
import { group, type Command, type CommandGroup } from '../table/command.ts';
import { optionsOf } from './field-options.ts';
import { DRY_RUN, FIND, LIMITS, remote, WAIT, YES } from './remote-command.ts';

const DELETED = { deleted: { about: 'those that were deleted, and can be restored' } } as const;

const load = async () => {
  const [crud, { runRemote }] = await Promise.all([
    import('../records/crud.ts'),
    import('../session/run-remote.ts'),
  ]);
  return { ...crud, runRemote };
};

/** @param others what else there is to do with them */
export function nounGroup(
  name: NounName,
  summary: string,
  others: () => readonly Command[] = () => [],
): CommandGroup {
  return group({ name, summary, commands: () => [...nounCommands(NOUNS[name]), ...others()] });
}

export function nounCommands(noun: Noun): readonly Command[] {
  const { words, plural, example } = noun;
  const name = noun.names[0].toUpperCase();
  const [first] = example.split(' ');
  const waiting = noun.isAnnouncing === true ? WAIT : ({} as typeof WAIT);
  const all = [
    remote({
      name: 'list',
      summary: `list ${plural}`,
      options: {
        ...(noun.isUnsearchable === true ? ({} as typeof FIND) : FIND),
        ...(noun.isRestorable === true ? DELETED : ({} as typeof DELETED)),
        ...LIMITS,
      },
      examples: [`prefixcast ${words} list -o wide`, `prefixcast ${words} list -o name`],
      run: async ({ options }) => {
        const { list, runRemote } = await load();
        if (!options.deleted) return runRemote(options, (session) => list(session, noun, options));
        const { listDeleted } = await import('../lists/removed.ts');
        return runRemote(options, (session) => listDeleted(session, options));
      },
    }),
    remote({
      name: 'get',
      summary: `show one of the ${plural}`,
      args: [{ name, names: noun.name }],
      examples: [`prefixcast ${words} get ${first!}`, `prefixcast ${words} get ${first!} -o yaml`],
      run: async ({ options, args }) => {
        const { get, runRemote } = await load();
        return runRemote(options, (session) => get(session, noun, args[0]!));
      },
    }),
    remote({
      name: 'create',
      summary: `create one of the ${plural}`,
      args: [{ name }],
      options: {
        ...optionsOf(noun.fields, { isNew: true }),
        ...DRY_RUN,
        ...(noun.name === 'speaker' ? YES : {}),
        ...(noun.name === 'peer' ? WAIT : ({} as typeof WAIT)),
      },
      examples: [`prefixcast ${words} create ${example}`],
      run: async ({ options, args }) => {
        const { create, runRemote } = await load();
        return runRemote(options, (session) => create(session, noun, args[0]!, options), noun);
      },
    }),
    remote({
      name: 'edit',
      summary: `change one of the ${plural}; none takes a value away`,
      args: [{ name, names: noun.name }],
      options: {
        ...optionsOf(
          Object.fromEntries(Object.entries(noun.fields).filter(([, { isFixed }]) => isFixed !== true)),
        ),
        ...(noun.names[0] === 'slug' ? {} : { rename: { value: name, about: 'call it so from now on' } }),
        ...DRY_RUN,
        ...YES,
        ...waiting,
      },
      examples: [`prefixcast ${words} edit ${first!} ${noun.exampleEdit ?? '--enabled no'}`],
      run: async ({ options, args }) => {
        const { edit, runRemote } = await load();
        return runRemote(options, (session) => edit(session, noun, args[0]!, options), noun);
      },
    }),
    remote({
      name: 'delete',
      summary: `delete ${plural}`,
      args: [{ name, names: noun.name, many: true }],
      options: {
        ...(noun.name === 'speaker' ? ABANDON : {}),
        ...DRY_RUN,
        ...YES,
        ...waiting,
      },
      missing: `Name what to delete: prefixcast ${words} delete ${name}`,
      examples: [`prefixcast ${words} delete ${first!}`],
      run: async ({ options, args }) => {
        if (args.length === 0) throw new UsageError(`${name} is missing`);
        const { remove, runRemote } = await load();
        return runRemote(options, (session) => remove(session, noun, args, options));
      },
    }),
  ];
  const found = noun.isFound === true ? all.filter((one) => one.name !== 'create') : all;
  return noun.rotates === undefined ? found : [...found, rotating(noun, noun.rotates)];
}

const ABANDON = {
  'abandon-node': { about: 'even if its node may go on announcing its routes' },
} as const;

const GRACE = {
  grace: {
    value: 'DURATION',
    type: 'duration',
    about: 'how long the old one works beside it, such as 1h; not at all where nothing is said',
  },
} as const;

function rotating(noun: Noun, rotates: 'at once' | 'with grace'): Command {
  const { words, names, plural, example } = noun;
  return remote({
    name: 'rotate',
    summary: `replace the secret of one of the ${plural}, and print the new one`,
    args: [{ name: names[0].toUpperCase(), names: noun.name }],
    options: rotates === 'with grace' ? GRACE : ({} as typeof GRACE),
    examples: [`prefixcast ${words} rotate ${example.split(' ')[0]!}`],
    run: async ({ options, args }) => {
      const [{ rotate }, { runRemote }] = await Promise.all([
        import('../tenant/secrets.ts'),
        import('../session/run-remote.ts'),
      ]);
      return runRemote(options, (session) => rotate(session, noun, args[0]!, options));
    },
  });
}
