/** Commands about lists: modules, their entries, and sources. */
import { TRIED_FIELDS } from '../nouns/entry-kinds.ts';
import { group, type CommandGroup, type OptionSpec } from '../table/command.ts';
import { ENTRY_GROUP } from './entry-tree.ts';
import { optionsOf } from './field-options.ts';
import { MODULE_GROUP } from './module-tree.ts';
import { remote } from './remote-command.ts';
import { REVISION_GROUP } from './revision-tree.ts';

const session = () => import('../session/run-remote.ts');
const operations = () => import('../tenant/operations.ts');

const source = group({
  name: 'source',
  summary: 'sources on the web',
  commands: () => [
    remote({
      name: 'try',
      summary: 'read a source as a refresh would, and keep nothing',
      args: [{ name: 'URL' }],
      options: optionsOf(TRIED_FIELDS) as Readonly<Record<never, OptionSpec>>,
      examples: [
        'prefixcast source try https://www.gstatic.com/ipranges/goog.json',
        'prefixcast source try https://example.net/networks.csv --countries DE,AT',
      ],
      run: async ({ options, args }) => {
        const [{ runRemote }, { trySource }] = await Promise.all([session(), operations()]);
        return runRemote(options, (one) => trySource(one, args[0]!, options));
      },
    }),
    remote({
      name: 'presets',
      summary: 'list well-known sources',
      examples: ['prefixcast source presets'],
      run: async ({ options }) => {
        const [{ runRemote }, { presets }] = await Promise.all([session(), operations()]);
        return runRemote(options, presets);
      },
    }),
    remote({
      name: 'stale',
      summary: 'list the sources, AS numbers and domains that cannot be read now; their last content stays',
      examples: ['prefixcast source stale'],
      run: async ({ options }) => {
        const [{ runRemote }, { stale }] = await Promise.all([session(), operations()]);
        return runRemote(options, stale);
      },
    }),
  ],
});

export const LIST_TREE: readonly CommandGroup[] = [MODULE_GROUP, ENTRY_GROUP, source, REVISION_GROUP];
