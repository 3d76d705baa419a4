/** Commands about bundles: files that say what a node is to run. All but one need no service. */
import { EXIT } from '../process/command-error.ts';
import { command, group } from '../table/command.ts';
import { OUTPUT, remote } from './remote-command.ts';

const load = () => import('../commands/bundle.ts');

const FILE = { name: 'FILE', type: 'file' } as const;

const KEYS = {
  keys: {
    value: 'FILE',
    type: 'file',
    about: 'the keys that may sign it: what bundle keys printed, or the trust.json of a node',
  },
} as const;

const EXITS = {
  [EXIT.ok]: 'done',
  [EXIT.usage]: 'wrong usage',
  [EXIT.rejects]: 'the bundle is damaged, was not signed by these keys, or has expired',
  [EXIT.noInput]: "a file can't be read",
};

export const BUNDLE_GROUP = group({
  name: 'bundle',
  summary: 'bundles: the signed files that nodes pull',
  commands: () => [
    command({
      name: 'show',
      summary: 'show what a bundle has a node run: its speaker, revision, peers, and until when',
      details: [
        'Needs no service. A node keeps the bundle that it runs as bundle.tar in its data directory. The files of the bundle are compared with its manifest; who has signed it is ' +
          'checked by bundle verify. Passwords of peers are not shown.',
      ],
      args: [FILE],
      missing: 'Name the bundle: prefixcast bundle show FILE',
      options: { output: OUTPUT },
      examples: [
        'prefixcast bundle show /var/lib/prefixcast-agent/bundle.tar',
        'prefixcast bundle show bundle.tar -o json',
      ],
      exitCodes: EXITS,
      run: async ({ options, args }) => (await load()).show(args[0]!, options.output ?? 'table'),
    }),
    command({
      name: 'verify',
      summary: 'check who has signed a bundle, that it is whole, and that a node still takes it',
      details: [
        'Needs no service. The keys are as good as the way on which you got them: bundle keys prints those of the service. A node checks, besides, that the bundle is for its speaker and ' +
          'not older than the last one.',
      ],
      args: [FILE],
      missing: 'Name the bundle: prefixcast bundle verify FILE --keys FILE',
      options: KEYS,
      examples: [
        'prefixcast bundle verify bundle.tar --keys keys.json',
        'cd /var/lib/prefixcast-agent && prefixcast bundle verify bundle.tar --keys trust.json',
      ],
      exitCodes: EXITS,
      run: async ({ options, args }) => (await load()).verify(args[0]!, options.keys),
    }),
    command({
      name: 'prefixes',
      summary: 'list the routes of a bundle',
      details: [
        'Needs no service. These are the routes of the revision; a peer receives those of its communities.',
      ],
      args: [FILE],
      missing: 'Name the bundle: prefixcast bundle prefixes FILE',
      options: { output: OUTPUT },
      examples: [
        'prefixcast bundle prefixes bundle.tar',
        'prefixcast bundle prefixes bundle.tar -o name | prefixcast contains - 192.0.2.7',
      ],
      exitCodes: EXITS,
      run: async ({ options, args }) => (await load()).prefixes(args[0]!, options.output ?? 'table'),
    }),
    remote({
      name: 'keys',
      summary: 'list the public keys that sign bundles of the tenant, for bundle verify',
      examples: ['prefixcast bundle keys', 'prefixcast bundle keys -o json > keys.json'],
      run: async ({ options }) => {
        const [{ runRemote }, { signingKeys }] = await Promise.all([
          import('../session/run-remote.ts'),
          import('../tenant/operations.ts'),
        ]);
        return runRemote(options, signingKeys);
      },
    }),
    remote({
      name: 'rotate-key',
      summary: 'make another key that signs bundles of the tenant, and tell nodes of it before it does',
      options: {
        announce: {
          value: 'DURATION',
          type: 'duration',
          about: 'how long nodes know it before it signs, such as 1h; a day by default',
        },
      },
      examples: ['prefixcast bundle rotate-key', 'prefixcast bundle rotate-key --announce 1h'],
      run: async ({ options }) => {
        const [{ runRemote }, { rotateSigningKey }] = await Promise.all([
          import('../session/run-remote.ts'),
          import('../tenant/upkeep.ts'),
        ]);
        return runRemote(options, (session) => rotateSigningKey(session, options.announce));
      },
    }),
  ],
});
