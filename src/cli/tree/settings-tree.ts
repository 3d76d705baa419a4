/** Commands about the tenant's settings. */
import { group } from '../table/command.ts';
import { DRY_RUN, remote, WAIT, YES } from './remote-command.ts';

const load = async () => {
  const [settings, { runRemote }] = await Promise.all([
    import('../tenant/settings.ts'),
    import('../session/run-remote.ts'),
  ]);
  return { ...settings, runRemote };
};

const KEY = { name: 'KEY', names: 'setting' } as const;

export const SETTINGS_GROUP = group({
  name: 'settings',
  summary: 'settings of the tenant: guardrails, applies, limits',
  commands: () => [
    remote({
      name: 'list',
      summary: 'list settings, with their values and defaults',
      examples: ['prefixcast settings list', 'prefixcast settings list -o wide'],
      run: async ({ options }) => {
        const { list, runRemote } = await load();
        return runRemote(options, list);
      },
    }),
    remote({
      name: 'get',
      summary: 'show a setting and what it does',
      args: [KEY],
      examples: ['prefixcast settings get guard_max_change_percent'],
      run: async ({ options, args }) => {
        const { get, runRemote } = await load();
        return runRemote(options, (session) => get(session, args[0]!));
      },
    }),
    remote({
      name: 'set',
      summary: 'change a setting; lists are written with commas, or as JSON',
      args: [KEY, { name: 'VALUE', names: 'setting value' }],
      options: { ...DRY_RUN, ...YES, ...WAIT },
      examples: [
        'prefixcast settings set guard_max_change_percent 20',
        'prefixcast settings set guard_protected_prefixes 192.0.2.0/24,2001:db8::/32',
        'prefixcast settings set deploy_canary_speaker_ids frankfurt',
      ],
      run: async ({ options, args }) => {
        const { set, runRemote } = await load();
        return runRemote(options, (session) => set(session, args[0]!, args[1]!, options));
      },
    }),
    remote({
      name: 'unset',
      summary: 'put a setting back to its default',
      args: [KEY],
      options: { ...DRY_RUN, ...YES, ...WAIT },
      examples: ['prefixcast settings unset guard_max_change_percent'],
      run: async ({ options, args }) => {
        const { unset, runRemote } = await load();
        return runRemote(options, (session) => unset(session, args[0]!, options));
      },
    }),
  ],
});
