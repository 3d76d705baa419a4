/** Commands about modules: what every noun has, reading them again, and what they are held for. */
import { NOUNS } from '../nouns/nouns.ts';
import { group } from '../table/command.ts';
import { nounCommands } from './noun-commands.ts';
import { DRY_RUN, LEAVE_OUT_MISSING, LIMITS, OVERRIDE, remote, WAIT } from './remote-command.ts';

const session = () => import('../session/run-remote.ts');
const removed = () => import('../lists/removed.ts');
const held = () => import('../lists/held-modules.ts');

const MODULE = { name: 'MODULE', names: 'module' } as const;

export const MODULE_GROUP = group({
  name: 'module',
  summary: 'modules: the lists',
  commands: () => [
    ...nounCommands(NOUNS.module),
    remote({
      name: 'restore',
      summary: 'put a deleted module back, with its entries and its routes',
      details: [
        'Where several deleted modules were called so, it lists them with their ids, and one of these says which is meant. A module is kept for as long as the setting removed_retention_days says; module list --deleted lists what is kept.',
      ],
      args: [{ name: 'NAME', names: 'deleted module' }],
      options: {
        as: { value: 'NAME', about: 'call it so, where another module has its name by now' },
        ...LEAVE_OUT_MISSING,
        ...DRY_RUN,
        ...WAIT,
      },
      examples: [
        'prefixcast module restore clouds --dry-run',
        'prefixcast module restore clouds --as clouds-again --wait',
      ],
      run: async ({ options, args }) => {
        const [{ runRemote }, { RESTORE, restoreModule }] = await Promise.all([session(), removed()]);
        return runRemote(options, (one) => restoreModule(one, args[0]!, options), RESTORE);
      },
    }),
    remote({
      name: 'refresh',
      summary: 'read the sources of a module again',
      args: [MODULE],
      options: WAIT,
      examples: [
        'prefixcast module refresh clouds --wait',
        'prefixcast module refresh clouds --wait=built --timeout 60',
      ],
      run: async ({ options, args }) => {
        const [{ runRemote }, { refresh }] = await Promise.all([session(), import('../lists/modules.ts')]);
        return runRemote(options, (one) => refresh(one, args[0]!, options));
      },
    }),
    remote({
      name: 'held',
      summary: 'show what a module is held for, and the routes that its release would change',
      args: [MODULE],
      options: LIMITS,
      examples: ['prefixcast module held clouds'],
      run: async ({ options, args }) => {
        const [{ runRemote }, { showHeld }] = await Promise.all([session(), held()]);
        return runRemote(options, (one) => showHeld(one, args[0]!, options));
      },
    }),
    remote({
      name: 'release',
      summary: 'accept what a module is held for',
      details: [
        'Shows which guardrails the held content breaks, and releases this content only: what takes its place meanwhile is refused. On a terminal it asks ' +
          'first; elsewhere --override names every guardrail. --snapshot names the content that you have looked at, as module held shows it.',
      ],
      args: [MODULE],
      options: {
        ...OVERRIDE,
        snapshot: { value: 'HASH', about: 'release nothing but this' },
        ...WAIT,
      },
      examples: [
        'prefixcast module release clouds --reason "the provider moved to another network" --wait',
        'prefixcast module release clouds --override max_change_exceeded --reason "they moved"',
      ],
      run: async ({ options, args }) => {
        const [{ runRemote }, { release }] = await Promise.all([session(), held()]);
        return runRemote(options, (one) => release(one, args[0]!, options));
      },
    }),
  ],
});
