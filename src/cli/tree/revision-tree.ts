/** Commands about what is made of lists: revisions, what they differ in, and where they go. */
import { group } from '../table/command.ts';
import { DRY_RUN, LIMITS, OVERRIDE, remote, WAIT, YES } from './remote-command.ts';

const session = () => import('../session/run-remote.ts');
const revisions = () => import('../revisions/revisions.ts');

const REVISION = { name: 'REVISION', names: 'revision' } as const;

export const REVISION_GROUP = group({
  name: 'revision',
  summary: 'revisions, by number, latest or applied',
  commands: () => [
    remote({
      name: 'list',
      summary: 'list revisions, the newest first',
      options: LIMITS,
      examples: ['prefixcast revision list --limit 5'],
      run: async ({ options }) => {
        const [{ runRemote }, { list }] = await Promise.all([session(), revisions()]);
        return runRemote(options, (one) => list(one, options));
      },
    }),
    remote({
      name: 'show',
      summary: 'show a revision',
      args: [REVISION],
      examples: ['prefixcast revision show latest'],
      run: async ({ options, args }) => {
        const [{ runRemote }, { show }] = await Promise.all([session(), revisions()]);
        return runRemote(options, (one) => show(one, args[0]!));
      },
    }),
    remote({
      name: 'build',
      summary: 'build a revision of what the modules hold now',
      options: WAIT,
      examples: ['prefixcast revision build --wait'],
      run: async ({ options }) => {
        const [{ runRemote }, { build }] = await Promise.all([session(), revisions()]);
        return runRemote(options, (one) => build(one, options));
      },
    }),
    remote({
      name: 'diff',
      summary: 'show what one revision announces and another does not, as git does',
      args: [
        { name: 'BEFORE', names: 'revision' },
        { name: 'AFTER', names: 'revision' },
      ],
      options: LIMITS,
      examples: ['prefixcast revision diff applied latest'],
      run: async ({ options, args }) => {
        const [{ runRemote }, { diff }] = await Promise.all([session(), revisions()]);
        return runRemote(options, (one) => diff(one, [args[0]!, args[1]!], options));
      },
    }),
    remote({
      name: 'prefixes',
      summary: 'list the prefixes of a revision',
      args: [REVISION],
      options: {
        family: { value: 'FAMILY', choices: ['ipv4', 'ipv6'], about: 'of one family only' },
        contains: { value: 'PREFIX', about: 'that contain this address or prefix' },
        module: { value: 'MODULE', names: 'module', about: 'that this module contributed' },
        community: { value: 'COMMUNITY', names: 'community', about: 'with this community' },
        ...LIMITS,
      },
      examples: [
        'prefixcast revision prefixes latest --family ipv6',
        'prefixcast revision prefixes applied -o name > routes.txt',
      ],
      run: async ({ options, args }) => {
        const [{ runRemote }, { prefixes }] = await Promise.all([session(), revisions()]);
        return runRemote(options, (one) => prefixes(one, args[0]!, options));
      },
    }),
    remote({
      name: 'apply',
      summary: 'announce a revision',
      details: [
        'Shows what a held revision breaks, and what it would change at each speaker. On a terminal it asks then; elsewhere --override names every guardrail.',
        'With --override, latest is the newest that guardrails hold, where that is newer than the latest that is ready.',
        'A terminal is asked before routes go.',
      ],
      args: [REVISION],
      options: {
        speaker: {
          value: 'SPEAKER',
          names: 'speaker',
          many: true,
          about: 'only there; all enabled ones where none is named',
        },
        ...OVERRIDE,
        ...DRY_RUN,
        ...YES,
        ...WAIT,
      },
      examples: [
        'prefixcast revision apply latest --wait',
        'prefixcast revision apply 17 --dry-run',
        'prefixcast revision apply 17 --speaker frankfurt',
        'prefixcast revision apply 18 --override large_withdrawal --reason "the customer has left"',
      ],
      run: async ({ options, args }) => {
        const [{ runRemote }, { apply }] = await Promise.all([
          session(),
          import('../revisions/apply-revision.ts'),
        ]);
        return runRemote(options, (one) => apply(one, args[0]!, options));
      },
    }),
    remote({
      name: 'rollback',
      summary: 'make a new revision with the content of an older one',
      args: [REVISION],
      options: {
        ...DRY_RUN,
        ...YES,
        reason: { value: 'TEXT', about: 'why; the new revision and the audit log keep it' },
        ...WAIT,
      },
      examples: [
        'prefixcast revision rollback 17 --dry-run',
        'prefixcast revision rollback 17 --reason "the office lost its list" --wait',
      ],
      run: async ({ options, args }) => {
        const [{ runRemote }, { rollback }] = await Promise.all([session(), revisions()]);
        return runRemote(options, (one) => rollback(one, args[0]!, options));
      },
    }),
    ...(['pin', 'unpin'] as const).map((name) =>
      remote({
        name,
        summary: name === 'pin' ? 'keep a revision from being pruned' : 'let a revision be pruned again',
        args: [REVISION],
        examples: [`prefixcast revision ${name} 17`],
        run: async ({ options, args }) => {
          const [{ runRemote }, { pin }] = await Promise.all([session(), revisions()]);
          return runRemote(options, (one) => pin(one, args[0]!, name === 'pin'));
        },
      }),
    ),
    remote({
      name: 'prune',
      summary: 'remove old revisions, by the setting revision_retention_minutes',
      options: { 'dry-run': { about: 'say what it would remove' }, ...WAIT },
      examples: ['prefixcast revision prune --dry-run'],
      run: async ({ options }) => {
        const [{ runRemote }, { prune }] = await Promise.all([session(), revisions()]);
        return runRemote(options, (one) => prune(one, options));
      },
    }),
  ],
});
