/** Commands about tenants. */
import { NOUNS } from '../nouns/nouns.ts';
import { group } from '../table/command.ts';
import { nounCommands } from './noun-commands.ts';
import { DRY_RUN, remote, YES } from './remote-command.ts';

const load = async () => {
  const [tenants, { runRemote }] = await Promise.all([
    import('../tenant/tenants.ts'),
    import('../session/run-remote.ts'),
  ]);
  return { ...tenants, runRemote };
};

const SLUG = { name: 'SLUG', names: 'tenant' } as const;

const VERBS = [
  ['suspend', 'lock a tenant out; its speakers go on announcing what they announce'],
  ['stop', 'end all sessions of a tenant: its routes are withdrawn, nothing is deleted'],
  ['activate', 'start a tenant again that is suspended or stopped'],
] as const;

export const TENANT_GROUP = group({
  name: 'tenant',
  summary: 'tenants',
  commands: () => [
    ...nounCommands(NOUNS.tenant).filter(({ name }) => name !== 'delete'),
    ...VERBS.map(([name, summary]) =>
      remote({
        name,
        summary,
        args: [SLUG],
        options: name === 'activate' ? (DRY_RUN as typeof DRY_RUN & typeof YES) : { ...YES, ...DRY_RUN },
        examples: [`prefixcast tenant ${name} customer-a`],
        run: async ({ options, args }) => {
          const { setStatus, runRemote } = await load();
          return runRemote(options, (session) => setStatus(session, args[0]!, name, options));
        },
      }),
    ),
    remote({
      name: 'delete',
      summary: 'delete a suspended or stopped tenant with all that belongs to it, for good',
      args: [SLUG],
      options: {
        confirm: { value: 'SLUG', about: 'the tenant again' },
        ...DRY_RUN,
        'abandon-nodes': { about: 'even if its nodes may go on announcing its routes' },
      },
      examples: ['prefixcast tenant delete customer-a --confirm customer-a'],
      run: async ({ options, args }) => {
        const { remove, runRemote } = await load();
        return runRemote(options, (session) => remove(session, args[0]!, options));
      },
    }),
  ],
});
